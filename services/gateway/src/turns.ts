import type { Writable } from 'node:stream'

/** What one address may do at a time. */
export interface Pace {
  /** Requests under way. */
  readonly underWayMax: number
  /** Requests that may begin at once after a rest. */
  readonly burst: number
  readonly perSecond: number
  /** Requests that wait; each is kept with its connection until it is its turn. */
  readonly waitingMax: number
}

interface Place {
  underWay: number
  /** Those that may begin now; a part of one while the next one is to come. */
  left: number
  countedAtMs: number
  /** Those that wait, the earliest first. */
  readonly waiting: Set<() => void>
  timer: NodeJS.Timeout | undefined
}

const FORGET_EVERY_MS = 10_000

/**
 * Lets the requests of one address begin one after the other, as a token bucket fills, and so many of them be under way at a time. What comes too
 * early waits, the earliest goes first, and nobody else does: a burst cannot take the machine from others. Whoever has more waiting than anybody needs
 * loses the connection, or what waits would take all the memory.
 */
export class Turns {
  readonly #pace: Pace
  readonly #places = new Map<string, Place>()
  readonly #forgetting: NodeJS.Timeout

  constructor(pace: Pace) {
    this.#pace = pace
    this.#forgetting = setInterval(() => this.#forget(), FORGET_EVERY_MS).unref()
  }

  /**
   * Begins a request when it is its turn; one whose client has gone before is never begun.
   * @param response whose end is the end of the request, or the connection itself where it becomes something else
   */
  begin(address: string, response: Writable, go: () => void): void {
    const place = this.#placeOf(address)
    if (place.waiting.size >= this.#pace.waitingMax) return void response.destroy()
    let end = () => void place.waiting.delete(start)
    const start = () => {
      end = () => {
        place.underWay -= 1
        this.#startNext(place)
      }
      go()
    }
    response.once('close', () => end())
    place.waiting.add(start)
    this.#startNext(place)
  }

  stop(): void {
    clearInterval(this.#forgetting)
    for (const { timer } of this.#places.values()) clearTimeout(timer)
  }

  #placeOf(address: string): Place {
    const known = this.#places.get(address)
    if (known !== undefined) return known
    const { burst } = this.#pace
    const place: Place = {
      underWay: 0,
      left: burst,
      countedAtMs: performance.now(),
      waiting: new Set(),
      timer: undefined,
    }
    this.#places.set(address, place)
    return place
  }

  #startNext(place: Place): void {
    this.#refill(place)
    for (const start of place.waiting) {
      if (place.underWay >= this.#pace.underWayMax) return
      if (place.left < 1) return this.#wakeLater(place)
      place.waiting.delete(start)
      place.underWay += 1
      place.left -= 1
      start()
    }
  }

  #refill(place: Place): void {
    const { burst, perSecond } = this.#pace
    const nowMs = performance.now()
    place.left = Math.min(burst, place.left + ((nowMs - place.countedAtMs) / 1000) * perSecond)
    place.countedAtMs = nowMs
  }

  #wakeLater(place: Place): void {
    place.timer ??= setTimeout(
      () => {
        place.timer = undefined
        this.#startNext(place)
      },
      Math.ceil(((1 - place.left) / this.#pace.perSecond) * 1000),
    )
  }

  /** Whoever has rested is as good as new. */
  #forget(): void {
    for (const [address, place] of this.#places) {
      this.#refill(place)
      if (place.underWay === 0 && place.waiting.size === 0 && place.left === this.#pace.burst)
        this.#places.delete(address)
    }
  }
}
