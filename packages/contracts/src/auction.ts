import { z } from 'zod'
import { AuctionOutcome, Product, ProductChanges } from './catalogue.ts'
import { AuctionId, IdParam, ProductId, RequestKey, UserId } from './ids.ts'
import { Ringgit, ringgitFrom, Sen } from './money.ts'
import { route } from './route.ts'
import { isStorableText } from './text.ts'
import { Instant } from './time.ts'

/** The smallest step between two bids, and the default one: RM 0.10. */
export const BID_INCREMENT_MIN_SEN = 10
/** An auction may end at most this many years ahead. */
export const AUCTION_YEARS_MAX = 4
/** Why an auction was cancelled, or a lot given up, has at most so many characters. */
export const CANCEL_REASON_LENGTH_MAX = 500
/** How many bids `GET /api/auctions/{id}` and a snapshot carry, newest first. */
export const BIDS_IN_SNAPSHOT_MAX = 50

/** The terms a seller sets. Prices are sen; `reserveSen` is for the owner and admins only. */
export const AuctionTerms = z.object({
  auctionId: AuctionId,
  productId: ProductId,
  sellerId: UserId,
  startingPriceSen: Sen,
  reserveSen: Sen.nullable(),
  buyNowSen: Sen.nullable(),
  incrementSen: Sen,
  startsAt: Instant,
  endsAt: Instant,
})
export type AuctionTerms = z.infer<typeof AuctionTerms>

export const AuctionStatus = z.enum(['scheduled', 'active', 'ended', 'cancelled'])
export type AuctionStatus = z.infer<typeof AuctionStatus>

/** The part of an auction that bids change; frames and snapshots carry it. */
export const AuctionLive = z
  .object({
    status: AuctionStatus,
    currentBid: Ringgit.nullable(),
    currentBidderId: UserId.nullable(),
    bidCount: z.int().min(0),
    /** The smallest acceptable bid. After a bid near the largest amount it is beyond that: nobody can bid any more. */
    minimumBid: z.number().positive(),
    endsAt: Instant,
  })
  .meta({ id: 'AuctionLive' })
export type AuctionLive = z.infer<typeof AuctionLive>

export const Bid = z
  .object({
    /** The same as `seq`: a bid's place in its auction. */
    id: z.int().positive(),
    auctionId: AuctionId,
    seq: z.int().positive(),
    bidId: RequestKey.nullable(),
    bidderId: UserId,
    /** Without a name for somebody who has deleted their account. */
    bidder: z.object({ name: z.string().nullable() }),
    amount: Ringgit,
    placedAt: Instant,
    isWinning: z.boolean(),
  })
  .meta({ id: 'Bid' })
export type Bid = z.infer<typeof Bid>

export const Auction = AuctionLive.extend({
  id: AuctionId,
  productId: ProductId,
  sellerId: UserId,
  startingPrice: Ringgit,
  /** Present for the owner and admins only. */
  reservePrice: Ringgit.nullable().optional(),
  hasReserve: z.boolean(),
  reserveMet: z.boolean(),
  buyNowPrice: Ringgit.nullable(),
  bidIncrement: Ringgit,
  startsAt: Instant,
  /** `null` until its end is recorded. */
  outcome: AuctionOutcome.nullable(),
  winnerId: UserId.nullable(),
  seq: z.int().min(0),
  serverTime: Instant,
  createdAt: Instant,
  updatedAt: Instant,
}).meta({ id: 'Auction' })
export type Auction = z.infer<typeof Auction>

/** `product` is `null` when the listing cannot be read right now or was removed. */
export const AuctionPage = Auction.extend({
  bids: z.array(Bid),
  product: Product.nullable(),
  /**
   * Why it was cancelled: one of `systemCancelReasons`, or a seller's own words, which are empty once the seller is erased. `null` when it was not;
   * absent from a process of the version before.
   */
  cancelReason: z.string().nullable().optional(),
  /**
   * Somebody has won it, and the sale did not come about; what `product` says is of its newest auction. `false` also while that cannot be read, and
   * absent from a process of the version before.
   */
  isReleased: z.boolean().optional(),
}).meta({ id: 'AuctionPage' })
export type AuctionPage = z.infer<typeof AuctionPage>

const BidIncrement = ringgitFrom(0.1, 'Bid increment must be at least RM0.10')
const OptionalPrice = Ringgit.nullish().transform((price) => (price === 0 ? null : (price ?? null)))

/** The terms in an auction form, with the spec's words for each refusal. Rules that need the clock are checked by the service. */
export const AuctionForm = z.object({
  startingPrice: ringgitFrom(0.01, 'Starting price must be greater than 0'),
  reservePrice: OptionalPrice,
  buyNowPrice: OptionalPrice,
  bidIncrement: BidIncrement.default(0.1),
  startsAt: Instant.nullish(),
  endsAt: Instant,
})

export const NewAuction = AuctionForm.extend({
  productId: ProductId,
  status: z.string().max(20).optional(),
  /** May be given and is then compared. */
  sellerId: UserId.optional(),
})

/** What is left out stays as it is; `null` or 0 takes a price away. */
const PriceChange = Ringgit.nullable()
  .transform((price) => price || null)
  .optional()

/** `PUT /api/auctions/{id}` sends the auction's part of the form beside the product's, and both are changed. */
export const AuctionRevision = z.object({
  auction: AuctionForm.partial({ endsAt: true, startingPrice: true }).extend({
    reservePrice: PriceChange,
    buyNowPrice: PriceChange,
    bidIncrement: BidIncrement.optional(),
  }),
  product: ProductChanges.optional(),
  sellerId: UserId.optional(),
})

export const auctionRoutes = {
  createAuction: route({
    method: 'POST',
    path: '/api/auctions',
    access: 'seller',
    summary: 'Opens an auction for a product of the caller',
    body: NewAuction,
    answers: { 201: Auction },
    refusals: [
      'forbidden',
      'product-not-found',
      'auction-exists',
      'product-reserved',
      'product-sold',
      'rate-limited',
      'unavailable',
    ],
  }),
  reviseAuction: route({
    method: 'PUT',
    path: '/api/auctions/:auctionId',
    access: 'signed-in',
    summary: 'Changes the terms before the first bid, and what the product says',
    params: z.object({ auctionId: IdParam }),
    body: AuctionRevision,
    answers: { 200: Auction },
    refusals: [
      'forbidden',
      'auction-not-found',
      'auction-has-bids',
      'auction-ended',
      'product-not-found',
      'product-reserved',
      'product-sold',
      'rate-limited',
      'unavailable',
    ],
  }),
  cancelAuction: route({
    method: 'POST',
    path: '/api/auctions/:auctionId/cancel',
    access: 'signed-in',
    summary: 'Cancels an auction that has no bid yet',
    params: z.object({ auctionId: IdParam }),
    body: z.object({ reason: z.string().trim().min(1, 'Reason is required').max(CANCEL_REASON_LENGTH_MAX) }),
    answers: { 200: Auction },
    refusals: ['forbidden', 'auction-not-found', 'auction-has-bids', 'auction-ended', 'unavailable'],
  }),
  /** The same call again has the same answer. Refused with `conflict` and the time from which it may be done. */
  releaseLot: route({
    method: 'POST',
    path: '/api/auctions/:auctionId/release',
    access: 'signed-in',
    summary: 'Gives up on a winner who does not pay or is gone, so that the product can be auctioned again',
    params: z.object({ auctionId: IdParam }),
    body: z.object({ reason: z.string().trim().max(CANCEL_REASON_LENGTH_MAX).refine(isStorableText).optional() }),
    answers: { 200: z.object({ success: z.literal(true) }) },
    refusals: ['forbidden', 'auction-not-found', 'conflict', 'product-not-found', 'product-sold', 'unavailable'],
  }),
  getAuction: route({
    method: 'GET',
    path: '/api/auctions/:auctionId',
    access: 'optional',
    summary: 'An auction with its product and its newest 50 bids',
    params: z.object({ auctionId: IdParam }),
    answers: { 200: AuctionPage },
    refusals: ['auction-not-found'],
  }),
  getAuctionOfProduct: route({
    method: 'GET',
    path: '/api/auctions/product/:productId',
    access: 'optional',
    summary: "A product's running auction, else its last one",
    params: z.object({ productId: IdParam }),
    answers: { 200: Auction },
    refusals: ['auction-not-found'],
  }),
  listBids: route({
    method: 'GET',
    path: '/api/auctions/:auctionId/bids',
    access: 'public',
    summary: 'All accepted bids, newest first; `cursor` is the lowest seq seen so far',
    params: z.object({ auctionId: IdParam }),
    query: z.object({
      limit: z.coerce.number().int().min(1).max(500).default(50),
      cursor: z.coerce.number().int().positive().optional(),
    }),
    answers: { 200: z.array(Bid) },
    refusals: ['auction-not-found'],
  }),
  listAuctions: route({
    method: 'GET',
    path: '/api/auctions',
    access: 'public',
    summary: 'Auctions by status, those that end first coming first',
    query: z.object({
      status: AuctionStatus.default('active'),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    answers: { 200: z.array(Auction) },
  }),
} as const

/** What bidders read when an administrator takes a listing away. Why is told to its seller only. */
export const LISTING_REMOVED_REASON = 'The listing was removed by an administrator.'
export const LISTING_DELETED_REASON = 'The listing was deleted.'
/** In a deal beside the auction, before anybody had bid. */
export const SOLD_AT_ONCE_REASON = 'It was sold at once.'
/** The seller was banned or gone at the end. */
export const SELLER_SUSPENDED_REASON = 'The seller is not available any more.'

/** The reasons that we give: all others are a seller's own words. Events keep them as they read, so none of them is worded anew. */
export const systemCancelReasons: readonly string[] = [
  LISTING_REMOVED_REASON,
  LISTING_DELETED_REASON,
  SOLD_AT_ONCE_REASON,
  SELLER_SUSPENDED_REASON,
]

/** So many bidders are told when a listing is taken away. */
export const BIDDERS_MAX = 2_000

/** Questions that any auction instance answers over the bus. */
export const auctionRequests = {
  /** What a socket gets when it joins a room. */
  getSnapshot: {
    name: 'get-snapshot',
    body: z.object({ auctionId: AuctionId }),
    answer: z.object({
      snapshot: z
        .object({
          auctionId: AuctionId,
          auction: AuctionLive,
          bids: z.array(Bid),
          seq: z.int().min(0),
          serverTime: Instant,
        })
        .nullable(),
    }),
  },
  /**
   * The auction of a product that is not over, as the log has it. `isReserved`: its last one was won, and the lot was neither paid nor given up since.
   */
  findOpenAuction: {
    name: 'find-open-auction',
    body: z.object({ productId: ProductId }),
    answer: z.object({
      auction: z
        .object({
          auctionId: AuctionId,
          bidCount: z.int().min(0),
          endsAt: Instant,
          /** An auction service of the version before does not say it. */
          buyNowSen: Sen.nullable().default(null),
        })
        .nullable(),
      isReserved: z.boolean(),
      /** One may come that nobody can see yet. An auction service of the version before does not say it. */
      isBeingOpened: z.boolean().default(false),
    }),
  },
  /**
   * Cancels the auction of a product, if one runs or is to start. Refused with `auction-has-bids` and `product-reserved`, but not to an
   * administrator, who takes the listing away whatever is bid.
   */
  withdrawAuction: {
    name: 'withdraw-auction',
    body: z.object({
      productId: ProductId,
      reason: z.string().trim().min(1).max(CANCEL_REASON_LENGTH_MAX),
      actorId: UserId,
      by: z.enum(['seller', 'admin']).default('seller'),
      requestId: z.string(),
    }),
    answer: z.object({ wasOpen: z.boolean() }),
  },
  /**
   * Who loses something when an administrator takes a listing away: all who have bid on its auction, if that was cancelled, or the winner whose lot is
   * neither paid nor given up.
   */
  listBidders: {
    name: 'list-bidders',
    body: z.object({ productId: ProductId }),
    /** At most {@link BIDDERS_MAX}, those who bid last. */
    answer: z.object({ userIds: z.array(UserId) }),
  },
} as const
