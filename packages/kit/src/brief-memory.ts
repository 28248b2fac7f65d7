interface Remembered<Value> {
  readonly value: Promise<Value>
  readonly foundAtMs: number
  isBeingRenewed: boolean
}

/**
 * Remembers answers for a short while, and lets those who ask the same at the same time wait for one answer. Bounded: the oldest goes
 * first. A failure is not remembered.
 */
export class BriefMemory<Value> {
  readonly #ttlMs: number
  readonly #staleMs: number
  readonly #entriesMax: number
  readonly #monotonicMs: () => number
  readonly #entries = new Map<string, Remembered<Value>>()

  /** @param options `staleMs`: for so long after its time an answer is still given, while the next one is being found; then nobody waits for it */
  constructor(options: { ttlMs: number; staleMs?: number; entriesMax: number; monotonicMs?: () => number }) {
    this.#ttlMs = options.ttlMs
    this.#staleMs = options.staleMs ?? 0
    this.#entriesMax = options.entriesMax
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now())
  }

  get(key: string, find: () => Promise<Value>): Promise<Value> {
    const known = this.#entries.get(key)
    if (known === undefined) return this.#remember(key, find())
    const ageMs = this.#monotonicMs() - known.foundAtMs
    if (ageMs < this.#ttlMs) return known.value
    if (ageMs >= this.#ttlMs + this.#staleMs) return this.#remember(key, find())
    if (!known.isBeingRenewed) this.#renew(key, known, find())
    return known.value
  }

  /** What was known stays until there is an answer; when there is none, the next who asks has it looked for again. */
  #renew(key: string, known: Remembered<Value>, found: Promise<Value>): void {
    known.isBeingRenewed = true
    found.then(
      () => this.#remember(key, found),
      () => {
        known.isBeingRenewed = false
      },
    )
  }

  #remember(key: string, value: Promise<Value>): Promise<Value> {
    const entry = { value, foundAtMs: this.#monotonicMs(), isBeingRenewed: false }
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
