import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import { auctionPartition } from '@wangian/contracts/subjects.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { isRefusal } from '@wangian/kit/log/decider.ts'
import { newEventId } from '@wangian/kit/log/event-store.ts'
import type { Auction, AuctionCommand, AuctionDecider, AuctionRefusal, KnownAuction } from '../domain.ts'
import { Batch } from './batch.ts'
import { Book } from './book.ts'
import { accepted, type Command, refused, type SuspendedByTheEnd, type Verdict } from './command.ts'

/** Events per transaction. Beyond it throughput grows little and the first bidder of the batch waits for the last. */
const BATCH_EVENTS_MAX = 1024
/** Events waiting for a transaction; beyond them bids are refused as `busy` at once. */
const QUEUED_EVENTS_MAX = 4096

/**
 * Where the `tentative` verdict of a judged command stands: it rests on a batch, or it is final, or it cannot be known here because the
 * auction is not in memory.
 */
export type Judgement = Batch | 'final' | 'unknown'

/**
 * The open auctions in memory and the batches of events that they wait for. Commands are judged against the books' heads; all events of a
 * command travel in one batch. Nothing here waits, writes or tells anybody.
 */
export class Books {
  readonly #decider: AuctionDecider
  readonly #suspendedSinceMs: (userId: number) => number | null
  readonly #books = new Map<number, Book>()
  /** Batches in the order in which they will be committed; the last one is still gathering. */
  #queue: Batch[] = [new Batch()]
  #queuedEvents = 0

  /** @param suspendedSinceMs since when somebody is banned or gone; `null` for who is not */
  constructor(decider: AuctionDecider, suspendedSinceMs: (userId: number) => number | null) {
    this.#decider = decider
    this.#suspendedSinceMs = suspendedSinceMs
  }

  get size(): number {
    return this.#books.size
  }

  /** Events that wait for a transaction. */
  get queuedEvents(): number {
    return this.#queuedEvents
  }

  /** Whether there is nothing to commit. */
  get isIdle(): boolean {
    return this.#queue[0]?.isEmpty !== false
  }

  /** The batches that were not taken yet, the one that is gathering last. */
  get queued(): readonly Batch[] {
    return this.#queue
  }

  find(auctionId: number): Book | undefined {
    return this.#books.get(auctionId)
  }

  /** A book that is here already knows what is pending, and was read no earlier. Returns the auctions that were not here. */
  add(auctions: readonly KnownAuction[]): KnownAuction[] {
    const added = auctions.filter(({ auctionId }) => !this.#books.has(auctionId))
    for (const auction of added) this.#books.set(auction.auctionId, bookOf(auction.auctionId, auction))
    return added
  }

  /** Forgets the auctions of these partitions, with whatever is pending. Returns their ids. */
  remove(parts: { has(part: number): boolean }): number[] {
    const removed: number[] = []
    for (const book of this.#books.values()) if (parts.has(book.part)) removed.push(book.auctionId)
    for (const auctionId of removed) this.#books.delete(auctionId)
    return removed
  }

  /** Judges a command against the head of its book; what it accepts is in the book and in a batch afterwards. */
  judge(command: Command, nowMs: number): Judgement {
    const known = this.#books.get(command.auctionId)
    const head = known?.head ?? this.#decider.initialState
    const asked = this.#asked(command, head, nowMs)
    const decision = this.#decider.decide(asked, head)
    if (known === undefined) {
      // Only an auction that is opened now is new; any other that is not in memory is over, or never was.
      if (isRefusal(decision) || decision.length === 0) return 'unknown'
    } else if (isRefusal(decision)) return this.#refuse(command, asked, decision, known)
    else if (decision.length === 0) {
      command.tentative = accepted(0)
      return waitFor(known.pendingBatch, command)
    }
    if (command.kind === 'bid' && this.#queuedEvents >= QUEUED_EVENTS_MAX) {
      command.tentative = refused('busy')
      return 'final'
    }
    const batch = this.#append(known ?? this.#open(command.auctionId), decision, command)
    command.tentative = accepted(seqOf(decision))
    return waitFor(batch, command)
  }

  /** What a command to an auction that is not in memory comes to: it is over, or it never was. */
  judgeClosed(command: Command, state: Auction, nowMs: number): Verdict {
    const decision = this.#decider.decide(this.#asked(command, state, nowMs), state)
    if (isRefusal(decision)) return refused(decision)
    return decision.length === 0 ? accepted(0) : refused('unavailable')
  }

  /** Told when everything that was accepted so far is committed. */
  addBarriers(barriers: readonly (() => void)[]): void {
    this.#gathering.barriers.push(...barriers)
  }

  /** Takes the next batch out of the queue, for its transaction. */
  take(): Batch {
    const batch = this.#queue.shift() ?? new Batch()
    if (this.#queue.length === 0) this.#queue.push(new Batch())
    this.#queuedEvents -= batch.events.length
    return batch
  }

  /** The batch is in the log. */
  commit(batch: Batch): void {
    for (const [book, state] of batch.states) book.commit(batch, state)
  }

  /** Forgets the auctions of a committed batch that are over. Returns their ids. */
  close(batch: Batch): number[] {
    const closed: number[] = []
    for (const [book, state] of batch.states) {
      if (state.status === 'open' || book.pendingBatch !== null) continue
      this.#books.delete(book.auctionId)
      closed.push(book.auctionId)
    }
    return closed
  }

  /** Takes back a batch that was not written, and the queue, which rests on it. Returns what the queue was. */
  takeBack(failed: Batch): readonly Batch[] {
    const queued = this.#queue
    this.#queue = [new Batch()]
    this.#queuedEvents = 0
    // Only what they touched: there may be tens of thousands of books.
    for (const { states } of [failed, ...queued]) {
      for (const book of states.keys()) {
        book.rollBack()
        if (book.committed.status === 'none') this.#books.delete(book.auctionId)
      }
    }
    return queued
  }

  /** What is judged from now on goes into another batch than what was judged before. */
  cut(): void {
    if (!this.#gathering.isEmpty) this.#queue.push(new Batch())
  }

  #asked(command: Command, state: Auction, nowMs: number): AuctionCommand {
    if (command.kind === 'other') return command.build(nowMs, this.#byTheEnd(state))
    const { bidderId, amountSen, bidId } = command
    const isSellerSuspended = state.status !== 'none' && this.#suspendedSinceMs(state.sellerId) !== null
    const isBidderSuspended = this.#suspendedSinceMs(bidderId) !== null
    return { type: 'PlaceBid', bidderId, amountSen, bidId, isBidderSuspended, isSellerSuspended, nowMs }
  }

  /** Whoever was banned later, while the end waited to be recorded, stays who they were at the end. */
  #byTheEnd(state: Auction): SuspendedByTheEnd {
    if (state.status === 'none') return { isSellerSuspended: false, isLeaderSuspended: false }
    const wasSuspended = (userId: number) =>
      (this.#suspendedSinceMs(userId) ?? Number.POSITIVE_INFINITY) <= state.endsAtMs
    const { sellerId, currentBidderId } = state
    return {
      isSellerSuspended: wasSuspended(sellerId),
      isLeaderSuspended: currentBidderId !== null && wasSuspended(currentBidderId),
    }
  }

  /**
   * What the committed state refuses as well is refused at once, for the reason that certainly holds. A refusal that rests on pending
   * events waits for their batch: if that fails, the command is judged again.
   */
  #refuse(command: Command, asked: AuctionCommand, refusal: AuctionRefusal, book: Book): Judgement {
    const certain = book.pendingBatch === null ? refusal : this.#decider.decide(asked, book.committed)
    command.tentative = refused(isRefusal(certain) ? certain : refusal)
    return isRefusal(certain) ? 'final' : waitFor(book.pendingBatch, command)
  }

  #append(book: Book, events: readonly AuctionEvent[], command: Command): Batch {
    const batch = this.#batchFor(events.length)
    const actorId = command.kind === 'other' ? command.actorId : null
    const bidderName = command.kind === 'bid' ? command.bidderName : ''
    const { traceparent } = command
    if (traceparent !== null) batch.traceparents.add(traceparent)
    for (const event of events) {
      const state = this.#decider.evolve(book.head, event)
      invariant(state.status !== 'none', 'an event makes an auction known')
      book.head = state
      batch.events.push({
        book,
        eventId: newEventId(),
        version: state.version,
        event,
        actorId,
        bidderName,
        traceparent,
      })
      batch.states.set(book, state)
      if (event.type !== 'BidPlaced') batch.terms.set(book, state)
    }
    batch.writers.push(command)
    book.pendingBatch = batch
    this.#queuedEvents += events.length
    return batch
  }

  /** The batch that is gathering, or the next one when so many events have no room in it: a command's events are never parted. */
  #batchFor(eventCount: number): Batch {
    const batch = this.#gathering
    if (batch.events.length === 0 || batch.events.length + eventCount <= BATCH_EVENTS_MAX) return batch
    const next = new Batch()
    this.#queue.push(next)
    return next
  }

  get #gathering(): Batch {
    const batch = this.#queue.at(-1)
    invariant(batch !== undefined, 'there is always a batch that gathers')
    return batch
  }

  #open(auctionId: number): Book {
    const book = bookOf(auctionId, this.#decider.initialState)
    this.#books.set(auctionId, book)
    return book
  }
}

function bookOf(auctionId: number, state: Auction): Book {
  return new Book(auctionId, auctionPartition(auctionId), state)
}

function waitFor(batch: Batch | null, command: Command): Judgement {
  if (batch === null) return 'final'
  batch.commands.push(command)
  return batch
}

/** Of a decision: the seq of the bid that was asked for, which is its first event; 0 when it was something else. */
function seqOf(decision: readonly AuctionEvent[]): number {
  const first = decision[0]
  return first?.type === 'BidPlaced' ? first.data.seq : 0
}
