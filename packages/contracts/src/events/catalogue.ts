import { z } from 'zod'
import { defineEvent, type EventOf, type FormerNames, type StoredData } from './definition.ts'
import { count, id, instant, sen } from './fields.ts'

const facts = z.object({
  productId: id,
  sellerId: id,
  name: z.string(),
  brand: z.string(),
  description: z.string(),
  priceSen: sen,
  categoryId: id,
  listingType: z.enum(['fixed', 'negotiable', 'auction']),
  stockQuantity: count,
  remainingPercentage: z.int(),
  batchCode: z.string().nullable(),
  purchaseYear: z.int().nullable(),
  boxCondition: z.enum(['Good', 'Damaged', 'No Box']),
  volumeMl: z.int(),
  isNew: z.boolean(),
  imageUrl: z.string().nullable(),
  createdAt: instant,
})

const picture = z.object({
  id,
  imageUrl: z.string(),
  imageOrder: z.int(),
  /** The colour that most of it has. Pictures of an earlier time have none. */
  tint: z.string().optional(),
})

/** What happened to listings. The stream is `listing-<product id>`. */
export const catalogueEvents = {
  ListingCreated: defineEvent({ data: facts }),
  /** All facts as they are after the change. */
  ListingUpdated: defineEvent({ data: facts.omit({ createdAt: true }).extend({ updatedAt: instant }) }),
  /** The pictures of a listing as they now are, first one first; `imageUrls` are the names of `images`. */
  ListingPicturesChanged: defineEvent({
    data: z.object({ productId: id, imageUrls: z.array(z.string()), images: z.array(picture) }),
  }),
  /** It was taken away; nobody sees it any more. */
  ListingRemoved: defineEvent({
    version: 2,
    data: z.object({
      productId: id,
      sellerId: id,
      /** What it was called. Removals of an earlier time do not say it. */
      name: z.string().optional(),
      by: z.enum(['seller', 'admin']),
      /** Of an administrator only. */
      reason: z.string().nullable(),
      removedAt: instant,
    }),
    upcasts: { 1: (data) => data },
  }),
  /** A bottle is kept for somebody: for whoever won its auction (a lot), for a deal, or as both, when the winner's deal takes the lot over. */
  ListingReserved: defineEvent({
    version: 2,
    data: z.object({
      productId: id,
      sellerId: id,
      name: z.string(),
      buyerId: id,
      amountSen: sen,
      /** Of a deal. */
      transactionId: id.nullable(),
      /** Of a lot. */
      auctionId: id.nullable(),
      reservedAt: instant,
    }),
    upcasts: { 1: (data) => ({ ...data, transactionId: null }) },
  }),
  /** A bottle is kept for a deal no longer, or a lot for its winner. */
  ListingReleased: defineEvent({
    data: z.object({
      productId: id,
      sellerId: id,
      name: z.string(),
      buyerId: id,
      transactionId: id.nullable(),
      auctionId: id.nullable(),
      /** The deal let go of the winner's lot, which stays the winner's. */
      isKept: z.boolean(),
      /** It was sold, and is in stock again. */
      wasSold: z.boolean(),
      /** `not-confirmed`: nobody has confirmed the purchase that it was kept for; `released`: the seller has given up on the winner. */
      reason: z.enum(['cancelled', 'not-confirmed', 'released']),
      /** Bottles in stock from now on, those that are kept for somebody among them. */
      stockQuantity: count,
      /** Why the seller has given up on the winner, in their words. */
      note: z.string().optional(),
      releasedAt: instant,
    }),
    privateFields: ['note'],
  }),
  /** The payment for a bottle was confirmed. */
  ListingSold: defineEvent({
    data: z.object({
      productId: id,
      sellerId: id,
      name: z.string(),
      buyerId: id,
      transactionId: id,
      /** Of a lot. */
      auctionId: id.nullable(),
      amountSen: sen,
      /** Bottles in stock from now on, those that are kept for somebody among them. */
      stockQuantity: count,
      soldAt: instant,
    }),
  }),
  /** Its auction has ended without a winner: the seller may list it again. */
  ListingReturned: defineEvent({
    version: 2,
    data: z.object({
      productId: id,
      sellerId: id,
      name: z.string(),
      auctionId: id,
      reason: z.enum(['no-bids', 'reserve-not-met', 'winner-unavailable']),
      /** Who made the highest bid; `null` without one, and where it was not noted yet. */
      leaderId: id.nullable(),
      returnedAt: instant,
    }),
    upcasts: { 1: (data) => ({ ...data, leaderId: null }) },
  }),
  /** So few are left for buyers that the seller may want to know; told once each time a reservation or a sale makes them so few. */
  StockLow: defineEvent({
    data: z.object({ productId: id, sellerId: id, name: z.string(), stockQuantity: count, at: instant }),
  }),
  /** Its seller asks for less than before; not told of auctions, whose prices are bid. Told after the `ListingUpdated` that says so. */
  PriceLowered: defineEvent({
    data: z.object({
      productId: id,
      sellerId: id,
      name: z.string(),
      priceSen: sen,
      formerPriceSen: sen,
      loweredAt: instant,
    }),
  }),
  /** Shown in the first places until then; while it is featured, a later end replaces the earlier one. */
  ListingFeatured: defineEvent({
    data: z.object({
      productId: id,
      sellerId: id,
      /** `null` when it was not bought. */
      packageId: id.nullable(),
      /** Of whoever asked for it; the same one again changes nothing. */
      commandId: z.string(),
      featuredAt: instant,
      featuredUntil: instant,
    }),
  }),
  ListingUnfeatured: defineEvent({ data: z.object({ productId: id, sellerId: id, unfeaturedAt: instant }) }),
} as const
/** What was stored under another name. */
export const catalogueFormerNames: FormerNames<typeof catalogueEvents> = {
  ListingDeleted: {
    becomes: 'ListingRemoved',
    upcast: ({ deletedAt, ...data }) => ({ ...data, by: 'seller', reason: null, removedAt: deletedAt }),
  },
}
export type CatalogueEvent = EventOf<typeof catalogueEvents>
export type ListingFacts = StoredData<typeof catalogueEvents.ListingCreated>
