import { untilTick } from '@wangian/kit/bell.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { listSuspensions } from './suspension-store.ts'

const LOOK_EVERY_MS = 300
/** A change may be committed this much after the time that it bears: no transaction of ours is that old. */
const COMMITTED_WITHIN_MS = 30_000

/**
 * Who is banned or gone, in memory for the owner, who cannot ask Postgres at every bid. The events reach one of the processes; each looks
 * for what they changed every 0.3 s.
 */
export class Suspensions {
  readonly #pool: DatabasePool
  readonly #onTrouble: (message: string, error: unknown) => void
  readonly #suspendedSinceMs = new Map<number, number>()
  #knownUntilMs: number | null = null
  #timer: NodeJS.Timeout | null = null
  #looking: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(options: { pool: DatabasePool; onTrouble: (message: string, error: unknown) => void }) {
    this.#pool = options.pool
    this.#onTrouble = options.onTrouble
  }

  /** Since when somebody is banned or gone, epoch ms by identity's events; `null` for who is not. */
  sinceMs(userId: number): number | null {
    return this.#suspendedSinceMs.get(userId) ?? null
  }

  /** Everything is known when this resolves, and is kept up to date from then on. */
  async start(): Promise<void> {
    await this.#look()
    this.#goOn()
  }

  /** Resolves when the last look is over: the pool may end then. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#looking
  }

  #goOn(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#looking = this.#look()
        .catch((error: unknown) => this.#onTrouble('cannot look who is suspended', error))
        .finally(() => this.#goOn())
    }, untilTick(LOOK_EVERY_MS))
  }

  async #look(): Promise<void> {
    const { changes, nowMs } = await listSuspensions(this.#pool, this.#knownUntilMs)
    for (const { userId, isSuspended, sinceMs } of changes) {
      if (isSuspended) this.#suspendedSinceMs.set(userId, sinceMs)
      else this.#suspendedSinceMs.delete(userId)
    }
    this.#knownUntilMs = nowMs - COMMITTED_WITHIN_MS
  }
}
