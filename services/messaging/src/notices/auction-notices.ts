import type { NoticeKind } from '@wangian/contracts/notices.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { type BulkEventHandlers, dataOf } from '@wangian/kit/log/event-handlers.ts'
import type { Announcement } from './announcement-store.ts'
import { insertBidders, type MovedRow, saveAuctions, saveLastBids, saveOutcomes } from './auction-store.ts'
import type { Telling } from './notice-store.ts'
import type { Teller } from './teller.ts'

/** What people are told of auctions, and what is known of auctions for that. A page of bids takes as many statements as one bid. */
export function auctionNotices(teller: Teller): BulkEventHandlers<'auction'> {
  return {
    AuctionOpened: (transaction, events) => saveAuctions(transaction, events.map(dataOf)),
    AuctionRevised: (transaction, events) => saveAuctions(transaction, events.map(dataOf)),

    async BidPlaced(transaction, events) {
      const bids = events.map(dataOf)
      const bidsOf = Map.groupBy(bids, ({ auctionId }) => auctionId)
      const last = [...bidsOf.values()].flatMap((own) => own.slice(-1))
      const moved = await saveLastBids(transaction, last)
      await insertBidders(transaction, bids)
      const turns = moved.map((auction) => turnOf(auction, bidsOf.get(auction.auctionId) ?? []))
      await teller.tell(
        transaction,
        turns.flatMap(({ auctionId, productId, loserIds, at }) =>
          loserIds.map((userId) => about({ auctionId, productId, at }, userId, 'outbid')),
        ),
      )
      await teller.settle(
        transaction,
        turns.map(({ leaderId, auctionId }) => ({ userId: leaderId, topic: 'auction', topicId: auctionId })),
        ['outbid'],
      )
    },

    async AuctionEnded(transaction, events) {
      const ended = events.map(dataOf)
      await saveOutcomes(transaction, ended)
      await teller.tell(
        transaction,
        ended.flatMap(({ auctionId, productId, sellerId, winnerId, endedAt }) => {
          const auction = { auctionId, productId, at: endedAt }
          return [
            about(auction, sellerId, winnerId === null ? 'auction-unsold' : 'auction-sold'),
            ...(winnerId === null ? [] : [about(auction, winnerId, 'auction-won')]),
          ]
        }),
      )
      await teller.announce(
        transaction,
        ended.map(({ auctionId, productId, sellerId, winnerId, endedAt: at }) =>
          toWatchers({ auctionId, productId, at }, 'auction-lost', [sellerId, winnerId]),
        ),
      )
    },

    async AuctionCancelled(transaction, events) {
      const cancelled = events.map(({ data, metadata }) => ({
        ...data,
        at: data.cancelledAt,
        actorId: metadata.actorId,
      }))
      await saveOutcomes(
        transaction,
        cancelled.map(({ auctionId }) => ({ auctionId, outcome: 'cancelled' })),
      )
      await teller.tell(
        transaction,
        cancelled
          .filter(({ sellerId, actorId }) => sellerId !== actorId)
          .map((auction) => about(auction, auction.sellerId, 'auction-cancelled')),
      )
      await teller.announce(
        transaction,
        cancelled.map((auction) => toWatchers(auction, 'auction-cancelled', [auction.sellerId, auction.actorId])),
      )
    },
  }
}

/** Who leads an auction after some of its bids, and who did before or has tried to meanwhile. */
function turnOf(
  { auctionId, productId, formerLeaderId, formerSeq }: MovedRow,
  bids: readonly { readonly seq: number; readonly bidderId: number; readonly placedAt: string }[],
) {
  const fresh = bids.filter(({ seq }) => seq > formerSeq)
  const last = fresh.at(-1)
  invariant(last !== undefined, 'an auction goes on with a bid')
  const losers = new Set(fresh.map(({ bidderId }) => bidderId))
  if (formerLeaderId !== null) losers.add(formerLeaderId)
  losers.delete(last.bidderId)
  return { auctionId, productId, leaderId: last.bidderId, loserIds: [...losers], at: last.placedAt }
}

interface Subject {
  readonly auctionId: number
  readonly productId: number
  readonly at: string
}

/** For all who watch it, but for those who are told otherwise, or nothing. */
function toWatchers(
  { auctionId, productId, at }: Subject,
  kind: NoticeKind,
  others: readonly (number | null)[],
): Announcement {
  return {
    topic: 'auction',
    topicId: auctionId,
    audience: 'watchers',
    kind,
    otherId: null,
    productId,
    price: null,
    at,
    exceptIds: others.filter((id) => id !== null),
  }
}

function about({ auctionId, productId, at }: Subject, userId: number, kind: NoticeKind): Telling {
  return { userId, topic: 'auction', topicId: auctionId, kind, otherId: null, productId, at }
}
