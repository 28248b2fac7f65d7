import { AUCTION_YEARS_MAX, BID_INCREMENT_MIN_SEN } from '@wangian/contracts/auction.ts'
import { BoxCondition, NewProduct } from '@wangian/contracts/catalogue.ts'
import { Ringgit, ringgitFromSen } from '@wangian/contracts/money.ts'
import { z } from 'zod'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * 60 * 1000
const purchaseYearMin = 1970
/** Malaysia keeps one offset all year. */
const malaysianOffset = '+08:00'
const malaysianOffsetMs = 8 * 60 * 60 * 1000

/** What is typed into a number field: nothing is `null`. */
export function numberFrom(typed: unknown): number | null {
  const text = String(typed ?? '').trim()
  return text === '' ? null : Number(text)
}

const typedNumber = (schema: z.ZodType<number>, message: string) =>
  z.unknown().transform((typed, context) => {
    const value = schema.safeParse(numberFrom(typed))
    if (value.success) return value.data
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
const typedOptional = (schema: z.ZodType<number>, message: string) =>
  z.unknown().transform((typed, context) => {
    const number = numberFrom(typed)
    const value = number === null ? { success: true as const, data: null } : schema.safeParse(number)
    if (value.success) return value.data
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
const atLeast = (least: number) => Ringgit.refine((amount) => amount >= least)

/**
 * The form of an auction with the spec's rules; a message is the key of its words, except where the contracts have them.
 * `nowMs` is the time that an end must come after.
 */
export function auctionListingForm(nowMs: () => number) {
  return z.object({
    name: NewProduct.shape.name,
    brand: NewProduct.shape.brand,
    description: NewProduct.shape.description,
    categoryId: typedNumber(z.int().positive(), 'sell.rules.category'),
    volume: typedNumber(z.int().min(1).max(10_000), 'sell.rules.volume'),
    remainingPercentage: typedNumber(z.int().min(1).max(100), 'sell.rules.remaining'),
    purchaseYear: typedOptional(z.int().min(purchaseYearMin).max(new Date(nowMs()).getFullYear()), 'sell.rules.year'),
    boxCondition: BoxCondition,
    batchCode: z.string().trim().max(60),
    imageUrl: z
      .string()
      .trim()
      .max(2048)
      .refine((url) => url === '' || (URL.canParse(url) && url.startsWith('https://')), 'sell.rules.imageUrl'),
    startingPrice: typedNumber(atLeast(0.01), 'sell.rules.startingPrice'),
    bidIncrement: typedNumber(atLeast(ringgitFromSen(BID_INCREMENT_MIN_SEN)), 'sell.rules.bidIncrement'),
    reservePrice: typedOptional(Ringgit, 'sell.rules.price'),
    buyNowPrice: typedOptional(Ringgit, 'sell.rules.price'),
    stockQuantity: typedNumber(z.int().min(1).max(100_000), 'sell.rules.stock'),
    endsAt: z
      .string()
      .refine((local) => Date.parse(`${local}${malaysianOffset}`) > nowMs(), 'sell.rules.endDate')
      .transform((local) => new Date(`${local}${malaysianOffset}`).toISOString()),
  })
}

export type AuctionListing = z.output<ReturnType<typeof auctionListingForm>>

/** The value of a date-and-time field, in Malaysian time to the second. */
export function malaysianFieldTime(instantMs: number): string {
  return new Date(instantMs + malaysianOffsetMs).toISOString().slice(0, 19)
}

/** Seven days ahead, at the full minute. */
export function defaultEnd(nowMs: number): string {
  return malaysianFieldTime(Math.floor((nowMs + 7 * DAY_MS) / MINUTE_MS) * MINUTE_MS)
}

/** The last end that a form offers. */
export function latestEnd(nowMs: number): string {
  return malaysianFieldTime(nowMs + AUCTION_YEARS_MAX * 365 * DAY_MS)
}
