import { z } from 'zod'
import { AuctionId, Id, IdParam } from './ids.ts'
import { Correspondent, MessageProduct } from './messaging.ts'
import { Ringgit } from './money.ts'
import { route } from './route.ts'
import { Instant } from './time.ts'

/** A page of notices has at most so many. */
export const NOTICES_AT_ONCE_MAX = 100

/** Somebody watches at most so many auctions. */
export const WATCHES_MAX = 500

/** Whoever watches an auction is told so long before its end. */
export const ENDING_NOTICE_MS = 60 * 60 * 1000

/** How long a notice is kept. */
export const NOTICE_DAYS_MAX = 30

/** What a notice says. Of one thing, such as an auction, somebody has one notice, which says the newest. */
export const NoticeKind = z.enum([
  'outbid',
  'auction-ending',
  'auction-won',
  /** To the winner: the seller keeps it for them no longer. */
  'lot-released',
  /** It has ended, and somebody else has won it, or nobody. */
  'auction-lost',
  /** To the seller: with a winner, or without. */
  'auction-sold',
  'auction-unsold',
  'auction-cancelled',
  'message',
  'deal-offered',
  'deal-purchased',
  'deal-paid',
  'deal-shipped',
  'deal-delivered',
  'deal-reminder',
  'deal-cancelled',
  'review',
  'listing-removed',
  /** Of a favourite. */
  'price-drop',
])
export type NoticeKind = z.infer<typeof NoticeKind>

/** Something that has happened to somebody, for them alone. What it says of an auction, a deal or a conversation is how that is now. */
export const Notice = z
  .object({
    /** Grows with everything that is told: when a notice says something new, it has another one. */
    id: Id,
    /** What it is about, such as `auction-7`: the same one replaces what was told of it before. */
    key: z.string(),
    kind: NoticeKind,
    at: Instant,
    isRead: z.boolean(),
    /** Who has done it, where that matters. */
    user: Correspondent.nullable(),
    product: MessageProduct.nullable(),
    auction: z
      .object({
        id: AuctionId,
        /** The highest bid. */
        amount: Ringgit.nullable(),
        endsAt: Instant,
        isLeading: z.boolean(),
        outcome: z.enum(['won', 'no-bids', 'reserve-not-met', 'winner-unavailable', 'cancelled']).nullable(),
      })
      .nullable(),
    deal: z
      .object({
        id: Id,
        amount: Ringgit,
        role: z.enum(['buyer', 'seller']),
        rating: z.number().min(0).max(5).nullable(),
      })
      .nullable(),
    /** Of a favourite that costs less than before. */
    price: z.object({ now: Ringgit, before: Ringgit }).nullable(),
    /** How many messages of the conversation are not read. */
    unreadMessages: z.int().min(0).nullable(),
  })
  .meta({ id: 'Notice' })
export type Notice = z.infer<typeof Notice>

const Watch = z.object({ isWatching: z.boolean() })
const watchedAuction = { params: z.object({ auctionId: IdParam }) }

const Unread = z.object({ count: z.int().min(0) })

export const noticeRoutes = {
  listNotices: route({
    method: 'GET',
    path: '/api/notices',
    access: 'signed-in',
    summary: 'What has happened to the caller, the latest first',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(NOTICES_AT_ONCE_MAX).optional(),
      /** The lowest id of the page before. */
      cursor: IdParam.optional(),
    }),
    answers: { 200: z.array(Notice) },
  }),
  countNotices: route({
    method: 'GET',
    path: '/api/notices/unread-count',
    access: 'signed-in',
    summary: 'How many notices the caller has not read',
    answers: { 200: Unread },
  }),
  /** Whoever has bid watches, until they say otherwise. */
  getWatch: route({
    method: 'GET',
    path: '/api/watches/:auctionId',
    access: 'signed-in',
    summary: 'Whether the caller watches an auction',
    ...watchedAuction,
    answers: { 200: Watch },
    refusals: ['auction-not-found'],
  }),
  watchAuction: route({
    method: 'PUT',
    path: '/api/watches/:auctionId',
    access: 'signed-in',
    summary: 'From now on the caller is told when the auction is about to end, and how it has ended',
    ...watchedAuction,
    answers: { 200: Watch },
    refusals: ['auction-not-found', 'watches-full'],
  }),
  unwatchAuction: route({
    method: 'DELETE',
    path: '/api/watches/:auctionId',
    access: 'signed-in',
    summary: 'The same no longer; whoever has bid still hears when they are outbid and whether they have won',
    ...watchedAuction,
    answers: { 200: Watch },
    refusals: ['auction-not-found'],
  }),
  /** One, or with `upTo` all up to it; what has been told since stays unread. */
  readNotices: route({
    method: 'POST',
    path: '/api/notices/read',
    access: 'signed-in',
    summary: 'Marks notices of the caller as read, and says how many are left',
    body: z.union([z.object({ id: Id }), z.object({ upTo: Id })]),
    answers: { 200: Unread },
  }),
} as const

/** What the server sends of notices, to all sockets of a person. */
export const noticeServerFrames = {
  /** Something was told, or something that was told is of no concern any more. `unread` counts all. */
  notice: z.object({ type: z.literal('notice'), notice: Notice, unread: z.int().min(0) }),
  /** Some were read, here or elsewhere. */
  notices_read: z.object({ type: z.literal('notices_read'), unread: z.int().min(0) }),
} as const
