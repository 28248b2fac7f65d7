import { inLanguage } from '../i18n/in-language.ts'

/** What stands before amounts in the cards of a chat and in the orders of administrators, where other places say `RM`. */
const CARD_CURRENCY_SIGN = '$'

const twoDecimals = inLanguage(
  (locale) => new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
)

/** `$1,234.50`, from an amount in ringgit. */
export function formatCardAmount(ringgit: number): string {
  return `${CARD_CURRENCY_SIGN}${twoDecimals().format(ringgit)}`
}
