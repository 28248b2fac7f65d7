import type { BidCommand } from './command.ts'

/** How many bids one generation remembers; two generations are kept. */
const GENERATION_MAX = 50_000

/**
 * Remembers recent bids by the bidder's own id, so that a retry gets the first answer (promise P7). Bounded: what is forgotten here is
 * still found in the log by a unique index, which is slower.
 */
export class BidMemory {
  #young = new Map<string, BidCommand>()
  #old = new Map<string, BidCommand>()
  #hasForgotten = false

  /** From now on a miss here does not mean that the id is new. */
  get hasForgotten(): boolean {
    return this.#hasForgotten
  }

  find(command: BidCommand): BidCommand | undefined {
    const key = keyOf(command)
    return this.#young.get(key) ?? this.#old.get(key)
  }

  remember(command: BidCommand): void {
    if (this.#young.size >= GENERATION_MAX) {
      if (this.#old.size > 0) this.#hasForgotten = true
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(keyOf(command), command)
  }

  /** Forgets this very bid; a retry of it that failed elsewhere does not take the first one's answer away. */
  forget(command: BidCommand): void {
    const key = keyOf(command)
    if (this.#young.get(key) === command) this.#young.delete(key)
    if (this.#old.get(key) === command) this.#old.delete(key)
  }
}

function keyOf(command: BidCommand): string {
  return `${command.auctionId}:${command.bidderId}:${command.bidId}`
}
