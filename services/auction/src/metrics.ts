import { counter, gauge } from '@wangian/kit/service/metrics.ts'
import type { Owner } from './owner.ts'

const committed = counter({ name: 'wangian_auction_events_committed_total', help: 'Events appended by this owner' })

export function countCommitted(events: number): void {
  committed.inc(events)
}

/** What an operator watches of an owner: its share and its load. */
export function watchOwner(owner: Owner): void {
  gauge({
    name: 'wangian_auction_partitions_held',
    help: 'Partitions that this process owns',
    collect() {
      this.set(owner.epochs.size)
    },
  })
  gauge({
    name: 'wangian_auction_books_open',
    help: 'Auctions in memory',
    collect() {
      this.set(owner.openAuctions)
    },
  })
}
