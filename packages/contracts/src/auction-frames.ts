import { z } from 'zod'
import { AuctionLive, Bid } from './auction.ts'
import { AuctionOutcome } from './catalogue.ts'
import { AuctionId, RequestKey, UserId } from './ids.ts'
import { Ringgit } from './money.ts'
import { Instant } from './time.ts'

/** What a socket may send on the auction channel. */
export const auctionClientFrames = {
  joinAuction: z.object({
    type: z.literal('joinAuction'),
    auctionId: AuctionId,
    /** Ignored: the token says who is asking. */
    userId: z.union([UserId, z.literal('guest')]).optional(),
  }),
  leaveAuction: z.object({
    type: z.literal('leaveAuction'),
    auctionId: AuctionId,
    userId: z.union([UserId, z.literal('guest')]).optional(),
  }),
  placeBid: z.object({
    type: z.literal('placeBid'),
    auctionId: AuctionId,
    /** Compared with the token; a mismatch is refused. */
    userId: UserId.optional(),
    /** Anything: the owner of the auction refuses what is no amount, in its place in the order of checks. */
    amount: z.unknown().optional(),
    /** Ignored: the server's clock decides. */
    timestamp: z.unknown().optional(),
    bidId: RequestKey.optional(),
  }),
} as const

/** A bid as frames carry it. */
export const FrameBid = z.object({
  id: z.int().positive(),
  bidderId: UserId,
  bidderName: z.string(),
  amount: Ringgit,
  placedAt: Instant,
})
export type FrameBid = z.infer<typeof FrameBid>

/** What the server sends on the auction channel. */
export const auctionServerFrames = {
  auctionJoined: z.object({
    type: z.literal('auctionJoined'),
    auctionId: AuctionId,
    auction: AuctionLive,
    bids: z.array(Bid),
    seq: z.int().min(0),
    serverTime: Instant,
  }),
  newBid: z.object({
    type: z.literal('newBid'),
    auctionId: AuctionId,
    bid: FrameBid,
    auction: AuctionLive,
    seq: z.int().positive(),
    serverTime: Instant,
  }),
  newBids: z.object({
    type: z.literal('newBids'),
    auctionId: AuctionId,
    bids: z.array(FrameBid.extend({ seq: z.int().positive() })),
    auction: AuctionLive,
    seq: z.int().positive(),
    serverTime: Instant,
  }),
  auctionState: z.object({
    type: z.literal('auctionState'),
    auctionId: AuctionId,
    auction: AuctionLive,
    seq: z.int().min(0),
    serverTime: Instant,
  }),
  auctionEnded: z.object({
    type: z.literal('auctionEnded'),
    auctionId: AuctionId,
    outcome: AuctionOutcome,
    winnerId: UserId.nullable(),
    amount: Ringgit.nullable(),
    auction: AuctionLive,
    seq: z.int().min(0),
    serverTime: Instant,
  }),
  auctionCancelled: z.object({
    type: z.literal('auctionCancelled'),
    auctionId: AuctionId,
    reason: z.string(),
    auction: AuctionLive,
    seq: z.int().min(0),
    serverTime: Instant,
  }),
  bidAccepted: z.object({
    type: z.literal('bidAccepted'),
    message: z.string(),
    auctionId: AuctionId,
    bidId: RequestKey.optional(),
    amount: Ringgit,
    seq: z.int().positive(),
  }),
} as const
