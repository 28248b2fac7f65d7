import { inLanguage } from '../i18n/in-language.ts'

/** The product is in one place with one clock, whatever the visitor's device says. */
export const timeZone = 'Asia/Kuala_Lumpur'

const dayAndTime = inLanguage(
  (locale) =>
    new Intl.DateTimeFormat(locale, {
      timeZone,
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      hour12: true,
    }),
)

/** `21 Nov 2026, 5:03 pm`. Apart from `dates.ts` because the first page needs it. */
export function formatDateTime(instant: string): string {
  return dayAndTime().format(new Date(instant))
}
