import { randomUUID } from 'node:crypto'
import { auctionPartition } from '@wangian/contracts/subjects.ts'
import { type FormattedEvent, readStored } from '@wangian/kit/log/event-format.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { Client, Pool } from 'pg'
import type { AuctionRig } from '../rig/auction-rig.ts'
import { openingTerms } from '../rig/opened-auctions.ts'
import type { BidOperation, History } from './history.ts'
import { type CheckOptions, checkHistory, describeViolations } from './history-checker.ts'
import { type Random, seededRandom } from './random.ts'
import { Recorder } from './recorder.ts'
import { RecordingBidder } from './recording-bidder.ts'
import { RecordingWatcher } from './recording-watcher.ts'

export interface SessionOptions {
  readonly seed: number
  /** Of each auction: how long it runs; `null` runs past the end of the test. */
  readonly auctionsEndInMs: readonly (number | null)[]
  readonly bidders?: number
  /** How far apart their numbers are: an owner takes partitions in a row, and so auctions in a row. One by default. */
  readonly apart?: number
}

const BIDDERS = 16
const WATCHERS = 3
/** Bidders pause between bids, so that a burst fills batches without filling the machine. */
const THINK_MAX_MS = 25
const OLD_IDS_MAX = 20

/**
 * Many people bidding on a few auctions with everything written down: hasty and late, too low, twice under one id, with no id, again
 * after no answer. What they do follows from the seed; when they get to do it does not.
 */
export class BiddingSession {
  readonly auctionIds: readonly number[]
  readonly recorder = new Recorder()
  readonly #rig: AuctionRig
  readonly #seed: number
  readonly #bidders: RecordingBidder[] = []
  readonly #watchers: RecordingWatcher[] = []
  readonly #database: Pool
  readonly #minimumSen = new Map<number, number>()
  readonly #mustEnd: number[]
  #running: Promise<void>[] = []
  #isStopping = false

  private constructor(rig: AuctionRig, auctionIds: number[], options: SessionOptions) {
    this.auctionIds = auctionIds
    this.#rig = rig
    this.#seed = options.seed
    this.#mustEnd = auctionIds.filter((_, index) => options.auctionsEndInMs[index] !== null)
    this.#database = new Pool({ connectionString: rig.adminDatabaseUrl, max: 4, connectionTimeoutMillis: 2000 })
    this.#database.on('error', () => {})
    for (const auctionId of auctionIds) {
      this.#minimumSen.set(auctionId, openingTerms.startingPriceSen + openingTerms.incrementSen)
    }
  }

  /** Opens the auctions, lets everybody in, and starts the bidding. */
  static async start(rig: AuctionRig, options: SessionOptions): Promise<BiddingSession> {
    console.log(`seed ${options.seed}`)
    const auctionIds: number[] = []
    for (const endsInMs of options.auctionsEndInMs) {
      // Beyond the last expected bid in half of the cases, so that ends without a winner happen, too.
      const reserveSen = auctionIds.length % 2 === 0 ? null : 900_000_000
      const [auctionId = 0] = await rig.opened.open(1, { ...(endsInMs !== null && { endsInMs }), reserveSen })
      auctionIds.push(auctionId)
      rig.opened.skipTo(auctionId + (options.apart ?? 1))
    }
    const session = new BiddingSession(rig, auctionIds, options)
    const { recorder } = session
    for (let number = 1; number <= (options.bidders ?? BIDDERS); number++) {
      const userId = session.#seed * 1000 + number
      const token = await rig.tokenFor(userId)
      session.#bidders.push(new RecordingBidder({ url: rig.socketUrl, token, userId, recorder }))
    }
    for (let number = 0; number < WATCHERS; number++) {
      session.#watchers.push(
        await RecordingWatcher.open({
          url: rig.socketUrl,
          auctionIds,
          recorder,
          probe: (auctionId, seq) => session.#isStored(auctionId, seq),
        }),
      )
    }
    session.#running = session.#bidders.map((bidder, index) =>
      session.#keepBidding(bidder, seededRandom(session.#seed + index * 7919)),
    )
    return session
  }

  /**
   * Waits for an accepted bid that was sent after `sinceMs` (monotonic), on one of these auctions.
   * @returns how long after `sinceMs` it was answered, in ms
   */
  async nextAcceptedMs(sinceMs: number, auctionIds: readonly number[] = this.auctionIds, timeoutMs = 15_000) {
    const find = () =>
      this.recorder.operations.find(
        ({ outcome, sentAtMs, auctionId }) =>
          outcome.kind === 'accepted' && sentAtMs > sinceMs && auctionIds.includes(auctionId),
      )
    await this.#eventually(() => find() !== undefined, timeoutMs)
    return (find()?.answeredAtMs ?? Number.NaN) - sinceMs
  }

  /** Waits until so many more bids were accepted. */
  async moreAccepted(count: number): Promise<void> {
    const wanted = this.#countAccepted() + count
    await this.#eventually(() => this.#countAccepted() >= wanted, 20_000)
  }

  /** Says on failure what was answered meanwhile, of which auctions, and what the processes wrote. */
  async #eventually(check: () => boolean, timeoutMs: number): Promise<void> {
    const before = this.recorder.operations.length
    await eventually(check, { timeoutMs }).catch(async (error: unknown) => {
      const answers = this.auctionIds.map((id) => `auction ${id}: ${this.summary(before, id) || 'no answer'}`)
      const owners = [...(await ownersOf(this.#rig, this.auctionIds))].map(([id, owner]) => `auction ${id}: ${owner}`)
      const said = [...answers, 'owners:', ...owners, 'output:', this.#rig.recentOutput()].join('\n')
      throw new Error(`too few bids were accepted in ${timeoutMs} ms:\n${said}`, { cause: error })
    })
  }

  /** Waits until the watchers were shown what is in the log, without joining again. */
  async watchersSeeEverything(): Promise<void> {
    for (const auctionId of this.auctionIds) {
      const { rows } = await this.#database.query<{ seq: number }>(
        `select count(*)::int as seq from auction.events where stream = $1 and type = 'BidPlaced'`,
        [`auction-${auctionId}`],
      )
      const seq = rows[0]?.seq ?? 0
      for (const watcher of this.#watchers) {
        await eventually(() => {
          const seen = watcher.latestSeq(auctionId)
          if (seen < seq)
            throw new Error(`a watcher of auction ${auctionId} was shown bid ${seen}, the last one is ${seq}`)
        })
      }
    }
  }

  /** One bid beside the burst, above everything that was bid so far. */
  async bidNow(auctionId: number, bidId: string | null = randomUUID()): Promise<BidOperation> {
    const bidder = this.#bidders[0]
    if (bidder === undefined) throw new Error('a session has bidders')
    const operation = await bidder.bid(auctionId, this.#minimumOf(auctionId) + 1000, bidId)
    this.#learn(operation)
    return operation
  }

  /** Sends an earlier bid again, as its bidder. */
  async again(operation: BidOperation): Promise<BidOperation> {
    const bidder = this.#bidders.find(({ userId }) => userId === operation.bidderId)
    if (bidder === undefined) throw new Error(`there is no bidder ${operation.bidderId}`)
    return bidder.bid(operation.auctionId, operation.amountSen, operation.bidId)
  }

  /** Waits for the ends that are due, while people go on bidding. */
  async untilEnded(): Promise<void> {
    await eventually(() => this.#haveEnded(), { timeoutMs: 30_000 })
  }

  /** Stops the bidding; resolves when everybody has an answer. */
  async quiet(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#running)
  }

  async history(): Promise<History> {
    const { rows } = await this.#database.query<{ stream: string; version: number } & FormattedEvent>(
      'select stream, version, type, schema_version as "schemaVersion", data from auction.events where stream = any ($1) order by stream, version',
      [this.auctionIds.map((id) => `auction-${id}`)],
    )
    const log = rows.map(({ stream, version, ...stored }) => ({
      auctionId: Number(stream.slice('auction-'.length)),
      version,
      event: readStored('auction', stored),
    }))
    return { operations: this.recorder.operations, sightings: this.recorder.sightings, log }
  }

  /** Stops the bidding, waits for the ends that are due, and throws when any promise was broken. */
  async settle(options: Omit<CheckOptions, 'ended'> = {}): Promise<History> {
    await this.quiet()
    await this.untilEnded()
    await this.watchersSeeEverything()
    const history = await this.history()
    const violations = checkHistory(history, { ...options, ended: new Set(this.#mustEnd) })
    if (violations.length > 0) throw new Error(`seed ${this.#seed}:\n${describeViolations(violations)}`)
    // A history in which nothing happened proves nothing.
    if (this.#countAccepted() < BIDDERS) throw new Error(`only ${this.#countAccepted()} bids were accepted`)
    if (this.#watchers.every((watcher) => watcher.probes === 0)) throw new Error('no sighting was looked up')
    return history
  }

  /** Ends everything that this session opened. */
  async close(): Promise<void> {
    this.#isStopping = true
    await Promise.allSettled(this.#running)
    await Promise.all([...this.#bidders, ...this.#watchers].map((person) => person.close()))
    await this.#database.end()
  }

  /** How the answers were distributed from that operation on, of one auction or all, for a line of output. */
  summary(from = 0, auctionId: number | null = null): string {
    const counts = new Map<string, number>()
    for (const { outcome, isConnectionLost, ...bid } of this.recorder.operations.slice(from)) {
      if (auctionId !== null && bid.auctionId !== auctionId) continue
      const name = outcome.kind === 'refused' ? outcome.code : isConnectionLost ? 'connection lost' : outcome.kind
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    return [...counts].map(([name, count]) => `${count} ${name}`).join(', ')
  }

  async #keepBidding(bidder: RecordingBidder, random: Random): Promise<void> {
    const oldIds: BidOperation[] = []
    while (!this.#isStopping) {
      const old = random.isTrue(0.08) && oldIds.length > 0 ? random.pick(oldIds) : null
      if (old !== null) await bidder.bid(old.auctionId, old.amountSen, old.bidId)
      else {
        const auctionId = random.pick(this.auctionIds)
        const raiseSen = random.isTrue(0.15)
          ? -random.integer(1, 200)
          : random.integer(0, 6) * openingTerms.incrementSen
        const amountSen = Math.max(1, this.#minimumOf(auctionId) + raiseSen)
        const bidId = random.isTrue(0.7) ? uuidOf(random) : null
        const isTwice = bidId !== null && random.isTrue(0.1)
        const [operation] = await Promise.all([
          bidder.bid(auctionId, amountSen, bidId),
          isTwice ? bidder.bid(auctionId, amountSen, bidId) : null,
        ])
        this.#learn(operation)
        if (bidId !== null) {
          oldIds.push(operation)
          if (oldIds.length > OLD_IDS_MAX) oldIds.shift()
          if (operation.outcome.kind === 'unknown') this.#learn(await bidder.bid(auctionId, amountSen, bidId))
        }
      }
      await new Promise((resolve) => setTimeout(resolve, random.integer(0, THINK_MAX_MS)))
    }
  }

  #learn({ auctionId, amountSen, outcome }: BidOperation): void {
    const minimumSen =
      outcome.kind === 'accepted'
        ? amountSen + openingTerms.incrementSen
        : outcome.kind === 'refused'
          ? (outcome.minimumSen ?? 0)
          : 0
    this.#minimumSen.set(auctionId, Math.max(this.#minimumOf(auctionId), minimumSen))
  }

  #minimumOf(auctionId: number): number {
    return this.#minimumSen.get(auctionId) ?? 0
  }

  #countAccepted(): number {
    return this.recorder.operations.filter(({ outcome }) => outcome.kind === 'accepted').length
  }

  async #isStored(auctionId: number, seq: number): Promise<boolean> {
    const { rowCount } = await this.#database.query(
      `select from auction.events where stream = $1 and type = 'BidPlaced' and (data ->> 'seq')::int = $2`,
      [`auction-${auctionId}`, seq],
    )
    return rowCount === 1
  }

  async #haveEnded(): Promise<boolean> {
    const { rows } = await this.#database.query<{ count: number }>(
      `select count(distinct stream)::int as count from auction.events where stream = any ($1) and type = 'AuctionEnded'`,
      [this.#mustEnd.map((id) => `auction-${id}`)],
    )
    return rows[0]?.count === this.#mustEnd.length
  }
}

/** Which instance holds the partition of each auction now; nobody's are left out. */
export async function ownersOf(rig: AuctionRig, auctionIds: readonly number[]): Promise<Map<number, string>> {
  const client = new Client({ connectionString: rig.adminDatabaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ part: number; owner: string }>(
      'select part, owner from auction.partition_leases where owner is not null and expires_at > clock_timestamp()',
    )
    const owners = new Map(rows.map(({ part, owner }) => [part, owner]))
    return new Map(
      auctionIds.flatMap((auctionId) => {
        const owner = owners.get(auctionPartition(auctionId))
        return owner === undefined ? [] : [[auctionId, owner] as const]
      }),
    )
  } finally {
    await client.end()
  }
}

/** The same as soon as each has one: an auction that changes hands has none for a moment. */
export function everyOwnerOf(rig: AuctionRig, auctionIds: readonly number[]): Promise<Map<number, string>> {
  return eventually(async () => {
    const owners = await ownersOf(rig, auctionIds)
    if (owners.size < auctionIds.length) throw new Error(`some auctions have no owner: ${[...owners]}`)
    return owners
  })
}

/** A UUID of version 4 whose digits come from the seed. */
function uuidOf(random: Random): string {
  const digits = Array.from({ length: 32 }, () => random.integer(0, 15).toString(16)).join('')
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20)}`
}
