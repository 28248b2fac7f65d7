import {
  type CatalogueEvent,
  IMAGES_PER_PRODUCT_MAX,
  type ListingFacts,
  type ProductImage,
} from '@wangian/contracts/catalogue.ts'
import type { Decider } from '@wangian/kit/decider.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { invariant } from '@wangian/kit/invariant.ts'

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
      readonly featuredUntil: string | null
    }
  | { readonly status: 'deleted'; readonly facts: ListingFacts }

type ListedListing = Extract<Listing, { status: 'listed' }>

export type ListingCommand =
  | { readonly type: 'CreateListing'; readonly facts: ListingFacts }
  | { readonly type: 'AddPicture'; readonly actorId: number; readonly image: ProductImage }

/** The stream of a listing. */
export function listingStream(productId: number): string {
  return `listing-${productId}`
}

function decide(command: ListingCommand, listing: Listing): readonly CatalogueEvent[] {
  switch (command.type) {
    case 'CreateListing':
      return createListing(command.facts, listing)
    case 'AddPicture':
      return addPicture(command, listing)
    default:
      return command satisfies never
  }
}

function createListing(facts: ListingFacts, listing: Listing): readonly CatalogueEvent[] {
  if (listing.status !== 'absent') return []
  if (facts.listingType === 'auction' && facts.stockQuantity < 1) {
    throw new Rejection('bad-request', 'Stock quantity must be at least 1')
  }
  return [{ type: 'ListingCreated', data: facts }]
}

function addPicture(
  { actorId, image }: Extract<ListingCommand, { type: 'AddPicture' }>,
  listing: Listing,
): readonly CatalogueEvent[] {
  if (listing.status !== 'listed') throw new Rejection('product-not-found')
  if (actorId !== listing.facts.sellerId) throw new Rejection('forbidden')
  if (listing.images.some(({ id }) => id === image.id)) return []
  if (listing.images.length >= IMAGES_PER_PRODUCT_MAX) throw new Rejection('images-full')
  const images = inOrder([...listing.images, image])
  const imageUrls = images.map(({ imageUrl }) => imageUrl)
  return [{ type: 'ListingPicturesChanged', data: { productId: listing.facts.productId, imageUrls, images } }]
}

function evolve(listing: Listing, event: CatalogueEvent): Listing {
  switch (event.type) {
    case 'ListingCreated':
      return { status: 'listed', facts: event.data, images: [], reservation: null, featuredUntil: null }
    case 'ListingDeleted':
      invariant(listing.status === 'listed', 'only what is listed is deleted')
      return { status: 'deleted', facts: listing.facts }
    default:
      invariant(listing.status === 'listed', 'only what is listed changes')
      return change(listing, event)
  }
}

function change(
  listing: ListedListing,
  event: Exclude<CatalogueEvent, { type: 'ListingCreated' | 'ListingDeleted' }>,
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
      return { ...listing, reservation: { buyerId, amountSen, auctionId } }
    }
    case 'ListingReturned':
      return { ...listing, reservation: null }
    case 'StockLow':
      return listing
    case 'ListingFeatured':
      return { ...listing, featuredUntil: event.data.featuredUntil }
    case 'ListingUnfeatured':
      return { ...listing, featuredUntil: null }
    default:
      return event satisfies never
  }
}

export const listingDecider: Decider<Listing, ListingCommand, CatalogueEvent> = {
  initialState: { status: 'absent' },
  decide,
  evolve,
}

/** Two pictures may ask for the same place; then the one that was announced first comes first. */
function inOrder(images: readonly ProductImage[]): ProductImage[] {
  return images.toSorted((one, other) => one.imageOrder - other.imageOrder || one.id - other.id)
}
