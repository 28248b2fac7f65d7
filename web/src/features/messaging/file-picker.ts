import { MESSAGE_FILE_BYTES_MAX, MESSAGE_FILE_TYPES, messageFileMessages } from '@wangian/contracts/messaging.ts'
import { inLanguage } from '../../i18n/in-language.ts'
import { sentenceInPageLanguage } from '../../i18n/in-page-language.ts'

/** What the browser's dialog for files offers. */
export const fileTypesOffered = MESSAGE_FILE_TYPES.join(',')

/** What is wrong with a file that can be seen before it is sent; `null` when nothing is. The server looks into it. */
export function fileProblem({ name, size }: Pick<File, 'name' | 'size'>): string | null {
  if (size > MESSAGE_FILE_BYTES_MAX) return sentenceInPageLanguage(messageFileMessages.tooLarge)
  const isOffered = MESSAGE_FILE_TYPES.some((ending) => name.toLowerCase().endsWith(ending))
  return isOffered && size > 0 ? null : sentenceInPageLanguage(messageFileMessages.wrongType)
}

const sizes = inLanguage((locale) => {
  const format = (unit: string, maximumFractionDigits: number) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits })
  return [format('byte', 0), format('kilobyte', 0), format('megabyte', 1)] as const
})

/** `340 byte`, `12 kB`, `4.7 MB`. */
export function formatBytes(bytes: number): string {
  const power = bytes >= 1_000_000 ? 2 : bytes >= 1_000 ? 1 : 0
  return sizes()[power].format(bytes / 1_000 ** power)
}
