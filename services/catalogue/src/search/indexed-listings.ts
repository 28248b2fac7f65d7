import { setImmediate } from 'node:timers/promises'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { ListingIndex } from './domain/listing-index.ts'
import { CHANGES_START, type ChangesPosition, readChanges } from './index-store.ts'

/** Longer than this nobody waits for what is taken into the index. */
const TURN_MS = 5

interface Filled {
  readonly index: ListingIndex
  readonly readUpTo: ChangesPosition
}

/**
 * The index of this process, which reads what has changed when somebody asks: all who ask meanwhile wait for one reading, and each gets what was there
 * when they asked, or `ageMaxMs` before.
 */
export class IndexedListings {
  readonly #pool: Pick<DatabasePool, 'one'>
  readonly #ageMaxMs: number
  #filled: Filled = { index: new ListingIndex(), readUpTo: CHANGES_START }
  #isAsOfMs = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null
  #refilling: Promise<void> | null = null

  constructor({ pool, ageMaxMs }: { readonly pool: Pick<DatabasePool, 'one'>; readonly ageMaxMs: number }) {
    this.#pool = pool
    this.#ageMaxMs = ageMaxMs
  }

  /** The first time it reads everything, in pages: a second or two for a hundred thousand listings. Who holds an index may see newer listings in it. */
  async current(): Promise<ListingIndex> {
    const askedAtMs = performance.now()
    while (this.#isAsOfMs < askedAtMs - this.#ageMaxMs) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = null
      })
      await this.#reading
    }
    return this.#filled.index
  }

  async #read(): Promise<void> {
    const startedAtMs = performance.now()
    const filled = this.#filled
    const read = await this.#readOn(filled)
    // Another index has taken its place meanwhile, which is read on the next time.
    if (this.#filled !== filled) return
    this.#filled = read
    this.#isAsOfMs = startedAtMs
    if (read.index.isWorn) this.#refill()
  }

  /** Beside what is asked meanwhile. Where it fails, the next reading begins anew. */
  #refill(): void {
    this.#refilling ??= this.#readOn({ index: new ListingIndex(), readUpTo: CHANGES_START })
      .then((fresh) => {
        this.#filled = fresh
        this.#isAsOfMs = Number.NEGATIVE_INFINITY
      })
      .catch(() => {})
      .finally(() => {
        this.#refilling = null
      })
  }

  async #readOn({ index, readUpTo }: Filled): Promise<Filled> {
    let resume: ChangesPosition | undefined
    for (let after: ChangesPosition | null = readUpTo; after !== null; ) {
      const changes = await readChanges(this.#pool, after)
      for (const productId of changes.hidden) index.drop(productId)
      for await (const listing of inTurns(changes.shown)) index.save(listing)
      resume ??= changes.resume
      after = changes.next
    }
    return { index, readUpTo: resume ?? readUpTo }
  }
}

/** The same things, others having their turn in between. */
async function* inTurns<Thing>(things: Iterable<Thing>): AsyncGenerator<Thing> {
  let startedAtMs = performance.now()
  for (const thing of things) {
    if (performance.now() - startedAtMs > TURN_MS) {
      await setImmediate()
      startedAtMs = performance.now()
    }
    yield thing
  }
}
