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
