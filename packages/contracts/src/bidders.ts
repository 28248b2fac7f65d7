import { z } from 'zod'
import { ADMIN_ROWS_MAX, Named } from './admin.ts'
import { route } from './route.ts'
import { Instant } from './time.ts'

/** Fewer bids say nothing about anybody. */
export const SUSPECTED_BIDS_MIN = 10
/** Of somebody's bids, more than this must be on one seller. */
export const SUSPECTED_SHARE_PERCENT = 70

/** Somebody who may bid to drive up prices: nearly always on one seller, and has never won anything. It proves nothing by itself. */
export const SuspectedBidder = z
  .object({
    bidder: Named,
    /** Whose auctions they nearly always bid on. */
    seller: Named,
    bidsOnSeller: z.int().positive(),
    bidsInAll: z.int().positive(),
    /** Of all their bids, those on this seller; with one decimal. */
    sharePercent: z.number().min(SUSPECTED_SHARE_PERCENT).max(100),
    /** On this seller. */
    lastBidAt: Instant,
  })
  .meta({ id: 'SuspectedBidder' })
export type SuspectedBidder = z.infer<typeof SuspectedBidder>

/** Of catalogue, which knows whose every auction is and who has won it. */
export const bidderRoutes = {
  listSuspectedBidders: route({
    method: 'GET',
    path: '/api/admin/suspected-bidders',
    access: 'admin',
    summary: `Who has bid at least ${SUSPECTED_BIDS_MIN} times, more than ${SUSPECTED_SHARE_PERCENT} % of it on one seller, and has won nothing; who bids most first`,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(ADMIN_ROWS_MAX).optional(),
      /** Of the page before. */
      cursor: z.string().max(200).optional(),
    }),
    answers: { 200: z.array(SuspectedBidder) },
  }),
} as const
