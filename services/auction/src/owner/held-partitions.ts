import { auctionPartition } from '@wangian/contracts/subjects.ts'
import type { Epochs } from '../log/log-port.ts'

/** A lease that is not renewed for this long may be taken by another process. */
export const LEASE_TTL_MS = 1500

/** The partitions that this process holds, each under the epoch of its lease, and how fresh the leases are. */
export class HeldPartitions {
  readonly #epochs = new Map<number, number>()
  /** Those that are being handed over: nothing new is taken for them. */
  readonly #leaving = new Set<number>()
  /** When the transaction that last renewed all leases was sent, on the monotonic clock. */
  #renewedAtMs = Number.NEGATIVE_INFINITY

  get epochs(): Epochs {
    return this.#epochs
  }

  /**
   * Whether the leases cannot have run out yet. Not for safety, the epoch check sees to that: an owner that was paused must not refuse a
   * bid by a book that has become history (promise P8).
   */
  get isFresh(): boolean {
    return performance.now() - this.#renewedAtMs < LEASE_TTL_MS
  }

  /** How long ago all leases were renewed; 0 while none is held. */
  get ageMs(): number {
    return this.#epochs.size === 0 ? 0 : performance.now() - this.#renewedAtMs
  }

  /** Whether commands to this auction are taken. */
  takes(auctionId: number): boolean {
    const part = auctionPartition(auctionId)
    return this.#epochs.has(part) && !this.#leaving.has(part)
  }

  has(auctionId: number): boolean {
    return this.#epochs.has(auctionPartition(auctionId))
  }

  /** `claimedAtMs` is monotonic: when the claim was sent. */
  add(epochs: Epochs, claimedAtMs: number): void {
    if (this.#epochs.size === 0) this.#renewedAtMs = claimedAtMs
    for (const [part, epoch] of epochs) this.#epochs.set(part, epoch)
  }

  /** All were renewed by what was sent then, on the monotonic clock; those that were claimed anew have another epoch. */
  renewed(sentAtMs: number, epochs: Epochs = this.#epochs): void {
    this.#renewedAtMs = sentAtMs
    for (const [part, epoch] of epochs) this.#epochs.set(part, epoch)
  }

  /** Those to renew: a partition on its way out is not, for its lease may be given up while that transaction runs. */
  *staying(): Generator<number> {
    for (const part of this.#epochs.keys()) if (!this.#leaving.has(part)) yield part
  }

  /** Nothing more is taken for these. */
  leave(parts: readonly number[]): void {
    for (const part of parts) this.#leaving.add(part)
  }

  /** Gives these up. Returns the epochs under which they were held. */
  remove(parts: readonly number[]): Epochs {
    const removed = new Map<number, number>()
    for (const part of parts) {
      const epoch = this.#epochs.get(part)
      if (epoch !== undefined) removed.set(part, epoch)
      this.#epochs.delete(part)
      this.#leaving.delete(part)
    }
    return removed
  }
}
