import { Rejection } from './errors.ts'

export interface FairGateLimits {
  /** Works that run at once. */
  readonly runningMax: number
  /** Of one key. */
  readonly runningPerKeyMax: number
  /** Whoever comes when so many wait already is turned away: of the same key, or in all. */
  readonly waitingPerKeyMax: number
  readonly waitingMax: number
  /** For how long the works of one key may run in all after a rest. */
  readonly burstMs: number
  /** So much of each second in the long run. */
  readonly msPerS: number
}

/** The same with so many times more for each key. */
export function timesAsMuch(limits: FairGateLimits, factor: number): FairGateLimits {
  const { runningPerKeyMax, burstMs, msPerS } = limits
  return {
    ...limits,
    runningPerKeyMax: runningPerKeyMax * factor,
    burstMs: burstMs * factor,
    msPerS: msPerS * factor,
  }
}

interface Place {
  running: number
  /** How long its works may still run before the next one has to wait; less than nothing after a long one. */
  leftMs: number
  countedAtMs: number
  /** The earliest first. */
  readonly waiting: (() => void)[]
}

/** More places than these are looked through for those that may be forgotten. */
const PLACES_MANY = 1000

/**
 * Lets only so many works run at once, and gives the room to one key after the other, so that whoever has much to do waits behind themselves and
 * behind nobody else. It measures how long works take: a key whose works have run for long waits until others could have had as much.
 */
export class FairGate {
  readonly #limits: FairGateLimits
  readonly #monotonicMs: () => number
  /** Whose turn was longest ago first. */
  readonly #places = new Map<string, Place>()
  #running = 0
  #waiting = 0
  #timer: NodeJS.Timeout | undefined

  constructor(limits: FairGateLimits, { monotonicMs = () => performance.now() } = {}) {
    this.#limits = limits
    this.#monotonicMs = monotonicMs
  }

  /**
   * Runs the work when it is its turn.
   * @param key whose work it is; `null` for works that count for nobody and only wait for room
   * @throws Rejection('unavailable') when too many wait already
   */
  async run<Result>(key: string | null, work: () => Promise<Result>): Promise<Result> {
    const place = this.#placeOf(key ?? '')
    const { waitingPerKeyMax, waitingMax } = this.#limits
    if (place.waiting.length >= waitingPerKeyMax || this.#waiting >= waitingMax) throw new Rejection('unavailable')
    await new Promise<void>((resolve) => {
      this.#waiting += 1
      place.waiting.push(resolve)
      this.#startNext()
    })
    const startedAtMs = this.#monotonicMs()
    try {
      return await work()
    } finally {
      this.#refill(place)
      if (key !== null) place.leftMs -= this.#monotonicMs() - startedAtMs
      place.running -= 1
      this.#running -= 1
      this.#startNext()
    }
  }

  #placeOf(key: string): Place {
    const known = this.#places.get(key)
    if (known !== undefined) return known
    if (this.#places.size >= PLACES_MANY) this.#forget()
    const place = { running: 0, leftMs: this.#limits.burstMs, countedAtMs: this.#monotonicMs(), waiting: [] }
    this.#places.set(key, place)
    return place
  }

  #startNext(): void {
    let soonestMs = Number.POSITIVE_INFINITY
    for (const [key, place] of this.#places) {
      if (this.#running >= this.#limits.runningMax) return
      if (place.waiting.length === 0 || (key !== '' && place.running >= this.#limits.runningPerKeyMax)) continue
      this.#refill(place)
      if (place.leftMs <= 0) {
        soonestMs = Math.min(soonestMs, (-place.leftMs / this.#limits.msPerS) * 1000)
        continue
      }
      // Behind all others.
      this.#places.delete(key)
      this.#places.set(key, place)
      place.running += 1
      this.#running += 1
      this.#waiting -= 1
      place.waiting.shift()?.()
    }
    if (soonestMs < Number.POSITIVE_INFINITY) this.#wakeIn(soonestMs)
  }

  #refill(place: Place): void {
    const nowMs = this.#monotonicMs()
    const { burstMs, msPerS } = this.#limits
    place.leftMs = Math.min(burstMs, place.leftMs + ((nowMs - place.countedAtMs) / 1000) * msPerS)
    place.countedAtMs = nowMs
  }

  #wakeIn(ms: number): void {
    // It may have been set for somebody who has to wait longer.
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#startNext(), Math.ceil(ms) + 1).unref()
  }

  /** Whoever has rested is as good as new. */
  #forget(): void {
    for (const [key, place] of this.#places) {
      this.#refill(place)
      if (place.running === 0 && place.waiting.length === 0 && place.leftMs === this.#limits.burstMs)
        this.#places.delete(key)
    }
  }
}
