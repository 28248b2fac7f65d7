import { LRUCache } from 'lru-cache'

const MANY = 1_000
const REMEMBERED_FOR_MS = 5_000
const QUESTIONS_MAX = 500

/**
 * How many rows the lists of a table have. Counting many takes longer than finding a page of them, and nobody notices one more or less: what is
 * 1,000 or more, or more than is counted (`null`), is remembered for 5 s. Few are counted each time.
 */
export class Totals {
  readonly #known: LRUCache<string, { readonly total: number | null }>

  /** @param options `monotonicMs`: the clock; it never reads 0 */
  constructor(options: { readonly monotonicMs?: () => number } = {}) {
    this.#known = new LRUCache({
      max: QUESTIONS_MAX,
      ttl: REMEMBERED_FOR_MS,
      ...(options.monotonicMs && { perf: { now: options.monotonicMs }, ttlResolution: 0 }),
    })
  }

  /** @param question all that the total depends on */
  async get<Total extends number | null>(question: readonly unknown[], count: () => Promise<Total>): Promise<Total> {
    const known = this.known(question)
    if (known !== undefined) return known as Total
    const total = await count()
    this.remember(question, total)
    return total
  }

  /** What is remembered. */
  known(question: readonly unknown[]): number | null | undefined {
    return this.#known.get(JSON.stringify(question))?.total
  }

  /** What was counted on the way. */
  remember(question: readonly unknown[], total: number | null): void {
    if (total === null || total >= MANY) this.#known.set(JSON.stringify(question), { total })
  }
}
