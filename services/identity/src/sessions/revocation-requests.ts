import { identityRequests, REVOCATIONS_PER_PAGE } from '@wangian/contracts/identity-requests.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { readRevocations } from './revocation-store.ts'

/** No transaction of ours is that old, for Postgres cuts off statements, and idle transactions, after 5 s. */
const TRANSACTION_MAX_S = 30

/** Answers followers which sessions ended lately. */
export function serveRevocations(options: {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  readonly log: Logger
}): { stop(): Promise<void> } {
  const { nats, pool, log } = options
  return serveRequests(
    nats,
    'identity',
    identityRequests.listRevocations,
    async ({ afterId }) => {
      const page = { afterId, limit: REVOCATIONS_PER_PAGE, transactionMaxS: TRANSACTION_MAX_S }
      const { revocations, settledId } = await readRevocations(pool, page)
      return { revocations: [...revocations], settledId }
    },
    { log },
  )
}
