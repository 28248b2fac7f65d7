import { type AuctionOutcome, IMAGES_PER_PRODUCT_MAX, type ProductImage } from '@wangian/contracts/catalogue.ts'
import type { CatalogueEvent, ListingFacts } from '@wangian/contracts/events/catalogue.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { Decider } from '@wangian/kit/log/decider.ts'
import { type BottleCommand, decideBottles, unfeatured, unfeaturedBy, withConsequences } from './domain/bottles.ts'
import {
  type AuctionHold,
  availableOf,
  change,
  evolve,
  type KnownListing,
  type ListedListing,
  type Listing,
  lotOf,
  standingOf,
} from './domain/listing.ts'

/** What a seller may change; the rest is what it was when it was listed. */
export type ListingChanges = Partial<Omit<ListingFacts, 'productId' | 'sellerId' | 'createdAt'>>

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
  | BottleCommand
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
  /** By an administrator. Deals that are not paid are called off afterwards, and their bottles freed. */
  | { readonly type: 'RemoveListing'; readonly reason: string; readonly at: string }
  | { readonly type: 'SettleAuction'; readonly auctionId: number; readonly end: AuctionEnd; readonly at: string }
  | {
      readonly type: 'FeatureListing'
      readonly packageId: number | null
      readonly featuredUntil: string
      readonly commandId: string
      /** Its seller is not hidden. */
      readonly canBeSeen: boolean
      readonly at: string
    }
  /** So much longer than it is featured already, or from now. */
  | {
      readonly type: 'FeatureLonger'
      readonly packageId: number | null
      readonly durationHours: number
      readonly commandId: string
      readonly canBeSeen: boolean
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
    case 'RemoveListing':
      return removeListing(command, listing)
    case 'SettleAuction':
      return settleAuction(command, listing)
    case 'FeatureListing':
    case 'FeatureLonger':
      return featureListing(command, listing)
    case 'UnfeatureListing':
      return unfeatureListing(command, listing)
    default:
      return decideBottles(command, listing)
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
  const own = requireOwn(listing, actorId)
  const { facts, reservations } = own
  const { createdAt: _, ...known } = facts
  const changed = { ...known, ...changes }
  const fields = (Object.keys(changes) as (keyof ListingChanges)[]).filter((field) => changes[field] !== facts[field])
  if (fields.length === 0) return []
  // An auction that was won, and of whose end nothing is known here yet. It may be waiting for a bottle.
  const isUnsettled = hold === 'won' && lotOf(own) === undefined
  const isBottleForWinner =
    isUnsettled && fields.every((field) => field === 'stockQuantity') && changed.stockQuantity > facts.stockQuantity
  const isAddition = isOnlyAddition(fields, facts.description, changed.description)
  if (standingOf(own) === 'sold' && !isAddition && !isBottleForWinner) throw new Rejection('product-sold')
  if (isUnsettled && !isBottleForWinner) throw new Rejection('product-reserved')
  const said = fields.filter((field) => field !== 'stockQuantity')
  if (standingOf(own) === 'pending' && !isOnlyAddition(said, facts.description, changed.description)) {
    throw new Rejection('product-reserved')
  }
  if (changed.stockQuantity < reservations.length) throw new Rejection('product-reserved')
  if (hold === 'has-bids' && !isAddition) throw new Rejection('auction-has-bids')
  if (fields.includes('listingType') && [facts.listingType, changed.listingType].includes('auction')) {
    throw new Rejection('bad-request', 'A listing can change between fixed and negotiable only')
  }
  if (fields.includes('stockQuantity')) {
    requireBottleToAuction(changed)
    // Whoever wins gets a bottle that no deal has.
    if (hold === 'open' && changed.stockQuantity <= reservations.length) throw new Rejection('product-reserved')
  }
  const event: CatalogueEvent = { type: 'ListingUpdated', data: { ...changed, updatedAt: at } }
  const after = change(own, event)
  return [event, ...lowered(facts, after, at), ...unfeaturedBy(after, at)]
}

/** Who keeps it as a favourite may want to know, as long as there is a bottle. An auction's price is bid. */
function lowered(
  { priceSen: formerPriceSen }: Pick<ListingFacts, 'priceSen'>,
  listing: KnownListing,
  loweredAt: string,
): Events {
  const { productId, sellerId, name, priceSen, listingType } = listing.facts
  if (listingType === 'auction' || priceSen >= formerPriceSen || availableOf(listing) === 0) return []
  return [{ type: 'PriceLowered', data: { productId, sellerId, name, priceSen, formerPriceSen, loweredAt } }]
}

/** Whoever has bid or bought has read what was there: more may be said, nothing be taken back. */
function isOnlyAddition(fields: readonly (keyof ListingChanges)[], before: string, after: string): boolean {
  return fields.every((field) => field === 'description') && after.startsWith(before)
}

function requireBottleToAuction({ listingType, stockQuantity }: Pick<ListingFacts, 'listingType' | 'stockQuantity'>) {
  if (listingType === 'auction' && stockQuantity < 1) {
    throw new Rejection('bad-request', 'Stock quantity must be at least 1')
  }
}

function addPicture({ actorId, image, hold }: Of<'AddPicture'>, listing: Listing): Events {
  const own = requireOwn(listing, actorId)
  const { facts, images } = own
  if (images.some(({ id }) => id === image.id)) return []
  requireForSale(own)
  if (images.length >= IMAGES_PER_PRODUCT_MAX) throw new Rejection('images-full')
  const ordered = inOrder([...images, image])
  // Whoever has bid saw the main picture; others may come behind it.
  const isMain = ordered[0]?.id === image.id && (images.length > 0 || facts.imageUrl !== null)
  if (isMain) requireNotFrozen(own, hold)
  return [picturesChanged(facts.productId, ordered)]
}

function orderPictures({ actorId, imageIds, hold }: Of<'OrderPictures'>, listing: Listing): Events {
  const own = requireOwn(listing, actorId)
  const { facts, images } = own
  const ordered = imageIds.flatMap((imageId, imageOrder) =>
    images.filter(({ id }) => id === imageId).map((image) => ({ ...image, imageOrder })),
  )
  // Somebody else's picture, one named twice or one left out: the caller looked at other pictures than there are now.
  if (ordered.length !== images.length || new Set(imageIds).size !== images.length) throw new Rejection('conflict')
  if (ordered.every(({ id }, index) => id === images[index]?.id)) return []
  requireNotFrozen(own, hold)
  return [picturesChanged(facts.productId, ordered)]
}

function removePicture({ actorId, imageId, hold }: Of<'RemovePicture'>, listing: Listing): Events {
  const own = requireOwn(listing, actorId)
  const { facts, images } = own
  const left = images.filter(({ id }) => id !== imageId)
  if (left.length === images.length) return []
  requireNotFrozen(own, hold)
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
  if (own.reservations.length > 0) throw new Rejection('product-reserved')
  return removed(own, { by: 'seller', reason: null, at })
}

function removeListing({ reason, at }: Of<'RemoveListing'>, listing: Listing): Events {
  if (!isListed(listing)) throw new Rejection('product-not-found')
  return removed(listing, { by: 'admin', reason, at })
}

function removed(
  listing: ListedListing,
  { at, ...why }: { readonly by: 'seller' | 'admin'; readonly reason: string | null; readonly at: string },
): Events {
  const { productId, sellerId, name } = listing.facts
  return [
    ...unfeatured(listing, at),
    { type: 'ListingRemoved', data: { productId, sellerId, name, ...why, removedAt: at } },
  ]
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
  // It was opened while the last bottle went to somebody else. The end waits for that deal.
  if (availableOf(listing) < 1) throw new Rejection('product-reserved')
  const { winnerId: buyerId, amountSen } = end
  const data = { ...whose, buyerId, amountSen, transactionId: null, reservedAt: at }
  return withConsequences(listing, { type: 'ListingReserved', data }, at)
}

function featureListing(command: Of<'FeatureListing' | 'FeatureLonger'>, listing: Listing): Events {
  const { packageId, commandId, canBeSeen, at } = command
  if (listing.status === 'absent') throw new Rejection('product-not-found')
  // Who asks again never heard the answer. A refusal would have the same payment boost something else, too.
  if (listing.featuredBy.includes(commandId)) return []
  if (listing.status !== 'listed' || !canBeSeen) throw new Rejection('product-not-found')
  if (standingOf(listing) !== 'active') throw new Rejection('conflict', 'Only active products can be featured')
  const featuredUntil =
    command.type === 'FeatureLonger' ? longer(listing.featuredUntil, command) : command.featuredUntil
  if (isNotAfter(featuredUntil, at)) throw new Rejection('bad-request', 'The end must be in the future')
  if (listing.featuredUntil !== null && isNotAfter(featuredUntil, listing.featuredUntil)) return []
  const { productId, sellerId } = listing.facts
  return [
    { type: 'ListingFeatured', data: { productId, sellerId, packageId, commandId, featuredAt: at, featuredUntil } },
  ]
}

const HOUR_MS = 60 * 60 * 1000

function longer(
  featuredUntil: string | null,
  { durationHours, at }: { readonly durationHours: number; readonly at: string },
): string {
  const fromMs = Math.max(Date.parse(at), featuredUntil === null ? 0 : Date.parse(featuredUntil))
  return new Date(fromMs + durationHours * HOUR_MS).toISOString()
}

function unfeatureListing({ at }: Of<'UnfeatureListing'>, listing: Listing): Events {
  if (listing.status !== 'listed' || listing.featuredUntil === null || !isNotAfter(listing.featuredUntil, at)) return []
  return unfeatured(listing, at)
}

function requireOwn(listing: Listing, actorId: number): ListedListing {
  if (!isListed(listing)) throw new Rejection('product-not-found')
  if (actorId !== listing.facts.sellerId) throw new Rejection('forbidden')
  return listing
}

function isListed(listing: Listing): listing is ListedListing {
  return listing.status === 'listed'
}

/** Whoever has bought it, or may, has seen its pictures. */
function requireForSale(listing: ListedListing): void {
  const standing = standingOf(listing)
  if (standing === 'sold') throw new Rejection('product-sold')
  if (standing === 'pending') throw new Rejection('product-reserved')
}

function requireNotFrozen(listing: ListedListing, hold: AuctionHold): void {
  requireForSale(listing)
  if (hold === 'won') throw new Rejection('product-reserved')
  if (hold === 'has-bids') throw new Rejection('auction-has-bids')
}

function isNotAfter(one: string, other: string): boolean {
  return Date.parse(one) <= Date.parse(other)
}
