interface Remembered<Value> {
  readonly value: Promise<Value>
  readonly untilMs: number
}

/**
 * Remembers answers for a short while, and lets those who ask the same at the same time wait for one answer. Bounded: the oldest goes
 * first. A failure is not remembered.
 */
export class BriefMemory<Value> {
  readonly #ttlMs: number
  readonly #entriesMax: number
  readonly #monotonicMs: () => number
  readonly #entries = new Map<string, Remembered<Value>>()

  constructor(options: { ttlMs: number; entriesMax: number; monotonicMs?: () => number }) {
    this.#ttlMs = options.ttlMs
    this.#entriesMax = options.entriesMax
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now())
  }

  get(key: string, find: () => Promise<Value>): Promise<Value> {
    const nowMs = this.#monotonicMs()
    const known = this.#entries.get(key)
    if (known !== undefined && nowMs < known.untilMs) return known.value
    const value = find()
    const entry = { value, untilMs: nowMs + this.#ttlMs }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (this.#entries.size > this.#entriesMax) {
      const [oldest] = this.#entries.keys()
      if (oldest !== undefined) this.#entries.delete(oldest)
    }
    value.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    })
    return value
  }
}
