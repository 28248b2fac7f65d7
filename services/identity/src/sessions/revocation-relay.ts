import { SESSIONS_REVOKED_SUBJECT } from '@wangian/contracts/revocations.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { type ExclusiveSession, keepExclusiveSession } from '@wangian/kit/database/exclusive-session.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { deleteOldRevocations, listen, REVOCATION_CHANNEL } from './revocation-store.ts'

const PURGE_EVERY_MS = 60_000

/**
 * Tells everybody of ended sessions as soon as Postgres tells us, i.e. with the commit, whichever process ended them. What is lost on
 * the way (no bus, no listener for a moment) the followers ask for by themselves.
 */
export function startRevocationRelay(options: {
  readonly databaseUrl: string
  readonly pool: DatabasePool
  readonly nats: NatsConnection
  readonly log: Logger
}): { stop(): Promise<void> } {
  const { databaseUrl, pool, nats, log } = options
  const keeper = keepExclusiveSession({
    url: databaseUrl,
    lock: 'revocations',
    applicationName: 'identity-revocations',
    log,
    work: ({ client, signal }) => relay({ client, signal }, nats),
  })
  const purge = setInterval(() => {
    deleteOldRevocations(pool).catch((error: unknown) => log.warn({ err: error }, 'could not forget old revocations'))
  }, PURGE_EVERY_MS)
  purge.unref()
  return {
    async stop() {
      clearInterval(purge)
      await keeper.stop()
    },
  }
}

async function relay({ client, signal }: ExclusiveSession, nats: NatsConnection): Promise<void> {
  client.on('notification', ({ payload }) => {
    // Later it would be no news: followers that were cut off ask.
    if (payload !== undefined && !nats.isClosed()) nats.publish(SESSIONS_REVOKED_SUBJECT, payload)
  })
  await listen(client, REVOCATION_CHANNEL)
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
