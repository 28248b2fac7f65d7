import { LRUCache } from 'lru-cache'

/** How long something is kept at most, whatever its version. */
const AGE_MAX_MS = 60_000

/**
 * Keeps what was made of something for as long as that stays the same: it is asked for with the version that counts now, so that nobody has to
 * say when it changes. It holds `bytesMax` bytes at most; what was asked for longest ago goes first.
 */
export class VersionedCache<Value extends object> {
  readonly #kept: LRUCache<number, { readonly version: string; readonly value: Value; readonly bytes: number }>

  constructor({ bytesMax }: { readonly bytesMax: number }) {
    this.#kept = new LRUCache({ maxSize: bytesMax, ttl: AGE_MAX_MS, sizeCalculation: ({ bytes }) => bytes })
  }

  /** Whether some version of it is kept, for which to ask pays. */
  has(id: number): boolean {
    return this.#kept.has(id)
  }

  find(id: number, version: string): Value | null {
    const kept = this.#kept.get(id)
    return kept?.version === version ? kept.value : null
  }

  /** @param bytes about how much it takes, more than 0 */
  keep(id: number, version: string, value: Value, bytes: number): void {
    this.#kept.set(id, { version, value, bytes })
  }
}
