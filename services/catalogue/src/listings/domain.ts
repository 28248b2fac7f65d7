import {
  type AuctionOutcome,
  IMAGES_PER_PRODUCT_MAX,
  LOW_STOCK_MAX,
  type ProductImage,
} from '@wangian/contracts/catalogue.ts'
import type { CatalogueEvent, ListingFacts } from '@wangian/contracts/events/catalogue.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { Decider } from '@wangian/kit/log/decider.ts'
import { evolve, type ListedListing, type Listing } from './domain/listing.ts'

/** What a seller may change; the rest is what it was when it was listed. */
export type ListingChanges = Partial<Omit<ListingFacts, 'productId' | 'sellerId' | 'createdAt'>>

/** What the auction service says of a product just before it is changed. `won`: and not returned since. */
export type AuctionHold = 'none' | 'open' | 'has-bids' | 'won'

/** How an auction ended. */
export type AuctionEnd =
  | { readonly outcome: 'won'; readonly winnerId: number; readonly amountSen: number }
  | {
      readonly outcome: Exclude<AuctionOutcome, 'won'>
      /** Who made the highest bid, as far as it is known. */
      readonly leaderId: number | null
    }

/** `at` is the time of the command, ISO 8601. */
export type ListingCommand =
  | { readonly type: 'CreateListing'; readonly facts: ListingFacts }
  | {
      readonly type: 'UpdateListing'
      readonly actorId: number
      readonly changes: ListingChanges
      readonly hold: AuctionHold
      readonly at: string
    }
  | { readonly type: 'AddPicture'; readonly actorId: number; readonly image: ProductImage; readonly hold: AuctionHold }
  | {
      readonly type: 'OrderPictures'
      readonly actorId: number
      readonly imageIds: readonly number[]
      readonly hold: AuctionHold
    }
  | {
      readonly type: 'RemovePicture'
      readonly actorId: number
      readonly imageId: number
      readonly hold: AuctionHold
    }
  /** Its auction was withdrawn before. */
  | { readonly type: 'DeleteListing'; readonly actorId: number; readonly at: string }
  | { readonly type: 'SettleAuction'; readonly auctionId: number; readonly end: AuctionEnd; readonly at: string }
  | {
      readonly type: 'FeatureListing'
      readonly packageId: number | null
      readonly featuredUntil: string
      readonly commandId: string
      readonly at: string
    }
  /** Ends what has run out by `at`; something that was extended meanwhile goes on. */
  | { readonly type: 'UnfeatureListing'; readonly at: string }

/** The stream of a listing. */
export function listingStream(productId: number): string {
  return `listing-${productId}`
}

type Of<Type extends ListingCommand['type']> = Extract<ListingCommand, { type: Type }>
type Events = readonly CatalogueEvent[]

function decide(command: ListingCommand, listing: Listing): Events {
  switch (command.type) {
    case 'CreateListing':
      return createListing(command.facts, listing)
    case 'UpdateListing':
      return updateListing(command, listing)
    case 'AddPicture':
      return addPicture(command, listing)
    case 'OrderPictures':
      return orderPictures(command, listing)
    case 'RemovePicture':
      return removePicture(command, listing)
    case 'DeleteListing':
      return deleteListing(command, listing)
    case 'SettleAuction':
      return settleAuction(command, listing)
    case 'FeatureListing':
      return featureListing(command, listing)
    case 'UnfeatureListing':
      return unfeatureListing(command, listing)
    default:
      return command satisfies never
  }
}

export const listingDecider: Decider<Listing, ListingCommand, CatalogueEvent> = {
  service: 'catalogue',
  initialState: { status: 'absent' },
  decide,
  evolve,
}

function createListing(facts: ListingFacts, listing: Listing): Events {
  if (listing.status !== 'absent') return []
  requireBottleToAuction(facts)
  return [{ type: 'ListingCreated', data: facts }]
}

function updateListing({ actorId, changes, hold, at }: Of<'UpdateListing'>, listing: Listing): Events {
  const { facts, reservation } = requireOwn(listing, actorId)
  const { createdAt: _, ...known } = facts
  const changed = { ...known, ...changes }
  const fields = (Object.keys(changes) as (keyof ListingChanges)[]).filter((field) => changes[field] !== facts[field])
  if (fields.length === 0) return []
  if (reservation !== null || hold === 'won') throw new Rejection('product-reserved')
  if (hold === 'has-bids' && !isOnlyAddition(fields, facts.description, changed.description)) {
    throw new Rejection('auction-has-bids')
  }
  if (fields.includes('listingType') && [facts.listingType, changed.listingType].includes('auction')) {
    throw new Rejection('bad-request', 'A listing can change between fixed and negotiable only')
  }
  requireBottleToAuction(changed)
  return [{ type: 'ListingUpdated', data: { ...changed, updatedAt: at } }]
}

/** Whoever has bid has read what was there: more may be said, nothing be taken back. */
function isOnlyAddition(fields: readonly (keyof ListingChanges)[], before: string, after: string): boolean {
  return fields.every((field) => field === 'description') && after.startsWith(before)
}

function requireBottleToAuction({ listingType, stockQuantity }: Pick<ListingFacts, 'listingType' | 'stockQuantity'>) {
  if (listingType === 'auction' && stockQuantity < 1) {
    throw new Rejection('bad-request', 'Stock quantity must be at least 1')
  }
}

function addPicture({ actorId, image, hold }: Of<'AddPicture'>, listing: Listing): Events {
  const { facts, images, reservation } = requireOwn(listing, actorId)
  if (images.some(({ id }) => id === image.id)) return []
  if (reservation !== null) throw new Rejection('product-reserved')
  if (images.length >= IMAGES_PER_PRODUCT_MAX) throw new Rejection('images-full')
  const ordered = inOrder([...images, image])
  // Whoever has bid saw the main picture; others may come behind it.
  const isMain = ordered[0]?.id === image.id && (images.length > 0 || facts.imageUrl !== null)
  if (isMain) requireNotFrozen(reservation, hold)
  return [picturesChanged(facts.productId, ordered)]
}

function orderPictures({ actorId, imageIds, hold }: Of<'OrderPictures'>, listing: Listing): Events {
  const { facts, images, reservation } = requireOwn(listing, actorId)
  const ordered = imageIds.flatMap((imageId, imageOrder) =>
    images.filter(({ id }) => id === imageId).map((image) => ({ ...image, imageOrder })),
  )
  // Somebody else's picture, one named twice or one left out: the caller looked at other pictures than there are now.
  if (ordered.length !== images.length || new Set(imageIds).size !== images.length) throw new Rejection('conflict')
  if (ordered.every(({ id }, index) => id === images[index]?.id)) return []
  requireNotFrozen(reservation, hold)
  return [picturesChanged(facts.productId, ordered)]
}

function removePicture({ actorId, imageId, hold }: Of<'RemovePicture'>, listing: Listing): Events {
  const { facts, images, reservation } = requireOwn(listing, actorId)
  const left = images.filter(({ id }) => id !== imageId)
  if (left.length === images.length) return []
  requireNotFrozen(reservation, hold)
  return [picturesChanged(facts.productId, left)]
}

function picturesChanged(productId: number, images: ProductImage[]): CatalogueEvent {
  const imageUrls = images.map(({ imageUrl }) => imageUrl)
  return { type: 'ListingPicturesChanged', data: { productId, imageUrls, images } }
}

/** Two pictures may ask for the same place; then the one that was announced first comes first. */
function inOrder(images: readonly ProductImage[]): ProductImage[] {
  return images.toSorted((one, other) => one.imageOrder - other.imageOrder || one.id - other.id)
}

function deleteListing({ actorId, at }: Of<'DeleteListing'>, listing: Listing): Events {
  if (listing.status === 'deleted' && listing.facts.sellerId === actorId) return []
  const own = requireOwn(listing, actorId)
  if (own.reservation !== null) throw new Rejection('product-reserved')
  const { productId, sellerId } = own.facts
  const data = { productId, sellerId, by: 'seller', reason: null, removedAt: at } as const
  return [...unfeatured(own, at), { type: 'ListingRemoved', data }]
}

/** An end that is known already, or that came behind the end of a later auction, changes nothing. */
function settleAuction({ auctionId, end, at }: Of<'SettleAuction'>, listing: Listing): Events {
  if (listing.status !== 'listed' || auctionId <= listing.settledAuctionId) return []
  const { productId, sellerId, name } = listing.facts
  const whose = { productId, sellerId, name, auctionId }
  if (end.outcome !== 'won') {
    return [
      { type: 'ListingReturned', data: { ...whose, reason: end.outcome, leaderId: end.leaderId, returnedAt: at } },
    ]
  }
  const { winnerId: buyerId, amountSen } = end
  return [
    { type: 'ListingReserved', data: { ...whose, buyerId, amountSen, reservedAt: at } },
    ...unfeatured(listing, at),
    ...stockLow(listing.facts, at),
  ]
}

/** A reservation takes one bottle; told when that is the one too many. */
function stockLow({ productId, sellerId, name, stockQuantity }: ListingFacts, at: string): Events {
  const left = stockQuantity - 1
  if (left !== LOW_STOCK_MAX) return []
  return [{ type: 'StockLow', data: { productId, sellerId, name, stockQuantity: left, at } }]
}

function featureListing(command: Of<'FeatureListing'>, listing: Listing): Events {
  const { packageId, featuredUntil, commandId, at } = command
  if (listing.status !== 'listed') throw new Rejection('product-not-found')
  if (listing.featuredBy.includes(commandId)) return []
  if (listing.reservation !== null) throw new Rejection('conflict', 'Only active products can be featured')
  if (isNotAfter(featuredUntil, at)) throw new Rejection('bad-request', 'The end must be in the future')
  if (listing.featuredUntil !== null && isNotAfter(featuredUntil, listing.featuredUntil)) return []
  const { productId, sellerId } = listing.facts
  return [
    { type: 'ListingFeatured', data: { productId, sellerId, packageId, commandId, featuredAt: at, featuredUntil } },
  ]
}

function unfeatureListing({ at }: Of<'UnfeatureListing'>, listing: Listing): Events {
  if (listing.status !== 'listed' || listing.featuredUntil === null || !isNotAfter(listing.featuredUntil, at)) return []
  return unfeatured(listing, at)
}

function unfeatured({ facts: { productId, sellerId }, featuredUntil }: ListedListing, at: string): Events {
  if (featuredUntil === null) return []
  return [{ type: 'ListingUnfeatured', data: { productId, sellerId, unfeaturedAt: at } }]
}

function requireOwn(listing: Listing, actorId: number): ListedListing {
  if (listing.status !== 'listed') throw new Rejection('product-not-found')
  if (actorId !== listing.facts.sellerId) throw new Rejection('forbidden')
  return listing
}

function requireNotFrozen(reservation: ListedListing['reservation'], hold: AuctionHold): void {
  if (reservation !== null || hold === 'won') throw new Rejection('product-reserved')
  if (hold === 'has-bids') throw new Rejection('auction-has-bids')
}

function isNotAfter(one: string, other: string): boolean {
  return Date.parse(one) <= Date.parse(other)
}
