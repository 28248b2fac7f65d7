import { AUCTION_YEARS_MAX, type AuctionForm, BID_INCREMENT_MIN_SEN } from '@wangian/contracts/auction.ts'
import { NewProduct, STOCK_MAX } from '@wangian/contracts/catalogue.ts'
import { formatRinggit, Ringgit, ringgitFromSen } from '@wangian/contracts/money.ts'
import { z } from 'zod'
import { i18n } from '../../i18n/i18n.ts'
import { monthName } from '../../lib/dates.ts'
import { daysIn, instantOf, type MomentParts, malaysianYear } from '../../lib/malaysian-moment.ts'
import { formatCount } from '../../lib/numbers.ts'
import type { ListingKind, ListingValues } from './listing-values.ts'

const purchaseYearMin = 1970
const descriptionMax = 5000

/** What a form is judged by, beside what is typed. */
interface Circumstances {
  readonly kind: ListingKind
  /** The time that an end must come after. */
  readonly nowMs: () => number
  /** With a picture, its address may be left out. */
  readonly hasPictures: () => boolean
  /** People have bid: all but an addition to the description stays as it is. */
  readonly isFrozen: boolean
  /** Whether the terms of an auction are asked for: they are not when it is over, or when people have bid. */
  readonly hasTerms: boolean
  /** An auction that runs keeps its start. */
  readonly hasStarted: boolean
}

/** A product as a form makes it: every field of the contract that a form has. */
export type ProductBody = Required<Omit<z.input<typeof NewProduct>, 'sellerId' | 'requestKey' | 'isNew'>>
/** The terms of an auction; without a start it starts at once, or stays as it is. */
export type AuctionBody = Omit<z.input<typeof AuctionForm>, 'startsAt'> & { startsAt?: string }

export interface Listing {
  readonly product: ProductBody
  readonly auction: AuctionBody | null
}

/** The rules of a form, with the spec's words; what it gives is fit to be sent. */
export function listingRules(given: Circumstances): z.ZodType<Listing, ListingValues> {
  return given.kind === 'fixed' ? fixedRules(given) : auctionRules(given)
}

function fixedRules(given: Circumstances): z.ZodType<Listing, ListingValues> {
  const product = z.object({
    ...productFields(given),
    price: typedPrice(0.01, 'sell.rules.positivePrice'),
    stockQuantity: typedStock(0, 'sell.rules.stock'),
    listingType: z.enum(['fixed', 'negotiable']),
  })
  return fromValues(product.transform((listed) => ({ product: bodyOf(listed), auction: null })))
}

function auctionRules(given: Circumstances): z.ZodType<Listing, ListingValues> {
  const terms = z
    .object({
      ...productFields(given),
      stockQuantity: typedStock(1, 'sell.rules.auctionStock'),
      startingPrice: typedPrice(0.01, 'sell.rules.startingPrice'),
      bidIncrement: typedPrice(ringgitFromSen(BID_INCREMENT_MIN_SEN), 'sell.rules.bidIncrement'),
      reservePrice: typedOptional(Ringgit, 'sell.rules.amount'),
      buyNowPrice: typedOptional(Ringgit, 'sell.rules.amount'),
      price: z.string(),
      starts: z.string(),
      start: z.custom<MomentParts>(),
      end: z.custom<MomentParts>(),
    })
    // They are judged whatever else is wrong, so that nobody mends a form twice.
    .superRefine(
      (typed, context) => {
        if (!given.hasTerms) return
        for (const { path, message } of [...priceProblems(typed), ...momentProblems(typed, given)]) {
          context.addIssue({ code: 'custom', path: [...path], message })
        }
      },
      { when: () => true },
    )
  return fromValues(
    terms.transform((listed) => ({
      product: bodyOf({
        ...listed,
        price: given.hasTerms ? listed.startingPrice : Number(listed.price),
        listingType: 'auction',
      }),
      auction: given.hasTerms ? termsOf(listed, given) : null,
    })),
  )
}

/** A form holds more than its kind asks for, and everything as text. */
function fromValues(rules: z.ZodType<Listing>): z.ZodType<Listing, ListingValues> {
  return rules as z.ZodType<Listing, ListingValues>
}

/** What both kinds have. */
function productFields({ isFrozen, hasPictures, kind, nowMs }: Circumstances) {
  return {
    name: NewProduct.shape.name,
    brand: NewProduct.shape.brand,
    description: NewProduct.shape.description,
    addition: z.string().trim(),
    categoryId: typedNumber(NewProduct.shape.categoryId, 'sell.rules.category'),
    volume: typedNumber(NewProduct.shape.volume.unwrap(), 'sell.rules.volume'),
    remainingPercentage: typedNumber(NewProduct.shape.remainingPercentage.unwrap(), 'sell.rules.remaining'),
    purchaseYear: typedOptional(z.int().min(purchaseYearMin).max(malaysianYear(nowMs())), 'sell.rules.year', () => ({
      year: malaysianYear(nowMs()),
    })),
    boxCondition: NewProduct.shape.boxCondition.unwrap(),
    batchCode: z.string().trim().max(60),
    imageUrl: z
      .string()
      .trim()
      .refine((url) => url === '' || NewProduct.shape.imageUrl.safeParse(url).success, {
        error: () => i18n.t('sell.rules.imageUrl'),
      })
      .refine((url) => url !== '' || kind === 'auction' || hasPictures() || isFrozen, {
        error: () => i18n.t('sell.rules.picture'),
      }),
  }
}

type Listed = Omit<z.output<z.ZodObject<ReturnType<typeof productFields>>>, 'addition'> & {
  addition: string
  price: number
  stockQuantity: number
  listingType: ProductBody['listingType']
}

function bodyOf(listed: Listed): ProductBody {
  return {
    name: listed.name,
    brand: listed.brand,
    description: withAddition(listed.description, listed.addition),
    price: listed.price,
    imageUrl: listed.imageUrl || null,
    stockQuantity: listed.stockQuantity,
    categoryId: listed.categoryId,
    remainingPercentage: listed.remainingPercentage,
    purchaseYear: listed.purchaseYear,
    boxCondition: listed.boxCondition,
    batchCode: listed.batchCode || null,
    listingType: listed.listingType,
    volume: listed.volume,
  }
}

/** The old words stay as they are; what is added is a paragraph of its own. */
export function withAddition(description: string, addition: string): string {
  return addition ? `${description}\n\n${addition}` : description
}

/** How much may still be added to a description. */
export function additionMax(description: string): number {
  return Math.max(0, descriptionMax - description.length - 2)
}

function termsOf(
  listed: {
    startingPrice: number
    reservePrice: number | null
    buyNowPrice: number | null
    bidIncrement: number
    starts: string
    start: MomentParts
    end: MomentParts
  },
  { hasStarted }: Circumstances,
): AuctionBody {
  const { startingPrice, reservePrice, buyNowPrice, bidIncrement } = listed
  const startsAt = listed.starts === 'later' && !hasStarted ? instantText(listed.start) : undefined
  return {
    startingPrice,
    // 0 says as much as nothing.
    reservePrice: reservePrice || null,
    buyNowPrice: buyNowPrice || null,
    bidIncrement,
    endsAt: instantText(listed.end),
    ...(startsAt !== undefined && { startsAt }),
  }
}

function instantText(parts: MomentParts): string {
  return new Date(instantOf(parts) ?? 0).toISOString()
}

interface Problem {
  readonly path: readonly string[]
  readonly message: string
}

/** While other fields are wrong, a price may be anything. */
function priceProblems(typed: { startingPrice: unknown; reservePrice: unknown; buyNowPrice: unknown }): Problem[] {
  const { startingPrice } = typed
  if (typeof startingPrice !== 'number') return []
  const isBelow = (price: unknown) => typeof price === 'number' && price > 0 && price < startingPrice
  const amount = formatRinggit(startingPrice)
  return [
    ...(isBelow(typed.reservePrice)
      ? [{ path: ['reservePrice'], message: i18n.t('sell.rules.reserveBelowStart', { amount }) }]
      : []),
    ...(isBelow(typed.buyNowPrice)
      ? [{ path: ['buyNowPrice'], message: i18n.t('sell.rules.buyNowBelowStart', { amount }) }]
      : []),
  ]
}

function momentProblems(
  typed: { starts: string; start: MomentParts; end: MomentParts },
  { nowMs, hasStarted }: Circumstances,
): Problem[] {
  const hasOwnStart = typed.starts === 'later' && !hasStarted
  const startProblem = hasOwnStart ? momentProblem(typed.start, nowMs(), 'sell.rules.startDate') : null
  const endProblem = momentProblem(typed.end, nowMs(), 'sell.rules.endDate') ?? orderProblem(typed, hasOwnStart)
  return [
    ...(startProblem ? [{ path: ['start', 'day'], message: startProblem }] : []),
    ...(endProblem ? [{ path: ['end', 'day'], message: endProblem }] : []),
  ]
}

function orderProblem(typed: { start: MomentParts; end: MomentParts }, hasOwnStart: boolean): string | null {
  const [startMs, endMs] = [instantOf(typed.start), instantOf(typed.end)]
  const isBefore = hasOwnStart && startMs !== null && endMs !== null && endMs <= startMs
  return isBefore ? i18n.t('sell.rules.endAfterStart') : null
}

/** What is wrong with a moment that has to come; `inPast` is the key of the words for one that is over. */
function momentProblem(
  parts: MomentParts,
  nowMs: number,
  inPast: 'sell.rules.startDate' | 'sell.rules.endDate',
): string | null {
  const instantMs = instantOf(parts)
  if (instantMs === null) {
    const { month, year } = parts
    if (!month || !year || !parts.day) return i18n.t('sell.rules.dateMissing')
    return i18n.t('sell.rules.noSuchDay', {
      month: monthName(Number(month)),
      year,
      days: daysIn(Number(year), Number(month)),
    })
  }
  if (instantMs <= nowMs) return i18n.t(inPast)
  const latest = new Date(nowMs)
  latest.setUTCFullYear(latest.getUTCFullYear() + AUCTION_YEARS_MAX)
  return instantMs > latest.getTime() ? i18n.t('sell.rules.dateTooLate', { years: AUCTION_YEARS_MAX }) : null
}

/** What is typed into a number field: nothing is `null`. */
function numberFrom(typed: unknown): number | null {
  const text = String(typed ?? '').trim()
  return text === '' ? null : Number(text)
}

type Rule = `sell.rules.${string}`

function typedNumber(schema: z.ZodType<number, number>, rule: Rule) {
  return z.string().transform((typed, context) => {
    const value = schema.safeParse(numberFrom(typed))
    if (value.success) return value.data
    context.addIssue({ code: 'custom', message: i18n.t(rule as 'sell.rules.volume') })
    return z.NEVER
  })
}

function typedOptional(
  schema: z.ZodType<number, number>,
  rule: Rule,
  values: () => Record<string, number> = () => ({}),
) {
  return z.string().transform((typed, context): number | null => {
    const number = numberFrom(typed)
    const value = number === null ? { success: true as const, data: null } : schema.safeParse(number)
    if (value.success) return value.data
    context.addIssue({ code: 'custom', message: i18n.t(rule as 'sell.rules.volume', values()) })
    return z.NEVER
  })
}

/** Too much is another thing than too little, or than what is no number of bottles. */
function typedStock(least: number, rule: Rule) {
  return z.string().transform((typed, context) => {
    const number = numberFrom(typed)
    const isTooMuch = number !== null && number > STOCK_MAX
    if (number !== null && number >= least && !isTooMuch && Number.isInteger(number)) return number
    context.addIssue({
      code: 'custom',
      message: isTooMuch
        ? i18n.t('sell.rules.stockMax', { max: formatCount(STOCK_MAX) })
        : i18n.t(rule as 'sell.rules.stock'),
    })
    return z.NEVER
  })
}

/** Too little is one thing, and what is no amount, such as RM 1.005, another. */
function typedPrice(least: number, rule: Rule) {
  return z.string().transform((typed, context) => {
    const number = numberFrom(typed)
    const isEnough = number !== null && number >= least
    if (isEnough && Ringgit.safeParse(number).success) return number
    context.addIssue({
      code: 'custom',
      message: i18n.t((isEnough ? 'sell.rules.amount' : rule) as 'sell.rules.volume'),
    })
    return z.NEVER
  })
}
