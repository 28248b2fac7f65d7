import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { findAccount } from '../store.ts'

/** Says who pays for something: a name and an address are personal, so they are asked for when they are needed and kept nowhere else. */
export function servePayers(options: {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  readonly log: Logger
}): { stop(): Promise<void> } {
  const { nats, pool, log } = options
  return serveRequests(
    nats,
    'identity',
    identityRequests.getPayer,
    async ({ userId }) => {
      const account = await findAccount(pool, userId)
      if (account === null) return { payer: null }
      const name = [account.firstName, account.lastName].filter(Boolean).join(' ')
      return { payer: { name: name || account.username, email: account.email } }
    },
    { log },
  )
}
