/** Remembers numbers for a short while, and so many at most. */
export class ShortMemory {
  readonly #forMs: number
  readonly #max: number
  /** In the order in which they run out. */
  readonly #untilMs = new Map<number, number>()

  constructor(options: { readonly forMs: number; readonly max: number }) {
    this.#forMs = options.forMs
    this.#max = options.max
  }

  has(value: number): boolean {
    const untilMs = this.#untilMs.get(value)
    if (untilMs === undefined) return false
    if (untilMs > performance.now()) return true
    this.#untilMs.delete(value)
    return false
  }

  add(value: number): void {
    this.#untilMs.delete(value)
    this.#untilMs.set(value, performance.now() + this.#forMs)
    if (this.#untilMs.size <= this.#max) return
    const [oldest] = this.#untilMs.keys()
    if (oldest !== undefined) this.#untilMs.delete(oldest)
  }
}

/** Counts what is held at the same time per key, e.g. sockets per address. */
export class KeyedCounts {
  readonly #max: number
  readonly #counts = new Map<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#counts.size
  }

  /** `false` when the key holds as many as it may. */
  acquire(key: string): boolean {
    const count = this.#counts.get(key) ?? 0
    if (count >= this.#max) return false
    this.#counts.set(key, count + 1)
    return true
  }

  release(key: string): void {
    const count = this.#counts.get(key) ?? 0
    if (count <= 1) this.#counts.delete(key)
    else this.#counts.set(key, count - 1)
  }
}
