import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { traced } from '@wangian/kit/service/tracing.ts'
import { Batch, halvesOf } from '../books/batch.ts'
import { Books, type Judgement } from '../books/books.ts'
import { type Command, mayBeRefusedByTheDatabase, otherCommand, refused } from '../books/command.ts'
import { type AuctionDecider, auctionDecider } from '../domain.ts'
import { LiveFeed } from '../live/live-feed.ts'
import { type AuctionLog, CommitFailed, type Epochs } from '../log/log-port.ts'
import { Answers } from './answers.ts'
import { EndTimers } from './end-timers.ts'
import { HeldPartitions } from './held-partitions.ts'
import { type Found, Lookup } from './lookup.ts'
import { countAcks, countCommit, countFailure } from './metrics.ts'
import { RETRY_PAUSE_MS, Recovery } from './recovery.ts'
import { Suspects } from './suspects.ts'

/** Commands that wait while the owner recovers. */
const PARKED_MAX = 4096
const SWEEP_EVERY_MS = 200
/** An end that the database refuses, or that fails by a bug, is tried again this much later. */
const END_AGAIN_AFTER_MS = 60_000

/** The parts of the world that the owner touches. */
export interface OwnerPorts {
  readonly log: AuctionLog
  readonly clock: { nowMs(): number }
  /** Whoever publishes says by {@link Owner.unheard} of which auction a message was heard by nobody. */
  readonly publishLive: (auctionId: number, message: string) => void
  /**
   * Since when somebody is banned or gone, epoch ms; `null` for who is not. They cannot bid, their auctions take no bids, and they win nothing
   * that ends later.
   */
  readonly suspendedSinceMs: (userId: number) => number | null
  /** Another process holds one of our partitions: nothing in memory may be trusted any more. */
  readonly onFenced: () => void
  readonly onCommitted: (events: number) => void
  readonly onTrouble: (message: string, error: unknown) => void
  /** Test hooks around each commit, by its number from 1 (promises F3 and F4). */
  readonly failpoint?: (where: 'before_commit' | 'after_commit', batchNumber: number) => void
  /** The rules, where a test has others. */
  readonly decider?: AuctionDecider
}

/** What became of a batch that the database does not take. */
interface Refused {
  readonly refusal: ErrorCode
  readonly failure: unknown
  readonly tookMs: number
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
  readonly #live: LiveFeed
  /** While somebody waits for an answer. */
  #sweep: NodeJS.Timeout | undefined
  #mode: 'serving' | 'recovering' | 'stopped' = 'serving'
  #inFlight: Batch | null = null
  /** Commands that came while the owner recovers, or while its leases are in doubt. */
  #parked: Command[] = []
  readonly #suspects = new Suspects((commands) => {
    this.#books.cut()
    this.#submitAgain(commands, (command) => this.#judgeOrPark(command))
    this.#books.cut()
    this.flush()
  })
  #renewals: (() => void)[] = []
  #batchNumber = 0
  /** A batch was refused by the database, and what was in it is not committed or refused yet. */
  #isIsolating = false

  constructor(ports: OwnerPorts) {
    this.#ports = ports
    this.#books = new Books(ports.decider ?? auctionDecider, ports.suspendedSinceMs)
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
    this.#live = new LiveFeed({ publish: ports.publishLive, nowMs: () => ports.clock.nowMs() })
  }

  get epochs(): Epochs {
    return this.#held.epochs
  }

  get openAuctions(): number {
    return this.#books.size
  }

  get waitingEvents(): number {
    return this.#books.queuedEvents
  }

  /** 0 while it holds nothing. */
  get leaseAgeMs(): number {
    return this.#held.ageMs
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
    this.#live.flush()
    const released = this.#held.remove(parts)
    this.#forget(this.#books.remove(released))
    return released
  }

  /** Renews every lease with the next transaction; resolves when that one is committed. */
  renew(): Promise<void> {
    return new Promise((resolve) => {
      this.#renewals.push(resolve)
      this.flush()
    })
  }

  /** The database's clock was read, and may have been set. */
  clockRead(): void {
    this.#timers.waitAnew()
  }

  /** Nobody heard a message of this auction. */
  unheard(auctionId: number): void {
    if (this.#books.find(auctionId) !== undefined) this.#live.unheard(auctionId)
  }

  stop(): void {
    this.#mode = 'stopped'
    clearInterval(this.#sweep)
    this.#timers.stop()
    this.#live.stop()
    this.#recovery.stop()
    this.#suspects.stop()
  }

  /** Judges a command; its waiter is told the verdict, at once or when the batch that it rests on is committed. */
  submit(command: Command): void {
    if (this.#mode === 'stopped') return this.#refuse(command, 'unavailable')
    this.#sweep ??= setInterval(() => this.#answerOverdue(), SWEEP_EVERY_MS).unref()
    if (this.#answers.isRepeated(command)) return
    if (this.#suspects.isActive && mayBeRefusedByTheDatabase(command)) {
      if (!this.#suspects.add(command)) this.#refuse(command, 'busy')
    } else this.#judgeOrPark(command)
  }

  #judgeOrPark(command: Command): void {
    if (this.#mode === 'stopped') this.#refuse(command, 'unavailable')
    else if (this.#mode === 'serving' && this.#held.isFresh) this.#judge(command)
    else if (this.#parked.length < PARKED_MAX) this.#parked.push(command)
    else this.#refuse(command, 'busy')
  }

  /** Starts a transaction if none is in flight; called after a group of commands was submitted. */
  flush(): void {
    if (this.#inFlight !== null || this.#mode !== 'serving') return
    if (this.#books.isIdle && this.#renewals.length === 0) return
    // What was refused by the database may be refused once more, and the leases must not run out meanwhile.
    const isRenewalAlone = (this.#isIsolating || this.#suspects.isActive) && this.#renewals.length > 0
    this.#inFlight = isRenewalAlone ? new Batch() : this.#books.take()
    void this.#commit(this.#inFlight)
  }

  #judge(command: Command): void {
    const { auctionId } = command
    if (!this.#held.takes(auctionId)) return this.#refuse(command, 'unavailable')
    const judgement = this.#judgeByBooks(command)
    if (judgement === null) return
    if (judgement === 'final') {
      const hasBidsFromBefore = this.#books.find(auctionId)?.hasBidsFromBefore === true
      if (!this.#answers.mayBeLogged(command, hasBidsFromBefore)) return this.#settleTentative(command)
    }
    this.#answers.remember(command)
    if (judgement === 'final' || judgement === 'unknown') this.#lookup.add(command)
  }

  /** `null` when judging it failed by a bug of ours: others, who came with it, must not go without an answer. */
  #judgeByBooks(command: Command): Judgement | null {
    try {
      return this.#books.judge(command, this.#ports.clock.nowMs())
    } catch (error) {
      this.#ports.onTrouble('a command could not be judged', error)
      this.#refuse(command, 'internal')
      return null
    }
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
      const result = await this.#write([...parts], batch)
      this.#ports.failpoint?.('after_commit', number)
      if (result === 'fenced') return this.#fence()
    } catch (error) {
      countFailure()
      this.#renewals.push(...renewals)
      const refusal = error instanceof CommitFailed ? error.refusal : null
      if (refusal !== null && batch.writers.length > 0) {
        return this.#isolate(batch, { refusal, failure: error, tookMs: performance.now() - sentAtMs })
      }
      return this.#recover(batch, error)
    }
    countCommit(batch.events.length, performance.now() - sentAtMs)
    this.#recovery.succeed()
    this.#books.commit(batch)
    this.#inFlight = null
    if (this.#books.isIdle) this.#isIsolating = false
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

  #write(parts: readonly number[], batch: Batch): ReturnType<AuctionLog['commit']> {
    const [parent = null, ...links] = batch.traceparents
    const span = { name: 'commit a batch', parent, links, attributes: { 'wangian.events': batch.events.length } }
    return traced(span, () => this.#ports.log.commit(parts, this.#held.epochs, batch))
  }

  /** The batch is in the log: now, and only now, answers and live frames go out. */
  #settle(batch: Batch): void {
    for (const command of batch.commands) this.#settleTentative(command)
    countAcks(batch.writers, performance.now())
    for (const passed of batch.barriers) passed()
    this.#live.tell(batch)
    // Only now: an end that is taken back with its batch must not have taken the place of the one before.
    for (const [{ auctionId }, state] of batch.terms) {
      if (state.status === 'open') this.#timers.add(auctionId, state.endsAtMs)
    }
    this.#forget(this.#books.close(batch))
    if (batch.events.length > 0) this.#ports.onCommitted(batch.events.length)
  }

  /**
   * Postgres does not take what one of these commands says. It was rolled back for certain and the leases are ours still, so nothing is
   * asked: the batch is tried again in parts, until the command stands alone and is refused for good. Bids go on at once, and what may be at fault
   * with the suspects; when only bids are left, one of them is.
   */
  #isolate(batch: Batch, { refusal, failure, tookMs }: Refused): void {
    if (this.#mode === 'stopped') return
    const later = this.#books.takeBack(batch)
    this.#inFlight = null
    const { writers } = batch
    const culprit = writers.length === 1 ? writers[0] : undefined
    if (culprit !== undefined) {
      this.#ports.onTrouble('the database refuses a command for good', failure)
      this.#refuse(culprit, refusal)
    }
    const rest = batch.commands.filter((command) => command !== culprit)
    const suspects = writers.filter(mayBeRefusedByTheDatabase)
    // Bids keep their order, and none of them waits until somebody else's command is found.
    let inOrder: Command[][] = [rest.filter((command) => !mayBeRefusedByTheDatabase(command))]
    if (suspects.length > 0) {
      const waiting = rest.filter(mayBeRefusedByTheDatabase)
      const areAlone = culprit === undefined && suspects.length === writers.length
      this.#suspects.suspect(areAlone ? halvesOf(waiting, suspects) : [waiting], tookMs)
    } else if (culprit === undefined) inOrder = halvesOf(batch.commands, writers)
    for (const commands of [...inOrder, ...later.map((queued) => queued.commands)]) {
      this.#submitAgain(commands)
      this.#books.cut()
    }
    this.#books.addBarriers([batch, ...later].flatMap(({ barriers }) => barriers))
    this.#isIsolating = true
    this.flush()
  }

  /** A batch failed, or nobody knows: what the log says decides, and every waiting command is judged again in its order. */
  async #recover(batch: Batch, failure: unknown): Promise<void> {
    if (this.#mode === 'stopped') return
    this.#mode = 'recovering'
    const certainty = await this.#recovery.inquire(batch, failure, this.#held.epochs)
    if (certainty === 'stopped') return
    if (certainty === 'fenced') return this.#fence()
    const queued = this.#books.takeBack(batch)
    if (certainty.isRolledBack) {
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
    // Not `unavailable`, with which a command is sent again at once: it would fail again.
    else if (this.#recovery.isHopeless) for (const command of batch.commands) this.#refuse(command, 'busy')
    for (const { commands } of [...failed, ...queued]) this.#submitAgain(commands)
    this.#submitAgain(this.#takeParked())
    for (const { barriers } of [...failed, ...queued]) this.#books.addBarriers(barriers)
    this.flush()
  }

  #forget(auctionIds: readonly number[]): void {
    this.#timers.forget(auctionIds)
    this.#live.forget(auctionIds)
  }

  #takeParked(): Command[] {
    const parked = this.#parked
    this.#parked = []
    return parked
  }

  /** Whoever has given up waiting is not served any more: a late bid would surprise him. */
  #submitAgain(commands: readonly Command[], submit = (command: Command) => this.submit(command)): void {
    for (const command of commands) {
      // What it was to be told belonged to a state that never came to be.
      command.tentative = null
      if (this.#answers.isGivenUp(command)) this.#refuse(command, 'unavailable')
      else submit(command)
    }
  }

  #addBooks(auctions: Found['auctions']): void {
    for (const { auctionId, endsAtMs } of this.#books.add(auctions)) this.#timers.add(auctionId, endsAtMs)
  }

  #endAuction(auctionId: number): void {
    if (this.#books.find(auctionId)?.head.status !== 'open') return
    const facts = { auctionId, actorId: null, receivedAtMs: Number.POSITIVE_INFINITY }
    this.submit(
      otherCommand({
        ...facts,
        build: (nowMs, byTheEnd) => ({ type: 'EndAuction', ...byTheEnd, nowMs }),
        settle: ({ refusal }) => {
          if (refusal !== null) this.#endLater(auctionId, refusal)
        },
      }),
    )
    this.flush()
  }

  /** The rules refuse no end: the store is away for a moment, or something is wrong that takes people to mend. */
  #endLater(auctionId: number, refusal: ErrorCode): void {
    const isForNow = refusal === 'busy' || refusal === 'unavailable'
    if (!isForNow) {
      const failure = new Error(`auction ${auctionId}: ${refusal}`)
      this.#ports.onTrouble('an auction cannot be ended; trying again', failure)
    }
    const pauseMs = isForNow ? RETRY_PAUSE_MS : END_AGAIN_AFTER_MS
    this.#timers.add(auctionId, this.#ports.clock.nowMs() + pauseMs)
  }

  #fence(): void {
    this.stop()
    this.#ports.onFenced()
  }

  #settleTentative(command: Command): void {
    if (command.tentative !== null) this.#answers.settle(command, command.tentative)
  }

  #refuse(command: Command, code: ErrorCode): void {
    this.#answers.settle(command, refused(code))
  }

  #answerOverdue(): void {
    // What is in flight may be in the log, and what is queued behind it may be soon, unless a recovery has dropped it.
    if (this.#inFlight !== null) this.#answers.expire(this.#inFlight.commands, { mayBeWritten: true })
    const mayBeWritten = this.#mode !== 'recovering'
    for (const { commands } of this.#books.queued) this.#answers.expire(commands, { mayBeWritten })
    this.#answers.expire(this.#parked, { mayBeWritten: false })
    this.#answers.expire(this.#lookup.waiting, { mayBeWritten: false })
    this.#answers.expire(this.#suspects.waiting, { mayBeWritten: false })
    this.#suspects.forgetAnswered()
    this.#parked = this.#parked.filter(({ verdict }) => verdict === null)
    if (this.#isAnyWaiting()) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }

  #isAnyWaiting(): boolean {
    if (this.#inFlight !== null || this.#books.queued.some(({ commands }) => commands.length > 0)) return true
    return this.#parked.length > 0 || this.#lookup.waiting.size > 0 || this.#suspects.waiting.length > 0
  }
}
