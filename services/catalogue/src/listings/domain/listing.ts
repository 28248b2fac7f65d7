import type { ProductImage } from '@wangian/contracts/catalogue.ts'
import type { CatalogueEvent, ListingFacts } from '@wangian/contracts/events/catalogue.ts'
import { invariant } from '@wangian/kit/invariant.ts'

/** What is known of a listing, and what its events make of it. */

/** What the auction service says of a product just before it is changed. `won`: and not returned since. */
export type AuctionHold = 'none' | 'open' | 'has-bids' | 'won'

/** One bottle that is kept for somebody. */
export interface Reservation {
  readonly buyerId: number
  readonly amountSen: number
  /** Of the deal that keeps it; `null` for a lot whose winner has no deal yet. */
  readonly transactionId: number | null
  /** Of the auction that the buyer won; `null` for everything but a lot. */
  readonly auctionId: number | null
  /** Of a lot when it was won, whatever became of its deals. */
  readonly reservedAt: string
}

/** One bottle that was paid. */
export interface Sale {
  readonly buyerId: number
  readonly transactionId: number
  readonly auctionId: number | null
}

export interface KnownListing {
  readonly status: 'listed' | 'deleted'
  /** As they are after all changes; `stockQuantity` counts the bottles that are kept for somebody, too. */
  readonly facts: ListingFacts
  /** In the order in which they are shown. */
  readonly images: readonly ProductImage[]
  readonly reservations: readonly Reservation[]
  readonly sales: readonly Sale[]
  /** The deals that had a bottle and were called off. */
  readonly calledOff: readonly number[]
  /** The last auction whose end it knows; 0 before there was one. Ids of auctions grow. */
  readonly settledAuctionId: number
  readonly featuredUntil: string | null
  /** By which commands it was ever featured. */
  readonly featuredBy: readonly string[]
}

export type Listing = { readonly status: 'absent' } | KnownListing

export type ListedListing = KnownListing & { readonly status: 'listed' }

/** Bottles that nobody has. */
export function availableOf({ facts, reservations }: KnownListing): number {
  return facts.stockQuantity - reservations.length
}

/** The lot that waits for the winner of its auction. There is one at most: the next auction comes after it. */
export function lotOf({ reservations }: KnownListing): Reservation | undefined {
  return reservations.find(({ auctionId }) => auctionId !== null)
}

/** `pending`: nobody can get a bottle just now; while there is a lot, all others wait for what becomes of it. */
export function standingOf(listing: KnownListing): 'active' | 'pending' | 'sold' {
  if (lotOf(listing) !== undefined) return 'pending'
  if (listing.reservations.length > 0) return availableOf(listing) > 0 ? 'active' : 'pending'
  return listing.facts.stockQuantity === 0 && listing.sales.length > 0 ? 'sold' : 'active'
}

export function evolve(listing: Listing, event: CatalogueEvent): Listing {
  switch (event.type) {
    case 'ListingCreated':
      return {
        status: 'listed',
        facts: event.data,
        images: [],
        reservations: [],
        sales: [],
        calledOff: [],
        settledAuctionId: 0,
        featuredUntil: null,
        featuredBy: [],
      }
    case 'ListingRemoved':
      invariant(listing.status === 'listed', 'only what is listed is deleted')
      return { ...listing, status: 'deleted' }
    case 'ListingReleased':
    case 'ListingSold':
      // A deal about what was taken away goes on.
      invariant(listing.status !== 'absent', 'only what was listed is sold')
      return change(listing, event)
    default:
      invariant(listing.status === 'listed', 'only what is listed changes')
      return change(listing, event)
  }
}

/** What an event makes of a listing that is there. */
export function change(
  listing: KnownListing,
  event: Exclude<CatalogueEvent, { type: 'ListingCreated' | 'ListingRemoved' }>,
): KnownListing {
  switch (event.type) {
    case 'ListingUpdated': {
      const { updatedAt: _, ...facts } = event.data
      return { ...listing, facts: { ...facts, createdAt: listing.facts.createdAt } }
    }
    case 'ListingPicturesChanged':
      return { ...listing, images: event.data.images }
    case 'ListingReserved': {
      const { buyerId, amountSen, transactionId, auctionId, reservedAt } = event.data
      const lot = auctionId === null ? undefined : lotOf(listing)
      const kept = { buyerId, amountSen, transactionId, auctionId, reservedAt: lot?.reservedAt ?? reservedAt }
      return {
        ...listing,
        reservations: [...listing.reservations.filter((other) => other !== lot), kept],
        settledAuctionId: auctionId ?? listing.settledAuctionId,
      }
    }
    case 'ListingReturned': {
      const reservations = listing.reservations.filter(({ auctionId }) => auctionId === null)
      return { ...listing, reservations, settledAuctionId: event.data.auctionId }
    }
    case 'ListingReleased': {
      const { stockQuantity, isKept, wasSold, transactionId, reason } = event.data
      const facts = { ...listing.facts, stockQuantity }
      const isCalledOff = reason === 'cancelled' && transactionId !== null
      const calledOff = isCalledOff ? [...listing.calledOff, transactionId] : listing.calledOff
      if (wasSold) {
        const sales = listing.sales.filter((sale) => sale.transactionId !== transactionId)
        return { ...listing, facts, calledOff, sales }
      }
      const lot = isKept ? lotOf(listing) : undefined
      const kept = lot === undefined ? [] : [{ ...lot, transactionId: null }]
      return { ...listing, facts, calledOff, reservations: [...withoutBottle(listing, event.data), ...kept] }
    }
    case 'ListingSold': {
      const { buyerId, transactionId, auctionId, stockQuantity } = event.data
      return {
        ...listing,
        facts: { ...listing.facts, stockQuantity },
        reservations: withoutBottle(listing, event.data),
        sales: [...listing.sales, { buyerId, transactionId, auctionId }],
      }
    }
    case 'StockLow':
    case 'PriceLowered':
      return listing
    case 'ListingFeatured': {
      const { featuredUntil, commandId } = event.data
      return { ...listing, featuredUntil, featuredBy: [...listing.featuredBy, commandId] }
    }
    case 'ListingUnfeatured':
      return { ...listing, featuredUntil: null }
    default:
      return event satisfies never
  }
}

/** The bottles that are kept, but for that of a deal or a lot. */
function withoutBottle(
  { reservations }: KnownListing,
  bottle: Pick<Reservation, 'transactionId' | 'auctionId'>,
): readonly Reservation[] {
  return reservations.filter(({ transactionId, auctionId }) =>
    bottle.auctionId === null ? transactionId !== bottle.transactionId : auctionId !== bottle.auctionId,
  )
}
