import type { Auction } from '@wangian/contracts/auction.ts'
import type { Product } from '@wangian/contracts/catalogue.ts'
import { daysAhead, instantOf, type MomentParts, partsOf } from '../../lib/malaysian-moment.ts'
import type { AuctionBody, ProductBody } from './listing-rules.ts'

/** How a listing is sold: each kind has its form. */
export type ListingKind = 'fixed' | 'auction'

/** What the fields of the form hold, as they are typed. Both kinds have all of them; each shows its own. */
export interface ListingValues {
  name: string
  brand: string
  description: string
  /** What a listing with bids has added to its description. */
  addition: string
  categoryId: string
  volume: string
  remainingPercentage: string
  purchaseYear: string
  boxCondition: string
  batchCode: string
  imageUrl: string
  stockQuantity: string
  listingType: string
  price: string
  startingPrice: string
  bidIncrement: string
  reservePrice: string
  buyNowPrice: string
  /** `later` asks for `start`. */
  starts: string
  start: MomentParts
  end: MomentParts
}

/** An empty form, at this time. */
export function emptyValues(nowMs: number): ListingValues {
  return {
    name: '',
    brand: '',
    description: '',
    addition: '',
    categoryId: '',
    volume: '100',
    remainingPercentage: '100',
    purchaseYear: '',
    boxCondition: 'Good',
    batchCode: '',
    imageUrl: '',
    stockQuantity: '1',
    listingType: 'fixed',
    price: '',
    startingPrice: '',
    bidIncrement: '0.10',
    reservePrice: '',
    buyNowPrice: '',
    starts: 'now',
    start: daysAhead(nowMs, 1),
    end: daysAhead(nowMs),
  }
}

/** The form of a product that exists, with the terms of its auction when it has one. */
export function valuesOf(product: Product, auction: Auction | null, nowMs: number): ListingValues {
  return {
    ...emptyValues(nowMs),
    name: product.name,
    brand: product.brand,
    description: product.description,
    categoryId: String(product.categoryId),
    volume: String(product.volume),
    remainingPercentage: String(product.remainingPercentage),
    purchaseYear: product.purchaseYear === null ? '' : String(product.purchaseYear),
    boxCondition: product.boxCondition,
    batchCode: product.batchCode ?? '',
    // With pictures, the address that is told is the first one's, and not what was typed.
    imageUrl: product.images.length > 0 ? '' : (product.imageUrl ?? ''),
    stockQuantity: String(product.stockQuantity),
    listingType: product.listingType,
    price: amountText(product.price),
    startingPrice: amountText(product.price),
    ...(auction && termsOf(auction, nowMs)),
  }
}

/** A product as its form would send it, were nothing changed. */
export function savedProductOf(product: Product): ProductBody {
  const { name, brand, description, price, stockQuantity, categoryId, remainingPercentage, purchaseYear } = product
  const { boxCondition, batchCode, listingType, volume } = product
  return {
    name,
    brand,
    description,
    price,
    imageUrl: product.images.length > 0 ? null : product.imageUrl,
    stockQuantity,
    categoryId,
    remainingPercentage,
    purchaseYear,
    boxCondition,
    batchCode,
    listingType,
    volume,
  }
}

/** The terms of an auction as its form would send them, were nothing changed. A start counts until it has come. */
export function savedAuctionOf(auction: Auction): AuctionBody {
  const { startingPrice, reservePrice, buyNowPrice, bidIncrement, startsAt, endsAt, status } = auction
  return {
    startingPrice,
    reservePrice: reservePrice ?? null,
    buyNowPrice,
    bidIncrement,
    endsAt,
    ...(status === 'scheduled' && { startsAt }),
  }
}

/** Whether the end of an auction is over, so that a form offers another one. */
export function isExpired(auction: Auction, nowMs: number): boolean {
  return Date.parse(auction.endsAt) <= nowMs
}

function termsOf(auction: Auction, nowMs: number): Partial<ListingValues> {
  const startsAtMs = Date.parse(auction.startsAt)
  return {
    startingPrice: amountText(auction.startingPrice),
    bidIncrement: amountText(auction.bidIncrement),
    reservePrice: auction.reservePrice ? amountText(auction.reservePrice) : '',
    buyNowPrice: auction.buyNowPrice ? amountText(auction.buyNowPrice) : '',
    ...(startsAtMs > nowMs && { starts: 'later', start: partsOf(startsAtMs) }),
    end: isExpired(auction, nowMs) ? daysAhead(nowMs, 1) : partsOf(Date.parse(auction.endsAt)),
  }
}

/** An amount as it is typed. */
function amountText(ringgit: number): string {
  return ringgit.toFixed(2)
}

/** Only the fields that differ from `before`: what a draft keeps. */
export function changedValues(values: ListingValues, before: ListingValues): Partial<ListingValues> {
  const names = Object.keys(before) as (keyof ListingValues)[]
  return Object.fromEntries(
    names.filter((name) => !isSameValue(values[name], before[name])).map((name) => [name, values[name]]),
  )
}

function isSameValue(one: string | MomentParts, other: string | MomentParts): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other
  const [oneMs, otherMs] = [instantOf(one), instantOf(other)]
  return oneMs === otherMs && (oneMs !== null || JSON.stringify(one) === JSON.stringify(other))
}
