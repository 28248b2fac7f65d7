import type { NoticeKind } from '@wangian/contracts/notices.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { type BulkEventHandlers, dataOf } from '@wangian/kit/log/event-handlers.ts'
import { insertBidders, type MovedRow, saveAuctions, saveLastBids, saveOutcomes } from './auction-store.ts'
import type { Telling } from './notice-store.ts'
import type { Teller } from './teller.ts'
import { listWatchers } from './watch-store.ts'

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
      const others = await watchersOf(transaction, ended)
      await teller.tell(
        transaction,
        ended.flatMap(({ auctionId, productId, sellerId, winnerId, endedAt }) => {
          const auction = { auctionId, productId, at: endedAt }
          const losers = others(auctionId).filter((userId) => userId !== winnerId && userId !== sellerId)
          return [
            about(auction, sellerId, winnerId === null ? 'auction-unsold' : 'auction-sold'),
            ...(winnerId === null ? [] : [about(auction, winnerId, 'auction-won')]),
            ...losers.map((userId) => about(auction, userId, 'auction-lost')),
          ]
        }),
      )
    },

    async AuctionCancelled(transaction, events) {
      const cancelled = events.map(dataOf)
      await saveOutcomes(
        transaction,
        cancelled.map(({ auctionId }) => ({ auctionId, outcome: 'cancelled' })),
      )
      const others = await watchersOf(transaction, cancelled)
      await teller.tell(
        transaction,
        events.flatMap(({ data: { auctionId, productId, sellerId, cancelledAt }, metadata: { actorId } }) =>
          [...new Set([sellerId, ...others(auctionId)])]
            .filter((userId) => userId !== actorId)
            .map((userId) => about({ auctionId, productId, at: cancelledAt }, userId, 'auction-cancelled')),
        ),
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

async function watchersOf(transaction: Transaction, auctions: readonly { readonly auctionId: number }[]) {
  const rows = await listWatchers(
    transaction,
    auctions.map(({ auctionId }) => auctionId),
  )
  const byAuction = Map.groupBy(rows, ({ auctionId }) => auctionId)
  return (auctionId: number) => (byAuction.get(auctionId) ?? []).map(({ userId }) => userId)
}

function about(
  { auctionId, productId, at }: { readonly auctionId: number; readonly productId: number; readonly at: string },
  userId: number,
  kind: NoticeKind,
): Telling {
  return { userId, topic: 'auction', topicId: auctionId, kind, otherId: null, productId, at }
}
