import { LRUCache } from 'lru-cache'

/** How long an answer is given. */
export interface AnswerAge {
  readonly freshMs: number
  /** So long after that it is still given while the next one is being found, so that nobody waits. */
  readonly staleMs?: number
}

/**
 * Keeps answers for a short while; those who ask the same at the same time wait for one answer. It holds `bytesMax` bytes at most, by the
 * length of the answers as JSON or as whoever asks measures them; what was asked for longest ago goes first. A failure is not kept.
 */
export class AnswerCache {
  readonly #answers: LRUCache<string, Answer, () => Promise<Answer>>

  /** @param options `monotonicMs`: the clock; it never reads 0 */
  constructor(options: { readonly bytesMax: number; readonly monotonicMs?: () => number }) {
    this.#answers = new LRUCache({
      maxSize: options.bytesMax,
      sizeCalculation: ({ bytes }, key) => key.length + bytes,
      fetchMethod: (_key, _stale, { context: find }) => find(),
      // What is pushed out before it was found is still the answer of those who wait for it.
      ignoreFetchAbort: true,
      noDeleteOnFetchRejection: true,
      ...(options.monotonicMs && { perf: { now: options.monotonicMs }, ttlResolution: 0 }),
    })
  }

  /** What the answers take now. */
  get bytes(): number {
    return this.#answers.calculatedSize
  }

  /** Whether there is an answer at once. */
  knows(question: readonly unknown[]): boolean {
    return this.#answers.has(JSON.stringify(question))
  }

  /**
   * @param question all that the answer depends on, and what kind of answer it is
   * @param age with `freshMs` 0, nothing is kept
   * @param bytesOf for answers whose length is known: to write large ones as JSON takes longer than to keep them
   */
  async get<Value>(
    question: readonly unknown[],
    age: AnswerAge,
    find: () => Promise<Value>,
    bytesOf: (value: Value) => number = jsonLength,
  ): Promise<Value> {
    const { freshMs, staleMs = 0 } = age
    if (freshMs === 0) return find()
    const key = JSON.stringify(question)
    const leftMs = this.#answers.getRemainingTTL(key)
    const answer = await this.#answers.forceFetch(key, {
      context: async () => {
        const value = await find()
        return { value, bytes: bytesOf(value) }
      },
      ttl: freshMs + staleMs,
      forceRefresh: leftMs <= staleMs,
      allowStale: leftMs > 0,
    })
    return answer.value as Value
  }
}

/** So that `undefined` and `null` are answers, too. */
interface Answer {
  readonly value: unknown
  readonly bytes: number
}

const jsonLength = (value: unknown) => JSON.stringify(value)?.length ?? 0
