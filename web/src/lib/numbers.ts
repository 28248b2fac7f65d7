import { inLanguage } from '../i18n/in-language.ts'

const whole = inLanguage((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }))

/** `12,345`. */
export function formatCount(count: number): string {
  return whole().format(count)
}
