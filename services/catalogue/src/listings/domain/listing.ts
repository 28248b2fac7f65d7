import type { ProductImage } from '@wangian/contracts/catalogue.ts'
import type { CatalogueEvent, ListingFacts } from '@wangian/contracts/events/catalogue.ts'
import { invariant } from '@wangian/kit/invariant.ts'

/** What is known of a listing, and what its events make of it. */

export type Listing =
  | { readonly status: 'absent' }
  | {
      readonly status: 'listed'
      /** As they are after all changes. */
      readonly facts: ListingFacts
      /** In the order in which they are shown. */
      readonly images: readonly ProductImage[]
      /** For whoever won its auction. */
      readonly reservation: { readonly buyerId: number; readonly amountSen: number; readonly auctionId: number } | null
      /** The last auction whose end it knows; 0 before there was one. Ids of auctions grow. */
      readonly settledAuctionId: number
      readonly featuredUntil: string | null
      /** By which commands it was ever featured. */
      readonly featuredBy: readonly string[]
    }
  | { readonly status: 'deleted'; readonly facts: ListingFacts }

export type ListedListing = Extract<Listing, { status: 'listed' }>

export function evolve(listing: Listing, event: CatalogueEvent): Listing {
  switch (event.type) {
    case 'ListingCreated':
      return {
        status: 'listed',
        facts: event.data,
        images: [],
        reservation: null,
        settledAuctionId: 0,
        featuredUntil: null,
        featuredBy: [],
      }
    case 'ListingRemoved':
      invariant(listing.status === 'listed', 'only what is listed is deleted')
      return { status: 'deleted', facts: listing.facts }
    default:
      invariant(listing.status === 'listed', 'only what is listed changes')
      return change(listing, event)
  }
}

function change(
  listing: ListedListing,
  event: Exclude<CatalogueEvent, { type: 'ListingCreated' | 'ListingRemoved' }>,
): ListedListing {
  switch (event.type) {
    case 'ListingUpdated': {
      const { updatedAt: _, ...facts } = event.data
      return { ...listing, facts: { ...facts, createdAt: listing.facts.createdAt } }
    }
    case 'ListingPicturesChanged':
      return { ...listing, images: event.data.images }
    case 'ListingReserved': {
      const { buyerId, amountSen, auctionId } = event.data
      return { ...listing, reservation: { buyerId, amountSen, auctionId }, settledAuctionId: auctionId }
    }
    case 'ListingReturned':
      return { ...listing, reservation: null, settledAuctionId: event.data.auctionId }
    case 'StockLow':
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
