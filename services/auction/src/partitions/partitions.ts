import { AUCTION_PARTITIONS } from '@wangian/contracts/subjects.ts'
import { untilTick } from '@wangian/kit/bell.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { Epochs } from '../log/log-port.ts'
import type { DatabaseClock } from '../owner/clock.ts'
import { LEASE_TTL_MS } from '../owner/held-partitions.ts'
import type { Owner } from '../owner/owner.ts'
import { claimFree, release, reportAlive, reportGone } from './lease-store.ts'

/** How often the shares are compared. */
const ROUND_MS = 300
/** A lease survives three renewals that were missed. */
const RENEW_EVERY_MS = 300
/** An owner that has not been seen for this long does not count for the shares. As long as a lease: what it held is free by then. */
const ALIVE_WITHIN_MS = LEASE_TTL_MS

/** How the process takes and gives up partitions on the bus. */
export interface PartitionIntake {
  open(parts: readonly number[]): void
  /** Takes no more messages for these partitions; resolves when those that had arrived were handed to the owner. */
  close(parts: readonly number[]): Promise<void>
}

export interface PartitionOptions {
  /** Of its own: whoever waits here for readers loses his partitions. */
  readonly pool: DatabasePool
  readonly instance: string
  readonly owner: Owner
  readonly intake: PartitionIntake
  readonly clock: DatabaseClock
  readonly onTrouble: (message: string, error: unknown) => void
  /** These partitions are ours now and served. */
  readonly onTaken: (parts: readonly number[]) => Promise<void>
  /** Tells the other owners that partitions are free, and hears it from them. */
  readonly announce: () => void
}

/**
 * Keeps this process's fair share of the partitions: renews what it holds, takes what nobody holds, and gives up what exceeds its share
 * when another process has come. Only the database's clock decides whether a lease has run out.
 */
export class Partitions {
  readonly #options: PartitionOptions
  #timer: NodeJS.Timeout | null = null
  /** Beside the rounds: one that waits for the database must not cost a lease. */
  #renewals: NodeJS.Timeout | null = null
  /** Noted, so that nobody who wakes us meanwhile starts a second one beside it: two claims at once would fence each other. */
  #round: Promise<void> | null = null
  /** Resolved by the first round that does not fail. */
  readonly #done = Promise.withResolvers<void>()
  #isAskedAgain = false
  #isRenewing = false
  #isActive = false

  constructor(options: PartitionOptions) {
    this.#options = options
  }

  get held(): number {
    return this.#options.owner.epochs.size
  }

  /**
   * A round is done when this resolves: an instance that was restarted holds its partitions again. One that fails is followed by the next, as later
   * ones are: a process that ended because the database was slow would be missed for longer.
   */
  start(): Promise<void> {
    this.#isActive = true
    this.#renewLater()
    this.#run()
    return this.#done.promise
  }

  /** Looks again soon: partitions were given up somewhere. */
  wake(): void {
    if (!this.#isActive) return
    if (this.#round !== null) this.#isAskedAgain = true
    else this.#run()
  }

  /** Hands everything over. */
  async stop(): Promise<void> {
    this.#isActive = false
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#round
    const { owner, pool, instance } = this.#options
    try {
      await reportGone(pool, instance)
      await this.#giveUp([...owner.epochs.keys()])
    } finally {
      if (this.#renewals !== null) clearTimeout(this.#renewals)
    }
  }

  /** What follows a round. */
  #goOn(): void {
    this.#round = null
    if (!this.#isActive) return
    if (this.#isAskedAgain) this.#run()
    else this.#timer = setTimeout(() => this.#run(), untilTick(ROUND_MS))
  }

  #run(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#isAskedAgain = false
    this.#round = this.#share()
      .then(this.#done.resolve)
      .catch((error: unknown) => this.#options.onTrouble('the partitions could not be shared out', error))
      .finally(() => this.#goOn())
  }

  async #share(): Promise<void> {
    const { pool, instance, owner, clock } = this.#options
    const askedAtMs = performance.now()
    const alive = await reportAlive(pool, instance, ALIVE_WITHIN_MS)
    clock.sample(alive.nowMs, askedAtMs, performance.now())
    owner.clockRead()
    const share = Math.ceil(AUCTION_PARTITIONS / alive.owners)
    const held = [...owner.epochs.keys()]
    if (held.length > share) await this.#giveUp(held.slice(share))
    else if (held.length < share) await this.#take(held, share - held.length)
  }

  #renewLater(): void {
    this.#renewals = setTimeout(() => {
      this.#renewLater()
      this.#renew()
    }, untilTick(RENEW_EVERY_MS))
  }

  #renew(): void {
    const { owner } = this.#options
    if (this.#isRenewing || owner.epochs.size === 0) return
    this.#isRenewing = true
    void owner.renew().then(() => {
      this.#isRenewing = false
    })
  }

  async #take(held: readonly number[], limit: number): Promise<void> {
    const { pool, instance, owner, intake, onTaken, onTrouble } = this.#options
    const claimedAtMs = performance.now()
    const claimed: Epochs = await claimFree(pool, instance, held, limit, LEASE_TTL_MS)
    if (claimed.size === 0) return
    await owner.addPartitions(claimed, claimedAtMs)
    const parts = [...claimed.keys()]
    intake.open(parts)
    // Not waited for: what watchers are shown must not hold up the next renewal.
    onTaken(parts).catch((error: unknown) => onTrouble('the state after a takeover could not be shown', error))
  }

  async #giveUp(parts: readonly number[]): Promise<void> {
    if (parts.length === 0) return
    const { pool, instance, owner, intake, announce } = this.#options
    await intake.close(parts)
    const released = await owner.removePartitions(parts)
    await release(pool, instance, released)
    announce()
  }
}
