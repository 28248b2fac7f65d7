import { Answers } from './answers.ts'
import type { Batch } from './batch.ts'
import { Books } from './books.ts'
import { type Command, otherCommand, refused } from './command.ts'
import { type AuctionDecider, auctionDecider } from './domain.ts'
import { EndTimers } from './end-timers.ts'
import { publishBatch } from './frames.ts'
import { HeldPartitions } from './held-partitions.ts'
import type { AuctionLog, Epochs } from './log-port.ts'
import { type Found, Lookup } from './lookup.ts'
import { RETRY_PAUSE_MS, Recovery } from './recovery.ts'

/** Commands that wait while the owner recovers. */
const PARKED_MAX = 4096
const SWEEP_EVERY_MS = 200

/** The parts of the world that the owner touches. */
export interface OwnerPorts {
  readonly log: AuctionLog
  readonly clock: { nowMs(): number }
  readonly publishLive: (auctionId: number, message: string) => void
  /** Whether somebody is banned or gone: they cannot bid, and their auctions take no bids. */
  readonly isSuspended: (userId: number) => boolean
  /** Another process holds one of our partitions: nothing in memory may be trusted any more. */
  readonly onFenced: () => void
  readonly onCommitted: (events: number) => void
  readonly onTrouble: (message: string, error: unknown) => void
  /** Test hooks around each commit, by its number from 1 (promises F3 and F4). */
  readonly failpoint?: (where: 'before_commit' | 'after_commit', batchNumber: number) => void
  /** The rules, where a test has others. */
  readonly decider?: AuctionDecider
}

/**
 * The single writer of the auctions in the partitions that this process holds. Commands are judged at once against books in memory and
 * gathered; one transaction is in flight at a time and what arrives meanwhile is the next (group commit without a timer). Nobody is
 * answered, and nothing is shown, on the strength of a state that is not committed.
 */
export class Owner {
  readonly #ports: OwnerPorts
  readonly #held = new HeldPartitions()
  readonly #books: Books
  readonly #answers = new Answers()
  readonly #lookup: Lookup
  readonly #recovery: Recovery
  readonly #timers: EndTimers
  readonly #sweep: NodeJS.Timeout
  #mode: 'serving' | 'recovering' | 'stopped' = 'serving'
  #inFlight: Batch | null = null
  /** Commands that came while the owner recovers, or while its leases are in doubt. */
  #parked: Command[] = []
  #renewals: (() => void)[] = []
  #batchNumber = 0

  constructor(ports: OwnerPorts) {
    this.#ports = ports
    this.#books = new Books(ports.decider ?? auctionDecider, ports.isSuspended)
    this.#recovery = new Recovery(ports)
    this.#lookup = new Lookup({
      log: ports.log,
      onFound: (commands, found) => this.#judgeFound(commands, found),
      onFailed: (commands, error) => {
        ports.onTrouble('bids could not be looked up', error)
        for (const command of commands) this.#refuse(command, 'unavailable')
      },
    })
    this.#timers = new EndTimers(
      () => ports.clock.nowMs(),
      (auctionId) => this.#endAuction(auctionId),
    )
    this.#sweep = setInterval(() => this.#answerOverdue(), SWEEP_EVERY_MS)
    this.#sweep.unref()
  }

  get epochs(): Epochs {
    return this.#held.epochs
  }

  get openAuctions(): number {
    return this.#books.size
  }

  /** Serves these partitions from now on; their open auctions are loaded first. `claimedAtMs` is monotonic: when the claim was sent. */
  async addPartitions(epochs: Epochs, claimedAtMs: number): Promise<void> {
    // Held only once their books are here: if they cannot be loaded, the next round claims these partitions again.
    const auctions = await this.#ports.log.loadOpen([...epochs.keys()])
    this.#held.add(epochs, claimedAtMs)
    this.#addBooks(auctions)
  }

  /**
   * Takes nothing more for these partitions, waits until everything accepted so far is committed or refused, and forgets them.
   * Returns the epochs under which they were held.
   */
  async removePartitions(parts: readonly number[]): Promise<Epochs> {
    this.#held.leave(parts)
    await new Promise<void>((resolve) => {
      this.#books.addBarriers([resolve])
      this.flush()
    })
    const released = this.#held.remove(parts)
    this.#books.remove(released)
    return released
  }

  /** Renews every lease with the next transaction; resolves when that one is committed. */
  renew(): Promise<void> {
    return new Promise((resolve) => {
      this.#renewals.push(resolve)
      this.flush()
    })
  }

  stop(): void {
    this.#mode = 'stopped'
    clearInterval(this.#sweep)
    this.#timers.stop()
    this.#recovery.stop()
  }

  /** Judges a command; its waiter is told the verdict, at once or when the batch that it rests on is committed. */
  submit(command: Command): void {
    if (this.#mode === 'stopped') this.#refuse(command, 'unavailable')
    else if (this.#answers.isRepeated(command)) return
    else if (this.#mode === 'serving' && this.#held.isFresh) this.#judge(command)
    else if (this.#parked.length < PARKED_MAX) this.#parked.push(command)
    else this.#refuse(command, 'busy')
  }

  /** Starts a transaction if none is in flight; called after a group of commands was submitted. */
  flush(): void {
    if (this.#inFlight !== null || this.#mode !== 'serving') return
    if (this.#books.isIdle && this.#renewals.length === 0) return
    this.#inFlight = this.#books.take()
    void this.#commit(this.#inFlight)
  }

  #judge(command: Command): void {
    const { auctionId } = command
    if (!this.#held.takes(auctionId)) return this.#refuse(command, 'unavailable')
    const judgement = this.#books.judge(command, this.#ports.clock.nowMs())
    if (judgement === 'final') {
      const hasBidsFromBefore = this.#books.find(auctionId)?.hasBidsFromBefore === true
      if (!this.#answers.mayBeLogged(command, hasBidsFromBefore)) return this.#settleTentative(command)
    }
    this.#answers.remember(command)
    if (judgement === 'final' || judgement === 'unknown') this.#lookup.add(command)
    else if (command.kind === 'other') this.#watchEnd(auctionId)
  }

  #judgeFound(commands: readonly Command[], { logged, auctions }: Found): void {
    const states = new Map(auctions.map((auction) => [auction.auctionId, auction]))
    this.#addBooks(auctions.filter(({ auctionId, status }) => status === 'open' && this.#held.has(auctionId)))
    for (const command of commands) {
      const verdict = logged.get(command) ?? command.tentative
      if (command.verdict !== null) continue
      if (verdict !== null) this.#answers.settle(command, verdict)
      else if (this.#books.find(command.auctionId) !== undefined) this.submit(command)
      else {
        const state = states.get(command.auctionId) ?? { status: 'none' }
        this.#answers.settle(command, this.#books.judgeClosed(command, state, this.#ports.clock.nowMs()))
      }
    }
    this.flush()
  }

  async #commit(batch: Batch): Promise<void> {
    const renewals = this.#renewals
    this.#renewals = []
    const parts = batch.parts()
    if (renewals.length > 0) for (const part of this.#held.staying()) parts.add(part)
    const number = ++this.#batchNumber
    const sentAtMs = performance.now()
    try {
      this.#ports.failpoint?.('before_commit', number)
      const result = await this.#ports.log.commit([...parts], this.#held.epochs, batch)
      this.#ports.failpoint?.('after_commit', number)
      if (result === 'fenced') return this.#fence()
    } catch (error) {
      this.#renewals.push(...renewals)
      return this.#recover(batch, error)
    }
    this.#recovery.succeed()
    this.#books.commit(batch)
    this.#inFlight = null
    if (renewals.length > 0) this.#held.renewed(sentAtMs)
    // The next transaction starts before this one's answers are written: Postgres works while we do.
    this.flush()
    this.#settle(batch)
    for (const resolve of renewals) resolve()
    if (renewals.length > 0 && this.#parked.length > 0) {
      this.#submitAgain(this.#takeParked())
      this.flush()
    }
  }

  /** The batch is in the log: now, and only now, answers and live frames go out. */
  #settle(batch: Batch): void {
    for (const command of batch.commands) this.#settleTentative(command)
    for (const passed of batch.barriers) passed()
    publishBatch(batch, this.#ports.clock.nowMs(), this.#ports.publishLive)
    this.#books.close(batch)
    if (batch.events.length > 0) this.#ports.onCommitted(batch.events.length)
  }

  /** A batch failed, or nobody knows: what the log says decides, and every waiting command is judged again in its order. */
  async #recover(batch: Batch, failure: unknown): Promise<void> {
    if (this.#mode === 'stopped') return
    this.#mode = 'recovering'
    const certainty = await this.#recovery.inquire(batch, failure, this.#held.epochs)
    if (certainty === 'stopped') return
    if (certainty === 'fenced') return this.#fence()
    const queued = this.#books.dropQueue()
    if (certainty.isRolledBack) {
      this.#books.rollBack()
      for (const [command, verdict] of certainty.repeated) this.#answers.settle(command, verdict)
    } else {
      this.#held.renewed(certainty.claimedAtMs, certainty.epochs)
      this.#books.remove(certainty.epochs)
      this.#addBooks(certainty.auctions)
    }
    this.#inFlight = null
    this.#mode = 'serving'
    const failed = certainty.isLogged ? [] : [batch]
    if (certainty.isLogged) this.#settle(batch)
    else if (this.#recovery.isHopeless) for (const command of batch.commands) this.#refuse(command, 'unavailable')
    for (const { commands } of [...failed, ...queued]) this.#submitAgain(commands)
    this.#submitAgain(this.#takeParked())
    for (const { barriers } of [...failed, ...queued]) this.#books.addBarriers(barriers)
    this.flush()
  }

  #takeParked(): Command[] {
    const parked = this.#parked
    this.#parked = []
    return parked
  }

  /** Whoever has given up waiting is not served any more: a late bid would surprise him. */
  #submitAgain(commands: readonly Command[]): void {
    for (const command of commands) {
      // What it was to be told belonged to a state that never came to be.
      command.tentative = null
      if (this.#answers.isGivenUp(command)) this.#refuse(command, 'unavailable')
      else this.submit(command)
    }
  }

  #addBooks(auctions: Found['auctions']): void {
    for (const { auctionId, endsAtMs } of this.#books.add(auctions)) this.#timers.add(auctionId, endsAtMs)
  }

  /** An auction was opened, or its end may have been revised. */
  #watchEnd(auctionId: number): void {
    const head = this.#books.find(auctionId)?.head
    if (head?.status === 'open') this.#timers.add(auctionId, head.endsAtMs)
  }

  #endAuction(auctionId: number): void {
    if (this.#books.find(auctionId)?.head.status !== 'open') return
    const facts = { auctionId, actorId: null, receivedAtMs: Number.POSITIVE_INFINITY }
    this.submit(
      otherCommand({
        ...facts,
        build: (nowMs, isSellerSuspended) => ({ type: 'EndAuction', isSellerSuspended, nowMs }),
        settle: ({ refusal }) => {
          if (refusal !== null) this.#timers.add(auctionId, this.#ports.clock.nowMs() + RETRY_PAUSE_MS)
        },
      }),
    )
    this.flush()
  }

  #fence(): void {
    this.stop()
    this.#ports.onFenced()
  }

  #settleTentative(command: Command): void {
    if (command.tentative !== null) this.#answers.settle(command, command.tentative)
  }

  #refuse(command: Command, code: 'busy' | 'unavailable'): void {
    this.#answers.settle(command, refused(code))
  }

  #answerOverdue(): void {
    // What is in flight may be in the log, and what is queued behind it may be soon, unless a recovery has dropped it.
    if (this.#inFlight !== null) this.#answers.expire(this.#inFlight.commands, { mayBeWritten: true })
    const mayBeWritten = this.#mode !== 'recovering'
    for (const { commands } of this.#books.queued) this.#answers.expire(commands, { mayBeWritten })
    this.#answers.expire(this.#parked, { mayBeWritten: false })
    this.#answers.expire(this.#lookup.waiting, { mayBeWritten: false })
    this.#parked = this.#parked.filter(({ verdict }) => verdict === null)
  }
}
