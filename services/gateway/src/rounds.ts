/** A round is done in so many parts, so that none of them holds up the event loop. */
const PARTS = 50

/**
 * Visits all items of a set that changes, once in each round, a part at a time. An item that comes while a round goes on may be visited
 * in the next one.
 */
export class Rounds<Item> {
  readonly #items: Pick<ReadonlySet<Item>, 'size' | 'keys'>
  readonly #everyMs: number
  readonly #visit: (item: Item) => void
  readonly #timer: NodeJS.Timeout
  #rest: Iterator<Item> | null = null
  #partSize = 0
  #nextRoundAtMs = 0

  /** A round begins `everyMs` after the one before, and takes about half of that. */
  constructor(items: Pick<ReadonlySet<Item>, 'size' | 'keys'>, everyMs: number, visit: (item: Item) => void) {
    this.#items = items
    this.#everyMs = everyMs
    this.#visit = visit
    this.#timer = setInterval(() => this.#goOn(), everyMs / 2 / PARTS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #goOn(): void {
    if (this.#rest === null) {
      const nowMs = performance.now()
      if (nowMs < this.#nextRoundAtMs) return
      this.#nextRoundAtMs = nowMs + this.#everyMs
      this.#rest = this.#items.keys()
      this.#partSize = Math.max(1, Math.ceil(this.#items.size / PARTS))
    }
    for (let left = this.#partSize; left > 0; left -= 1) {
      const next = this.#rest.next()
      if (next.done === true) {
        this.#rest = null
        return
      }
      this.#visit(next.value)
    }
  }
}
