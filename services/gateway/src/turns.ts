import type { ServerResponse } from 'node:http'

interface Place {
  underWay: number
  /** Those that wait, the earliest first. */
  readonly waiting: Set<() => void>
}

/** Lets so many requests of one address be under way at a time. Its further ones wait, the earliest goes first; nobody else does. */
export class Turns {
  readonly #max: number
  readonly #places = new Map<string, Place>()

  constructor(max: number) {
    this.#max = max
  }

  /** Addresses that have a request. */
  get size(): number {
    return this.#places.size
  }

  /**
   * Begins a request when it is its turn; one whose client has gone before is never begun.
   * @param response whose end is the end of the request
   */
  begin(address: string, response: ServerResponse, go: () => void): void {
    const place = this.#places.get(address) ?? { underWay: 0, waiting: new Set() }
    this.#places.set(address, place)
    let end = () => void place.waiting.delete(start)
    const start = () => {
      place.underWay += 1
      end = () => {
        place.underWay -= 1
        const [next] = place.waiting
        if (next === undefined) return
        place.waiting.delete(next)
        next()
      }
      go()
    }
    response.once('close', () => {
      end()
      if (place.underWay === 0) this.#places.delete(address)
    })
    if (place.underWay < this.#max) start()
    else place.waiting.add(start)
  }
}
