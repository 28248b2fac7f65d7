import { invariant } from '@wangian/kit/invariant.ts'
import type { Batch, PendingEvent } from '../books/batch.ts'
import type { Book } from '../books/book.ts'
import type { KnownAuction } from '../domain.ts'
import { liveMessages, stateMessage } from './frames.ts'

/** How long bids on an auction that nobody watches wait to be told together. Whoever comes to watch it may see its next bid so much later, once. */
export const UNHEARD_TOLD_EVERY_MS = 250
/** So many bids are kept until they are told; of an auction that has more its state is. */
const UNTOLD_BIDS_MAX = 4

/** What of an auction was not told yet. */
interface Untold {
  /** `null` for too many. */
  bids: PendingEvent[] | null
  state: KnownAuction
}

/**
 * Tells watchers what committed batches did, auction by auction and in order. Most of a thousand auctions have bidders and nobody who looks on, and to
 * write and send a message for each of their batches would be a quarter of an owner's work. So whoever publishes is told when nobody heard a message,
 * and what happens on that auction next is told together, a moment later, for whoever may have come; if nobody has, so it goes on.
 */
export class LiveFeed {
  readonly #publish: (auctionId: number, message: string) => void
  readonly #nowMs: () => number
  readonly #unheard = new Set<number>()
  readonly #untold = new Map<number, Untold>()
  #timer: NodeJS.Timeout | null = null

  /** @param options `nowMs`: the clock of auctions, epoch ms */
  constructor(options: { publish: (auctionId: number, message: string) => void; nowMs: () => number }) {
    this.#publish = options.publish
    this.#nowMs = options.nowMs
  }

  /** The batch is in the log. Whatever is not a bid, such as an end, is told at once. */
  tell(batch: Batch): void {
    const nowMs = this.#nowMs()
    const isHeld = (book: Book) => this.#unheard.has(book.auctionId) && !batch.terms.has(book)
    const eventsOf = new Map<Book, PendingEvent[]>()
    for (const pending of batch.events) {
      const { book } = pending
      const list = eventsOf.get(book)
      if (list !== undefined) list.push(pending)
      else if (isHeld(book)) this.#hold(pending, stateAfter(batch, book))
      else eventsOf.set(book, [pending])
    }
    for (const [book, events] of eventsOf) this.#tell(events, stateAfter(batch, book), nowMs)
  }

  /** Nobody heard a message of this auction. */
  unheard(auctionId: number): void {
    this.#unheard.add(auctionId)
  }

  /** Tells what waits to be told: somebody else may speak of these auctions next. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const nowMs = this.#nowMs()
    for (const { state } of [...this.#untold.values()]) this.#tell([], state, nowMs)
  }

  /** These auctions are somebody else's, or over. */
  forget(auctionIds: readonly number[]): void {
    for (const auctionId of auctionIds) this.#unheard.delete(auctionId)
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #hold(bid: PendingEvent, state: KnownAuction): void {
    const untold = this.#untold.get(state.auctionId)
    if (untold === undefined) this.#untold.set(state.auctionId, { bids: [bid], state })
    else {
      untold.state = state
      if (untold.bids !== null && untold.bids.push(bid) > UNTOLD_BIDS_MAX) untold.bids = null
    }
    this.#timer ??= setTimeout(() => this.flush(), UNHEARD_TOLD_EVERY_MS).unref()
  }

  #tell(events: readonly PendingEvent[], state: KnownAuction, nowMs: number): void {
    const { auctionId } = state
    const untold = this.#untold.get(auctionId)
    this.#untold.delete(auctionId)
    this.#unheard.delete(auctionId)
    if (untold?.bids === null) this.#publish(auctionId, stateMessage(untold.state, nowMs))
    const told = untold?.bids ? [...untold.bids, ...events] : events
    if (told.length === 0) return
    for (const message of liveMessages(told, state, nowMs)) this.#publish(auctionId, message)
  }
}

function stateAfter(batch: Batch, book: Book): KnownAuction {
  const state = batch.states.get(book)
  invariant(state !== undefined, 'a batch has the state of each auction of its events')
  return state
}
