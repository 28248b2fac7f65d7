import { boostRequests } from '@wangian/contracts/boost.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { listRefundNotes } from './orders/order-store.ts'

/** Answers administration. */
export function serveBoost(options: {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  readonly log: Logger
}): { stop(): Promise<void> } {
  const { nats, pool, log } = options
  return serveRequests(
    nats,
    'boost',
    boostRequests.listRefundNotes,
    async ({ caseIds }) => ({ notes: [...(await listRefundNotes(pool, caseIds))] }),
    { log },
  )
}
