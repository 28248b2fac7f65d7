import { z } from 'zod'
import { defineEvent, type EventOf, type PublishedEventOf, type StoredData } from './definition.ts'
import { count, id, instant, sen } from './fields.ts'

/** The terms a seller sets. The reserve is for the owner and admins, who ask the auction service. */
const terms = z.object({
  auctionId: id,
  productId: id,
  sellerId: id,
  startingPriceSen: sen,
  reserveSen: sen.nullable(),
  buyNowSen: sen.nullable(),
  incrementSen: sen,
  startsAt: instant,
  endsAt: instant,
})

/** What happened to auctions. The stream is `auction-<id>`. */
export const auctionEvents = {
  AuctionOpened: defineEvent({ data: terms.extend({ openedAt: instant }), privateFields: ['reserveSen'] }),
  AuctionRevised: defineEvent({ data: terms.extend({ revisedAt: instant }), privateFields: ['reserveSen'] }),
  /** `seq` counts the accepted bids of the auction from 1; `bidId` is the bidder's own id of the bid. */
  BidPlaced: defineEvent({
    data: z.object({
      auctionId: id,
      seq: count,
      bidderId: id,
      amountSen: sen,
      bidId: z.string().nullable(),
      placedAt: instant,
    }),
  }),
  AuctionEnded: defineEvent({
    version: 2,
    data: z.object({
      auctionId: id,
      productId: id,
      sellerId: id,
      /** `winner-unavailable`: whoever made the highest bid was banned or had left by the end. */
      outcome: z.enum(['won', 'no-bids', 'reserve-not-met', 'winner-unavailable']),
      winnerId: id.nullable(),
      /** Who made the highest bid, whether they won or not. */
      leaderId: id.nullable(),
      amountSen: sen.nullable(),
      bidCount: count,
      endedAt: instant,
    }),
    // Before, nobody but the winner was noted.
    upcasts: { 1: (data) => ({ ...data, leaderId: data['winnerId'] ?? null }) },
  }),
  AuctionCancelled: defineEvent({
    data: z.object({ auctionId: id, productId: id, sellerId: id, reason: z.string(), cancelledAt: instant }),
    privateFields: ['reason'],
  }),
} as const
export type AuctionEvent = EventOf<typeof auctionEvents>
export type PublishedAuctionEvent = PublishedEventOf<typeof auctionEvents>
export type AuctionOutcome = StoredData<typeof auctionEvents.AuctionEnded>['outcome']
