import { z } from 'zod'
import { whenNeeded } from './when-needed.ts'

/** The largest amount the product accepts, in sen: RM 9,999,999.99. */
export const AMOUNT_MAX_SEN = 999_999_999

const SEN_PER_RINGGIT = 100

/**
 * Ringgit (a number with at most two decimals) to integer sen.
 * `null` when the number is not finite, is negative, has a third decimal or exceeds {@link AMOUNT_MAX_SEN}.
 */
export function senFromRinggit(ringgit: number): number | null {
  if (!Number.isFinite(ringgit) || ringgit < 0) return null
  const sen = Math.round(ringgit * SEN_PER_RINGGIT)
  // 0.29 * 100 is 28.999999999999996: what counts is whether the sen lead back to the very number that was sent.
  if (sen / SEN_PER_RINGGIT !== ringgit || sen > AMOUNT_MAX_SEN) return null
  return sen
}

/** Integer sen to ringgit, the number that HTTP and WebSocket carry. */
export function ringgitFromSen(sen: number): number {
  return sen / SEN_PER_RINGGIT
}

const isAmount = (value: number) => senFromRinggit(value) !== null
const amountMessage = 'Please enter a valid amount'

/** An amount in ringgit at the edge: a number with at most two decimals, 0 to 9,999,999.99. */
export const Ringgit = z.number().refine(isAmount, amountMessage)

/** An amount of at least so much; `message` is for what is less, and for what is no number at all. */
export function ringgitFrom(least: number, message: string) {
  return z.number(message).min(least, { error: message, abort: true }).refine(isAmount, amountMessage)
}

/** Amounts in ringgit together, which may be more than one may be. */
export const RinggitTotal = z.number().min(0)

/** Integer sen, the only form of money inside the system. */
export const Sen = z.int().min(0).max(AMOUNT_MAX_SEN)

const twoDecimals = whenNeeded(
  () => new Intl.NumberFormat('en-MY', { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
)
const noDecimals = whenNeeded(() => new Intl.NumberFormat('en-MY', { maximumFractionDigits: 0 }))

/** `RM 1,234.50`, with a no-break space, from an amount in ringgit. */
export function formatRinggit(ringgit: number): string {
  return `RM\u00A0${twoDecimals().format(ringgit)}`
}

/** `RM 1,235`: the form of product cards, without decimals. */
export function formatRinggitShort(ringgit: number): string {
  return `RM\u00A0${noDecimals().format(ringgit)}`
}
