import type { BidRefusal } from '@wangian/contracts/auction-wire.ts'
import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import { auctionPartition } from '@wangian/contracts/subjects.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { newEventId } from '@wangian/kit/log/event-store.ts'
import { Batch, type PendingEvent } from './batch.ts'
import { BidMemory } from './bid-memory.ts'
import { Book } from './book.ts'
import type { BidCommand, BidVerdict, BidWaiter, Command, OrderCommand } from './command.ts'
import {
  type Auction,
  bidPlaced,
  decide,
  evolve,
  isoFromMs,
  judgeBid,
  type KnownAuction,
  minimumBidSen,
} from './domain.ts'
import { EndTimers } from './end-timers.ts'
import { liveMessages } from './frames.ts'
import { type AuctionLog, CommitFailed, type Epochs } from './log-port.ts'

/** Events per transaction. Beyond it throughput grows little and the first bidder of the batch waits for the last. */
const BATCH_EVENTS_MAX = 1024
/** Events waiting for a transaction; beyond them bids are refused as `busy` at once. */
const QUEUED_EVENTS_MAX = 4096
/** Commands that wait while the owner recovers. */
const PARKED_MAX = 4096
/** Every command is answered by then, with whatever is certain (promise P8 allows 5 s with the way back). */
const ANSWER_WITHIN_MS = 4000
const SWEEP_EVERY_MS = 200
const RECOVERIES_IN_A_ROW_MAX = 3
const RECOVERY_PAUSE_MS = 100
/** A lease that is not renewed for this long may be taken by another process. */
export const LEASE_TTL_MS = 1500

const nobody: BidWaiter = { settleBid: () => {} }

/** The parts of the world that the owner touches. */
export interface OwnerPorts {
  readonly log: AuctionLog
  readonly clock: { nowMs(): number }
  readonly publishLive: (auctionId: number, message: string) => void
  /** Another process holds one of our partitions: nothing in memory may be trusted any more. */
  /** Whether somebody is banned or gone: they cannot bid, and their auctions take no bids. */
  readonly isSuspended: (userId: number) => boolean
  readonly onFenced: () => void
  readonly onCommitted: (events: number) => void
  readonly onTrouble: (message: string, error: unknown) => void
  /** Test hooks around each commit, by its number from 1 (promises F3 and F4). */
  readonly failpoint?: (where: 'before_commit' | 'after_commit', batchNumber: number) => void
}

/**
 * The single writer of the auctions in the partitions that this process holds. Commands are judged at once against books in memory and
 * gathered; one transaction is in flight at a time and what arrives meanwhile is the next (group commit without a timer). Nobody is
 * answered, and nothing is shown, on the strength of a state that is not committed.
 */
export class Owner {
  readonly #ports: OwnerPorts
  readonly #books = new Map<number, Book>()
  readonly #memory = new BidMemory()
  readonly #timers: EndTimers
  readonly #sweep: NodeJS.Timeout
  #epochs = new Map<number, number>()
  #mode: 'serving' | 'recovering' | 'stopped' = 'serving'
  /** Batches in the order in which they will be committed; the last one is still gathering. */
  #queue: Batch[] = [new Batch()]
  #queuedEvents = 0
  #inFlight: Batch | null = null
  #parked: Command[] = []
  #renewals: (() => void)[] = []
  #batchNumber = 0
  #recoveriesInARow = 0
  #lookups: Command[] = []
  /** Bids that were asked about in Postgres and not answered yet. */
  readonly #lookedUp = new Set<BidCommand>()
  /** Partitions that are being handed over: nothing new is taken for them. */
  readonly #leaving = new Set<number>()
  /** When the transaction that last renewed all leases was sent, on the monotonic clock. */
  #renewedAtMs = Number.NEGATIVE_INFINITY

  constructor(ports: OwnerPorts) {
    this.#ports = ports
    this.#timers = new EndTimers(
      () => ports.clock.nowMs(),
      (auctionId) => this.#endAuction(auctionId),
    )
    this.#sweep = setInterval(() => this.#answerOverdue(), SWEEP_EVERY_MS)
    this.#sweep.unref()
  }

  get epochs(): Epochs {
    return this.#epochs
  }

  get openAuctions(): number {
    return this.#books.size
  }

  /** Serves these partitions from now on; their open auctions are loaded first. `claimedAtMs` is monotonic: when the claim was sent. */
  async addPartitions(epochs: Epochs, claimedAtMs: number): Promise<void> {
    // Held only once their books are here: if they cannot be loaded, the next round claims these partitions again.
    const auctions = await this.#ports.log.loadOpen([...epochs.keys()])
    if (this.#epochs.size === 0) this.#renewedAtMs = claimedAtMs
    for (const [part, epoch] of epochs) this.#epochs.set(part, epoch)
    this.#addBooks(auctions)
  }

  /**
   * Takes nothing more for these partitions, waits until everything accepted so far is committed or refused, and forgets them.
   * Returns the epochs under which they were held.
   */
  async removePartitions(parts: readonly number[]): Promise<Epochs> {
    for (const part of parts) this.#leaving.add(part)
    await new Promise<void>((resolve) => {
      this.#queue.at(-1)?.barriers.push(resolve)
      this.#kick()
    })
    const released = new Map<number, number>()
    for (const part of parts) {
      const epoch = this.#epochs.get(part)
      if (epoch !== undefined) released.set(part, epoch)
      this.#epochs.delete(part)
      this.#leaving.delete(part)
    }
    for (const book of this.#books.values()) if (released.has(book.part)) this.#books.delete(book.auctionId)
    return released
  }

  /** Renews every lease with the next transaction; resolves when that one is committed. */
  renew(): Promise<void> {
    return new Promise((resolve) => {
      this.#renewals.push(resolve)
      this.#kick()
    })
  }

  stop(): void {
    this.#mode = 'stopped'
    clearInterval(this.#sweep)
    this.#timers.stop()
  }

  /** Judges a bid; its waiter is told the verdict, at once or when the batch that it rests on is committed. */
  submit(command: Command): void {
    if (this.#mode === 'stopped') this.#refuse(command, 'unavailable')
    else if (command.kind === 'bid' && command.bidId !== null && this.#isRepeated(command)) return
    else if (this.#mode === 'serving' && this.#isLeaseFresh) this.#judge(command)
    else if (this.#parked.length < PARKED_MAX) this.#parked.push(command)
    else this.#refuse(command, 'busy')
  }

  /**
   * Whether the leases cannot have run out yet. Not for safety, the epoch check sees to that: an owner that was paused must not refuse a
   * bid by a book that has become history (promise P8).
   */
  get #isLeaseFresh(): boolean {
    return performance.now() - this.#renewedAtMs < LEASE_TTL_MS
  }

  /** Starts a transaction if none is in flight; called after a group of commands was submitted. */
  flush(): void {
    this.#kick()
  }

  #judge(command: Command): void {
    if (command.kind === 'bid') this.#judgeBid(command)
    else this.#judgeOrder(command)
  }

  #judgeBid(command: BidCommand): void {
    if (!this.#holds(command.auctionId)) return this.#settleBid(command, refused('unavailable'))
    const book = this.#books.get(command.auctionId)
    if (book === undefined) return this.#lookUp(command)
    const nowMs = this.#ports.clock.nowMs()
    const refusal = this.#refusalOf(book.head, command, nowMs)
    if (refusal !== null) return this.#refuseBid(command, book, refusal, nowMs)
    if (this.#queuedEvents >= QUEUED_EVENTS_MAX) return this.#settleBid(command, refused('busy'))
    if (book.head.status !== 'open') throw new Error('only an open auction accepts a bid')
    const { bidderId, amountSen, bidId, bidderName } = command
    const event = bidPlaced(book.head, bidderId, amountSen, bidId, isoFromMs(nowMs))
    const batch = this.#append(book, event, null, bidderName)
    command.tentative = { seq: event.data.seq, refusal: null, minimumSen: 0 }
    if (bidId !== null) this.#memory.remember(command)
    batch.commands.push(command)
  }

  #refusalOf(state: Auction, { bidderId, amountSen }: BidCommand, nowMs: number): BidRefusal | null {
    return judgeBid(state, bidderId, amountSen, nowMs, this.#ports.isSuspended)
  }

  /** A retry of a bid that is known here gets the first answer, or waits for it, whatever state the owner is in. */
  #isRepeated(command: BidCommand): boolean {
    const first = this.#memory.find(command)
    if (first === undefined || first === command) return false
    if (first.verdict !== null) command.waiter.settleBid(command.index, first.verdict)
    else {
      first.others ??= []
      first.others.push({ waiter: command.waiter, index: command.index })
      // One that was parked came earlier than the first that is remembered; both are answered in the earlier one's time.
      first.receivedAtMs = Math.min(first.receivedAtMs, command.receivedAtMs)
    }
    return true
  }

  /**
   * A refusal that holds for the committed state, too, is final at once. One that rests on a pending bid waits for that bid's batch:
   * if the batch fails, the command is judged again.
   */
  #refuseBid(command: BidCommand, book: Book, refusal: BidRefusal, nowMs: number): void {
    const verdict = refusalOf(refusal, book.head)
    const batch = book.pendingBatch
    if (batch !== null) {
      const committedRefusal = this.#refusalOf(book.committed, command, nowMs)
      if (committedRefusal !== refusal) {
        command.tentative = verdict
        if (command.bidId !== null) this.#memory.remember(command)
        batch.commands.push(command)
        return
      }
      // The minimum of the committed state is the one that certainly held.
      command.tentative = refusalOf(refusal, book.committed)
    } else command.tentative = verdict
    const mayBeLogged = command.bidId !== null && (book.hasBidsFromBefore || this.#memory.hasForgotten)
    if (mayBeLogged && mayFollowAcceptance.has(refusal)) this.#lookUp(command)
    else this.#settleBid(command, command.tentative)
  }

  #judgeOrder(command: OrderCommand): void {
    if (!this.#holds(command.auctionId)) return command.settle({ code: 'unavailable' })
    const existing = this.#books.get(command.auctionId)
    const asked = command.build(this.#ports.clock.nowMs())
    // Only an auction that is opened now is new; any other that is not in memory is over.
    if (existing === undefined && asked.type !== 'OpenAuction') return this.#lookUp(command)
    const book = existing ?? new Book(command.auctionId, auctionPartition(command.auctionId), { status: 'none' })
    let events: AuctionEvent[]
    try {
      events = decide(asked, book.head)
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      command.tentative = { code: error.code, message: error.message }
      if (book.pendingBatch === null) command.settle(command.tentative)
      else book.pendingBatch.commands.push(command)
      return
    }
    command.tentative = null
    if (existing === undefined && events.length > 0) this.#books.set(book.auctionId, book)
    let batch = book.pendingBatch
    for (const event of events) batch = this.#append(book, event, command.actorId, '')
    if (batch === null) return command.settle(null)
    batch.commands.push(command)
    if (book.head.status === 'open') this.#timers.add(book.auctionId, book.head.endsAtMs)
  }

  #holds(auctionId: number): boolean {
    const part = auctionPartition(auctionId)
    return this.#epochs.has(part) && !this.#leaving.has(part)
  }

  #append(book: Book, event: AuctionEvent, actorId: number | null, bidderName: string): Batch {
    let batch = this.#queue.at(-1)
    if (batch === undefined || batch.events.length >= BATCH_EVENTS_MAX) {
      batch = new Batch()
      this.#queue.push(batch)
    }
    book.head = evolve(book.head, event)
    if (book.head.status === 'none') throw new Error('an event makes an auction known')
    batch.events.push({ book, eventId: newEventId(), version: book.head.version, event, actorId, bidderName })
    batch.states.set(book, book.head)
    book.pendingBatch = batch
    this.#queuedEvents++
    return batch
  }

  #kick(): void {
    if (this.#inFlight !== null || this.#mode !== 'serving') return
    const batch = this.#queue[0]
    if (batch === undefined || (batch.isEmpty && this.#renewals.length === 0)) return
    this.#queue.shift()
    if (this.#queue.length === 0) this.#queue.push(new Batch())
    this.#queuedEvents -= batch.events.length
    this.#inFlight = batch
    void this.#commit(batch)
  }

  async #commit(batch: Batch): Promise<void> {
    const renewals = this.#renewals
    this.#renewals = []
    const parts = partsOf(batch)
    // A partition on its way out is not renewed, for its lease may be given up while this transaction runs.
    if (renewals.length > 0) for (const part of this.#epochs.keys()) if (!this.#leaving.has(part)) parts.add(part)
    const number = ++this.#batchNumber
    const sentAtMs = performance.now()
    try {
      this.#ports.failpoint?.('before_commit', number)
      const result = await this.#ports.log.commit([...parts], this.#epochs, batch)
      this.#ports.failpoint?.('after_commit', number)
      if (result === 'fenced') return this.#fence()
    } catch (error) {
      this.#renewals.push(...renewals)
      return this.#recover(batch, error)
    }
    this.#recoveriesInARow = 0
    for (const [book, state] of batch.states) book.commit(batch, state)
    this.#inFlight = null
    if (renewals.length > 0) this.#renewedAtMs = sentAtMs
    // The next transaction starts before this one's answers are written: Postgres works while we do.
    this.#kick()
    this.#settle(batch)
    for (const resolve of renewals) resolve()
    if (renewals.length > 0 && this.#parked.length > 0) this.#judgeParked()
  }

  /** Commands that came while the leases were in doubt. */
  #judgeParked(): void {
    const parked = this.#parked
    this.#parked = []
    for (const command of parked) this.#submitAgain(command)
    this.#kick()
  }

  /** Whoever has given up waiting is not served any more: a late bid or order would surprise him. */
  #submitAgain(command: Command): void {
    if (command.kind === 'bid' && command.verdict !== null) return
    // What it was to be told belonged to a state that never came to be.
    command.tentative = null
    if (command.receivedAtMs < performance.now() - ANSWER_WITHIN_MS) this.#refuse(command, 'unavailable')
    else this.submit(command)
  }

  /** The batch is in the log: now, and only now, answers and live frames go out. */
  #settle(batch: Batch): void {
    for (const command of batch.commands) this.#settleTentative(command)
    for (const passed of batch.barriers) passed()
    const eventsOf = new Map<Book, PendingEvent[]>()
    for (const pending of batch.events) {
      const list = eventsOf.get(pending.book)
      if (list === undefined) eventsOf.set(pending.book, [pending])
      else list.push(pending)
    }
    const nowMs = this.#ports.clock.nowMs()
    for (const [book, events] of eventsOf) {
      const state = batch.states.get(book)
      if (state === undefined) continue
      for (const message of liveMessages(events, state, nowMs)) this.#ports.publishLive(book.auctionId, message)
      if (state.status !== 'open' && book.pendingBatch === null) this.#books.delete(book.auctionId)
    }
    if (batch.events.length > 0) this.#ports.onCommitted(batch.events.length)
  }

  #settleTentative(command: Command): void {
    if (command.kind === 'order') command.settle(command.tentative)
    else if (command.tentative !== null) this.#settleBid(command, command.tentative)
  }

  #settleBid(command: BidCommand, verdict: BidVerdict): void {
    if (command.verdict?.refusal === 'outcome-unknown') {
      // The bidder was told that nobody knows; a retry is told what became of it.
      command.verdict = verdict
      this.#keepInMind(command, verdict)
      return
    }
    if (command.verdict !== null) return
    command.verdict = verdict
    command.waiter.settleBid(command.index, verdict)
    // The memory of bid ids keeps the command; the message that it came with must not live as long.
    command.waiter = nobody
    if (command.others !== null) {
      for (const { waiter, index } of command.others) waiter.settleBid(index, verdict)
      command.others = null
    }
    this.#keepInMind(command, verdict)
  }

  #keepInMind(command: BidCommand, verdict: BidVerdict): void {
    if (command.bidId === null) return
    if (isWorthRemembering(verdict)) this.#memory.remember(command)
    else this.#memory.forget(command)
  }

  #refuse(command: Command, code: 'busy' | 'unavailable' | 'outcome-unknown'): void {
    if (command.kind === 'order') command.settle({ code })
    else this.#settleBid(command, refused(code))
  }

  /** Collects what only Postgres can tell: auctions that are not open any more, and bid ids from before this process. */
  #lookUp(command: Command): void {
    this.#lookups.push(command)
    if (command.kind === 'bid') {
      this.#lookedUp.add(command)
      // A repetition that comes meanwhile gets the same answer, even if the book has gone on by then.
      if (command.bidId !== null) this.#memory.remember(command)
    }
    if (this.#lookups.length === 1) setImmediate(() => void this.#answerLookups())
  }

  async #answerLookups(): Promise<void> {
    const commands = this.#lookups
    this.#lookups = []
    try {
      const bids = commands.filter((command) => command.kind === 'bid')
      const known = await this.#findLogged(bids)
      const unjudged = commands.filter((command) => command.tentative === null)
      const auctions = await this.#ports.log.loadAuctions([...new Set(unjudged.map((command) => command.auctionId))])
      const states = new Map(auctions.map((auction) => [auction.auctionId, auction]))
      this.#addBooks(auctions.filter((auction) => this.#isMissing(auction)))
      for (const command of commands) {
        if (command.kind === 'bid' && command.verdict !== null) continue
        const bid = command.kind === 'bid' ? known.get(command) : undefined
        if (command.kind === 'bid' && bid !== undefined) this.#settleBid(command, bid)
        else if (command.kind === 'bid' && command.tentative !== null) this.#settleBid(command, command.tentative)
        else this.#judgeLoaded(command, states.get(command.auctionId) ?? { status: 'none' })
      }
      this.#kick()
    } catch (error) {
      this.#ports.onTrouble('bids could not be looked up', error)
      for (const command of commands) this.#refuse(command, 'unavailable')
    }
    for (const command of commands) if (command.kind === 'bid') this.#lookedUp.delete(command)
  }

  /** Those of the bids that stand in the log under their own ids, with the first answer of each. */
  async #findLogged(commands: readonly BidCommand[]): Promise<Map<BidCommand, BidVerdict>> {
    const bids = commands.filter((command): command is BidCommand & { bidId: string } => command.bidId !== null)
    const logged = await this.#ports.log.findBids(bids)
    const known = new Map(logged.map((bid) => [loggedKey(bid), bid.seq]))
    const verdicts = new Map<BidCommand, BidVerdict>()
    for (const command of bids) {
      const seq = known.get(loggedKey(command))
      if (seq !== undefined) verdicts.set(command, { seq, refusal: null, minimumSen: 0 })
    }
    return verdicts
  }

  #isMissing(auction: KnownAuction): boolean {
    const isOurs = this.#epochs.has(auctionPartition(auction.auctionId))
    return isOurs && auction.status === 'open' && !this.#books.has(auction.auctionId)
  }

  #judgeLoaded(command: Command, state: Auction): void {
    if (this.#books.has(command.auctionId)) return this.submit(command)
    if (command.kind === 'order') return command.settle(refusalOfOrder(command, state, this.#ports.clock.nowMs()))
    const refusal = this.#refusalOf(state, command, this.#ports.clock.nowMs())
    this.#settleBid(command, refusalOf(refusal ?? 'unavailable', state))
  }

  #addBooks(auctions: readonly KnownAuction[]): void {
    for (const auction of auctions) {
      const { auctionId } = auction
      // A book that is here knows what is pending, and was read no earlier.
      if (this.#books.has(auctionId)) continue
      this.#books.set(auctionId, new Book(auctionId, auctionPartition(auctionId), auction))
      this.#timers.add(auctionId, auction.endsAtMs)
    }
  }

  #endAuction(auctionId: number): void {
    const book = this.#books.get(auctionId)
    if (book === undefined || book.head.status !== 'open') return
    this.submit({
      kind: 'order',
      auctionId,
      actorId: null,
      receivedAtMs: Number.POSITIVE_INFINITY,
      build: (nowMs) => {
        const { head } = book
        const isSellerSuspended = head.status !== 'none' && this.#ports.isSuspended(head.sellerId)
        return { type: 'EndAuction', isSellerSuspended, nowMs }
      },
      settle: (refusal) => {
        if (refusal !== null) this.#timers.add(auctionId, this.#ports.clock.nowMs() + RECOVERY_PAUSE_MS)
      },
      tentative: null,
    })
    this.#kick()
  }

  #fence(): void {
    this.stop()
    this.#ports.onFenced()
  }

  /**
   * A batch failed, or nobody knows. The pending books are dropped, what the log says decides, and every waiting command is judged again
   * in its order. Commands that arrive meanwhile wait, bounded.
   */
  async #recover(batch: Batch, error: unknown): Promise<void> {
    if (this.#mode === 'stopped') return
    this.#mode = 'recovering'
    this.#recoveriesInARow++
    const isDuplicate = error instanceof CommitFailed && error.isDuplicateBid
    if (!isDuplicate) this.#ports.onTrouble('a batch failed; rebuilding from the log', error)
    const isLogged = isDuplicate ? await this.#dropPending(batch) : await this.#rebuild(batch)
    if (isLogged === null || this.#isStopped) return
    this.#inFlight = null
    const waiting = [...(isLogged ? [] : batch.commands), ...this.#queue.flatMap((queued) => queued.commands)]
    const barriers = [...(isLogged ? [] : batch.barriers), ...this.#queue.flatMap((queued) => queued.barriers)]
    const parked = this.#parked
    this.#parked = []
    this.#queue = [new Batch()]
    this.#queuedEvents = 0
    this.#mode = 'serving'
    if (isLogged) this.#settle(batch)
    const isHopeless = !isLogged && this.#recoveriesInARow > RECOVERIES_IN_A_ROW_MAX
    for (const command of [...waiting, ...parked]) {
      const isUnknown = command.kind === 'bid' && command.verdict?.refusal === 'outcome-unknown'
      if (isUnknown) this.#settleBid(command, refused('unavailable'))
      else if (isHopeless && batch.commands.includes(command)) this.#refuse(command, 'unavailable')
      else this.#submitAgain(command)
    }
    this.#queue.at(-1)?.barriers.push(...barriers)
    this.#kick()
  }

  get #isStopped(): boolean {
    return this.#mode === 'stopped'
  }

  /** The transaction rolled back for certain because a bid's id stands in the log: the books go back in memory, those bids are answered. */
  async #dropPending(batch: Batch): Promise<false | null> {
    for (const book of this.#books.values()) book.rollBack()
    for (const [id, book] of this.#books) if (book.committed.status === 'none') this.#books.delete(id)
    for (;;) {
      try {
        const known = await this.#findLogged(batch.commands.filter((command) => command.kind === 'bid'))
        for (const [command, verdict] of known) this.#settleBid(command, verdict)
        // A batch that got shorter is no repetition of the one that failed.
        if (known.size > 0) this.#recoveriesInARow = 0
        return false
      } catch (error) {
        if (this.#isStopped) return null
        this.#ports.onTrouble('bids could not be looked up', error)
        await pause(RECOVERY_PAUSE_MS)
      }
    }
  }

  /** Whether the batch is in the log after all; the books are what the log says. `null` when fenced. */
  async #rebuild(batch: Batch): Promise<boolean | null> {
    for (;;) {
      if (this.#isStopped) return null
      try {
        const { log } = this.#ports
        const askedAtMs = performance.now()
        const epochs = await log.reclaim(this.#epochs)
        if (epochs === null) {
          this.#fence()
          return null
        }
        for (const [part, epoch] of epochs) this.#epochs.set(part, epoch)
        this.#renewedAtMs = askedAtMs
        const first = batch.events[0]
        const isLogged = first !== undefined && (await log.isLogged(first))
        const auctions = await log.loadOpen([...epochs.keys()])
        for (const book of this.#books.values()) if (epochs.has(book.part)) this.#books.delete(book.auctionId)
        this.#addBooks(auctions)
        return isLogged
      } catch (error) {
        this.#ports.onTrouble('the log cannot be read; trying again', error)
        await pause(RECOVERY_PAUSE_MS)
      }
    }
  }

  /** Nobody waits longer than {@link ANSWER_WITHIN_MS}: what is not certain by then is said to be unknown. */
  #answerOverdue(): void {
    const overdueMs = performance.now() - ANSWER_WITHIN_MS
    const expire = (command: Command, code: 'unavailable' | 'outcome-unknown') => {
      if (command.kind === 'bid' && command.receivedAtMs < overdueMs && command.verdict === null)
        this.#refuse(command, code)
    }
    // What is in flight may be in the log, and what is queued behind it may be soon, unless a recovery has dropped it.
    for (const command of this.#inFlight?.commands ?? [])
      expire(command, isRefusal(command) ? 'unavailable' : 'outcome-unknown')
    const isDropped = this.#mode === 'recovering'
    for (const batch of this.#queue) {
      for (const command of batch.commands)
        expire(command, isDropped || isRefusal(command) ? 'unavailable' : 'outcome-unknown')
    }
    for (const command of this.#parked) expire(command, 'unavailable')
    this.#parked = this.#parked.filter((command) => command.kind === 'order' || command.verdict === null)
    for (const command of this.#lookedUp) expire(command, 'unavailable')
  }
}

/** A bid under an id that was accepted once may meet these when it is sent again. */
const mayFollowAcceptance: ReadonlySet<BidRefusal> = new Set([
  'bid-too-low',
  'auction-ended',
  'auction-paused',
  'account-suspended',
])

/** The log knows ids as values, however their letters were written. */
function loggedKey(bid: { auctionId: number; bidderId: number; bidId: string | null }): string {
  return `${bid.auctionId}:${bid.bidderId}:${bid.bidId?.toLowerCase()}`
}

/** Whether a bid that waits for a batch will be refused by it: it is in no transaction. */
function isRefusal(command: Command): boolean {
  return command.kind === 'bid' && command.tentative !== null && command.tentative.refusal !== null
}

/** What an order to an auction that is over, or that never was, comes to. */
function refusalOfOrder(command: OrderCommand, state: Auction, nowMs: number): OrderCommand['tentative'] {
  try {
    const events = decide(command.build(nowMs), state)
    return events.length === 0 ? null : { code: 'unavailable' }
  } catch (error) {
    if (error instanceof Rejection) return { code: error.code, message: error.message }
    throw error
  }
}

function refused(code: 'busy' | 'unavailable' | 'outcome-unknown'): BidVerdict {
  return { seq: 0, refusal: code, minimumSen: 0 }
}

function refusalOf(refusal: BidRefusal, state: Auction): BidVerdict {
  const minimumSen = refusal === 'bid-too-low' && state.status !== 'none' ? minimumBidSen(state) : 0
  return { seq: 0, refusal, minimumSen }
}

/** Verdicts about the auction are the first answer that a retry gets again; verdicts about our own state of health are not. */
function isWorthRemembering({ refusal }: BidVerdict): boolean {
  return refusal === null || refusal === 'bid-too-low' || refusal === 'own-listing' || refusal === 'outcome-unknown'
}

function partsOf(batch: Batch): Set<number> {
  const parts = new Set<number>()
  for (const book of batch.states.keys()) parts.add(book.part)
  return parts
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
