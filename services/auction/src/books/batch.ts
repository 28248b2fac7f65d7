import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import type { KnownAuction } from '../domain.ts'
import type { Book } from './book.ts'
import type { Command } from './command.ts'

/** An event on its way into the log. */
export interface PendingEvent {
  readonly book: Book
  readonly eventId: string
  readonly version: number
  readonly event: AuctionEvent
  /** Who acted, for events whose data does not say it; `null` for bids and for the owner's own doing. */
  readonly actorId: number | null
  /** Shown in the frame of a bid; not stored. */
  readonly bidderName: string
  /** The trace that it belongs to; stored with all but bids. */
  readonly traceparent: string | null
}

/** What one transaction will write, and who waits for it. */
export class Batch {
  readonly events: PendingEvent[] = []
  /** The state of each touched auction after the batch. */
  readonly states = new Map<Book, KnownAuction>()
  /** Of the auctions with an event that is no bid: the state after the last such event, which their row will say. */
  readonly terms = new Map<Book, KnownAuction>()
  /** Whoever is answered once the batch is committed, in the order of arrival: what it accepted, and refusals that rest on it. */
  readonly commands: Command[] = []
  /** Those of them whose events these are. */
  readonly writers: Command[] = []
  /** Told when everything up to this batch is committed. */
  readonly barriers: (() => void)[] = []
  /** The traces that its commands belong to. */
  readonly traceparents = new Set<string>()

  get isEmpty(): boolean {
    return this.events.length === 0 && this.commands.length === 0 && this.barriers.length === 0
  }

  /** The partitions of the auctions that it touches. */
  parts(): Set<number> {
    const parts = new Set<number>()
    for (const book of this.states.keys()) parts.add(book.part)
    return parts
  }
}

/** Two parts of these commands, each with fewer of those that write. */
export function halvesOf<Any extends Command>(commands: readonly Any[], writers: readonly Any[]): [Any[], Any[]] {
  const middle = writers[Math.floor(writers.length / 2)]
  const cut = middle === undefined ? commands.length : commands.indexOf(middle)
  return [commands.slice(0, cut), commands.slice(cut)]
}
