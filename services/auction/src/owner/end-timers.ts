import TinyQueue from 'tinyqueue'

/** Node's timers overflow at 2^31 ms; a later end is looked at again after this long. */
const SLEEP_MAX_MS = 60 * 60 * 1000

interface End {
  readonly auctionId: number
  readonly endsAtMs: number
}

/** The heap is made anew when it has this many entries more than twice what is waited for. */
const OUTDATED_MAX = 1024

/**
 * One timer for the ends of all auctions of this process: a heap by time, the timer set to the nearest. Each auction is called once, at the end
 * that was added last; what the heap has besides is passed over, and bounded.
 */
export class EndTimers {
  readonly #endOf = new Map<number, number>()
  #queue = queueOf([])
  readonly #nowMs: () => number
  readonly #onDue: (auctionId: number) => void
  #timer: NodeJS.Timeout | null = null
  #firesAtMs = Number.POSITIVE_INFINITY
  #isStopped = false

  constructor(nowMs: () => number, onDue: (auctionId: number) => void) {
    this.#nowMs = nowMs
    this.#onDue = onDue
  }

  /** How many entries there are for auctions, the outdated ones included. */
  get size(): number {
    return this.#queue.length
  }

  /** Takes the place of what was added for the auction before. */
  add(auctionId: number, endsAtMs: number): void {
    if (this.#endOf.get(auctionId) === endsAtMs) return
    this.#endOf.set(auctionId, endsAtMs)
    this.#queue.push({ auctionId, endsAtMs })
    this.#tidy()
    if (endsAtMs < this.#firesAtMs) this.#arm()
  }

  /** These are not called any more. */
  forget(auctionIds: readonly number[]): void {
    for (const auctionId of auctionIds) this.#endOf.delete(auctionId)
    this.#tidy()
  }

  /** The clock may have been set. */
  waitAnew(): void {
    this.#arm()
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
      if (this.#endOf.get(next.auctionId) !== next.endsAtMs) continue
      this.#endOf.delete(next.auctionId)
      due.push(next.auctionId)
    }
    this.#arm()
    for (const auctionId of due) this.#onDue(auctionId)
  }

  #tidy(): void {
    if (this.#queue.length <= 2 * this.#endOf.size + OUTDATED_MAX) return
    this.#queue = queueOf([...this.#endOf].map(([auctionId, endsAtMs]) => ({ auctionId, endsAtMs })))
  }
}

function queueOf(ends: End[]): TinyQueue<End> {
  return new TinyQueue(ends, (one, other) => one.endsAtMs - other.endsAtMs)
}
