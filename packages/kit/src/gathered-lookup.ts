/** How many lookups are on their way at once, so that the next one is sent while the one before is answered. */
const UNDER_WAY_MAX = 2
/** So that none takes long. */
const KEYS_MAX = 100

interface Wanted<Value> {
  readonly promise: Promise<Value | undefined>
  readonly resolve: (value: Value | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Looks up single values, together where they are asked for faster than they are found: one that comes alone is looked up at once, and what comes while
 * lookups are under way waits for the next one, as bids do for the next commit. Each value is read after it was asked for.
 */
export class GatheredLookup<Key, Value> {
  readonly #lookUp: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>
  readonly #waiting = new Map<Key, Wanted<Value>>()
  #underWay = 0

  /** @param lookUp the values of up to a hundred different keys; those without a value are left out. Where it fails, all who asked for these fail. */
  constructor(lookUp: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>) {
    this.#lookUp = lookUp
  }

  find(key: Key): Promise<Value | undefined> {
    let wanted = this.#waiting.get(key)
    if (wanted === undefined) {
      wanted = Promise.withResolvers<Value | undefined>()
      this.#waiting.set(key, wanted)
      this.#next()
    }
    return wanted.promise
  }

  #next(): void {
    if (this.#underWay === UNDER_WAY_MAX || this.#waiting.size === 0) return
    const taken = [...this.#waiting].slice(0, KEYS_MAX)
    for (const [key] of taken) this.#waiting.delete(key)
    this.#underWay += 1
    void this.#take(taken).finally(() => {
      this.#underWay -= 1
      this.#next()
    })
  }

  async #take(taken: readonly (readonly [Key, Wanted<Value>])[]): Promise<void> {
    try {
      const found = await this.#lookUp(taken.map(([key]) => key))
      for (const [key, { resolve }] of taken) resolve(found.get(key))
    } catch (error) {
      for (const [, { reject }] of taken) reject(error)
    }
  }
}
