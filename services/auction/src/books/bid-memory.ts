import type { BidCommand, Verdict } from './command.ts'

/** How many bids one generation remembers; two generations are kept. */
const GENERATION_MAX = 50_000

/** A bid whose verdict is to come, or what whoever repeats it is told: of what is settled the rest would be held for nothing. */
export type Remembered = BidCommand | Verdict

/**
 * Remembers recent bids by the bidder's own id, so that a retry gets the first answer (promise P7). Bounded: what is forgotten here is
 * still found in the log by a unique index, which is slower.
 */
export class BidMemory {
  #young = new Map<string, Remembered>()
  #old = new Map<string, Remembered>()
  #hasForgotten = false

  /** From now on a miss here does not mean that the id is new. */
  get hasForgotten(): boolean {
    return this.#hasForgotten
  }

  find({ key }: BidCommand): Remembered | undefined {
    return key === null ? undefined : (this.#young.get(key) ?? this.#old.get(key))
  }

  /** A bid without an id of its own is not remembered. */
  remember({ key }: BidCommand, as: Remembered): void {
    if (key === null) return
    if (this.#young.size >= GENERATION_MAX) {
      if (this.#old.size > 0) this.#hasForgotten = true
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, as)
  }

  /** Forgets this very bid; a retry of it that failed elsewhere does not take the first one's answer away. */
  forget(command: BidCommand): void {
    const { key } = command
    if (key === null) return
    if (this.#young.get(key) === command) this.#young.delete(key)
    if (this.#old.get(key) === command) this.#old.delete(key)
  }
}
