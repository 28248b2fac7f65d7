import TinyQueue from 'tinyqueue'

/** Node's timers overflow at 2^31 ms; a later end is looked at again after this long. */
const SLEEP_MAX_MS = 60 * 60 * 1000

interface End {
  readonly auctionId: number
  readonly endsAtMs: number
}

/**
 * One timer for the ends of all auctions of this process: a heap by time, the timer set to the nearest. An entry may be out of date
 * (the end was revised, the auction cancelled); whoever is called checks, and an end that was moved later was added again.
 */
export class EndTimers {
  readonly #queue = new TinyQueue<End>([], (one, other) => one.endsAtMs - other.endsAtMs)
  readonly #nowMs: () => number
  readonly #onDue: (auctionId: number) => void
  #timer: NodeJS.Timeout | null = null
  #firesAtMs = Number.POSITIVE_INFINITY
  #isStopped = false

  constructor(nowMs: () => number, onDue: (auctionId: number) => void) {
    this.#nowMs = nowMs
    this.#onDue = onDue
  }

  add(auctionId: number, endsAtMs: number): void {
    this.#queue.push({ auctionId, endsAtMs })
    if (endsAtMs < this.#firesAtMs) this.#arm()
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #arm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#firesAtMs = Number.POSITIVE_INFINITY
    const next = this.#queue.peek()
    if (next === undefined || this.#isStopped) return
    this.#firesAtMs = next.endsAtMs
    const waitMs = Math.min(Math.max(0, next.endsAtMs - this.#nowMs()), SLEEP_MAX_MS)
    this.#timer = setTimeout(() => this.#fire(), waitMs)
  }

  #fire(): void {
    const nowMs = this.#nowMs()
    const due: number[] = []
    for (let next = this.#queue.peek(); next !== undefined && next.endsAtMs <= nowMs; next = this.#queue.peek()) {
      this.#queue.pop()
      due.push(next.auctionId)
    }
    this.#arm()
    for (const auctionId of due) this.#onDue(auctionId)
  }
}
