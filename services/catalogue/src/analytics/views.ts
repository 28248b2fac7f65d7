import { createHash } from 'node:crypto'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { forgetViewers, saveViews, type View } from './figures-store.ts'
import { malaysianDay } from './malaysian-day.ts'

const FLUSH_INTERVAL_MS = 2_000
/** More than this many wait only while the database is away; then they are not counted. */
const WAITING_MAX = 20_000
const BATCH_MAX = 2_000
const FORGOTTEN_AT_ONCE_MAX = 10_000

/** Gathers who looks at what, and writes it down now and then: a page that many look at costs a row in a batch, not a commit each. */
export class Views {
  readonly #pool: DatabasePool
  readonly #log: Pick<Logger, 'warn'> | undefined
  readonly #nowMs: () => number
  /** By product and viewer: who looks again while it waits is not gathered twice. */
  readonly #waiting = new Map<string, View>()
  #prunedDay = ''
  #timer: NodeJS.Timeout | null = null
  #flushing: Promise<void> = Promise.resolve()

  constructor(options: { pool: DatabasePool; log?: Pick<Logger, 'warn'>; nowMs?: () => number }) {
    this.#pool = options.pool
    this.#log = options.log
    this.#nowMs = options.nowMs ?? Date.now
  }

  /** @param who the id of a person, or the address of a guest */
  record(productId: number, who: { readonly userId: number } | { readonly address: string }): void {
    const nowMs = this.#nowMs()
    const day = malaysianDay(nowMs)
    const userId = 'userId' in who ? who.userId : null
    const viewer = viewerOf(day, 'userId' in who ? `person ${who.userId}` : `address ${who.address}`)
    const key = `${day} ${productId} ${viewer}`
    if (this.#waiting.has(key) || this.#waiting.size >= WAITING_MAX) return
    this.#waiting.set(key, { productId, day, viewer, userId, at: new Date(nowMs).toISOString() })
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL_MS)
  }

  /** Writes down what waits; what cannot be written waits on. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#flushing = this.#flushing.then(() => this.#write())
    return this.#flushing
  }

  async stop(): Promise<void> {
    await this.flush()
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting.size > 0) {
        const batch = [...this.#waiting].slice(0, BATCH_MAX)
        await this.#pool.transaction((transaction) =>
          saveViews(
            transaction,
            batch.map(([, view]) => view),
          ),
        )
        for (const [key] of batch) this.#waiting.delete(key)
      }
      const today = malaysianDay(this.#nowMs())
      if (this.#prunedDay === today) return
      for (let forgotten = FORGOTTEN_AT_ONCE_MAX; forgotten === FORGOTTEN_AT_ONCE_MAX; )
        forgotten = await forgetViewers(this.#pool, today, FORGOTTEN_AT_ONCE_MAX)
      this.#prunedDay = today
    } catch (error) {
      this.#log?.warn({ err: error }, 'cannot write down views yet')
      this.#timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL_MS)
    }
  }
}

/** A number that stands for somebody on one day only. */
function viewerOf(day: string, who: string): bigint {
  return createHash('sha256').update(`${day} ${who}`).digest().readBigInt64BE()
}
