import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { counter, DURATION_BUCKETS_S, distribution, gauge, tally } from '@wangian/kit/service/metrics.ts'
import type { Verdict } from '../books/command.ts'
import type { Owner } from './owner.ts'

const MS_PER_S = 1000

const bids = tally<'accepted' | ErrorCode>({
  name: 'wangian_auction_bids_total',
  help: 'Bids that this owner has answered: accepted, or why not',
  label: 'outcome',
})
const batchEvents = distribution({
  name: 'wangian_auction_batch_events',
  help: 'Events of one commit',
  buckets: [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
})
const commits = distribution({
  name: 'wangian_auction_commit_seconds',
  help: 'From sending a batch to Postgres to its answer',
  buckets: DURATION_BUCKETS_S,
})
const acks = distribution({
  name: 'wangian_auction_ack_seconds',
  help: 'From the arrival of a command at the owner to the answer that it is durable',
  buckets: DURATION_BUCKETS_S,
})
const failures = counter({
  name: 'wangian_auction_commit_failures_total',
  help: 'Batches that were not, or not certainly, written',
})
const committed = counter({ name: 'wangian_auction_events_committed_total', help: 'Events appended by this owner' })

/** A bid has got its answer. */
export function countBid({ refusal }: Verdict): void {
  bids.add(refusal ?? 'accepted')
}

/** A batch is durable. Renewals that go alone count as batches of nothing. */
export function countCommit(events: number, durationMs: number): void {
  batchEvents.observe(events)
  commits.observe(durationMs / MS_PER_S)
  committed.inc(events)
}

export function countFailure(): void {
  failures.inc()
}

/** These commands are answered now, by the monotonic clock; each says when it came. */
export function countAcks(commands: readonly { readonly receivedAtMs: number }[], nowMs: number): void {
  for (const { receivedAtMs } of commands) {
    // What the owner asks of itself came from nowhere.
    if (receivedAtMs <= nowMs) acks.observe((nowMs - receivedAtMs) / MS_PER_S)
  }
}

/** What an operator watches of an owner: its share and its load. */
export function watchOwner(owner: Owner): void {
  const watched = {
    partitions_held: ['Partitions that this process owns', () => owner.epochs.size],
    books_open: ['Auctions in memory', () => owner.openAuctions],
    events_waiting: ['Events that wait for a commit', () => owner.waitingEvents],
    lease_age_seconds: [
      'How long ago all leases were renewed; they run out after 1.5',
      () => owner.leaseAgeMs / MS_PER_S,
    ],
  } as const
  for (const [name, [help, read]] of Object.entries(watched)) {
    gauge({
      name: `wangian_auction_${name}`,
      help,
      collect() {
        this.set(read())
      },
    })
  }
}
