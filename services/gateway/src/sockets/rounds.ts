/** A round is done in at most so many parts, so that none of them holds up the event loop. */
const PARTS_MAX = 50
/** Fewer are not worth waking for. */
const PART_SIZE_MIN = 10

/**
 * Visits all items of a set that changes, once in each round, a part at a time. An item that comes while a round goes on may be visited
 * in the next one.
 */
export class Rounds<Item> {
  readonly #items: Pick<ReadonlySet<Item>, 'size' | 'keys'>
  readonly #everyMs: number
  /** Between two parts of a round; and between two rounds, where one takes longer than it may. */
  readonly #pauseMs: number
  readonly #visit: (item: Item) => void
  #timer: NodeJS.Timeout

  /** A round begins `everyMs` after the one before, and takes at most about half of that. */
  constructor(items: Pick<ReadonlySet<Item>, 'size' | 'keys'>, everyMs: number, visit: (item: Item) => void) {
    this.#items = items
    this.#everyMs = everyMs
    this.#pauseMs = everyMs / 2 / PARTS_MAX
    this.#visit = visit
    this.#timer = this.#after(this.#pauseMs, () => this.#begin())
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #begin(): void {
    const beganAtMs = performance.now()
    this.#goOn(this.#items.keys(), Math.max(PART_SIZE_MIN, Math.ceil(this.#items.size / PARTS_MAX)), beganAtMs)
  }

  #goOn(rest: Iterator<Item>, partSize: number, beganAtMs: number): void {
    for (let left = partSize; left > 0; left -= 1) {
      const next = rest.next()
      if (next.done === true) {
        const restMs = beganAtMs + this.#everyMs - performance.now()
        this.#timer = this.#after(Math.max(restMs, this.#pauseMs), () => this.#begin())
        return
      }
      this.#visit(next.value)
    }
    this.#timer = this.#after(this.#pauseMs, () => this.#goOn(rest, partSize, beganAtMs))
  }

  #after(ms: number, act: () => void): NodeJS.Timeout {
    return setTimeout(act, ms).unref()
  }
}
