import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { projectUser } from '../projections.ts'
import { endSessions } from '../sessions/revocation.ts'
import { findAccount } from '../store.ts'
import { userDecider, userStream } from './domain.ts'
import { saveBanReason } from './person-store.ts'

export interface BanCommand {
  readonly userId: number
  readonly isBanned: boolean
  /** The administrator who bans, or lifts the ban. */
  readonly actorId: number
  readonly reason: string
  readonly requestId: string
}

/**
 * Bans somebody, which ends all their sessions with the same commit, or lifts the ban.
 * @returns whether anything changed
 * @throws Rejection('admin-access-required') when the actor is no administrator now, whatever a token says
 * @throws Rejection('not-found') for somebody who is not there; Rejection('conflict') for oneself or an administrator
 */
export async function setBanned(pool: DatabasePool, command: BanCommand, now: Date): Promise<boolean> {
  const { userId, isBanned, actorId, reason, requestId } = command
  const actor = await findAccount(pool, actorId)
  if (actor === null || !actor.isAdmin || actor.isBanned) throw new Rejection('admin-access-required')
  const at = now.toISOString()
  const { events } = await runCommand({
    pool,
    decider: userDecider,
    stream: userStream(userId),
    command: isBanned ? { type: 'BanUser', actorId, at } : { type: 'UnbanUser', at },
    metadata: { actorId, correlationId: requestId, causationId: null, commandId: null },
    project: async (transaction, banned) => {
      for (const event of banned) await projectUser(transaction, event)
      if (!isBanned) return
      await saveBanReason(transaction, { userId, reason, at })
      await endSessions(transaction, { userId, reason: 'banned' })
    },
  })
  return events.length > 0
}

/** Takes commands to ban from the bus. */
export function serveBans(options: {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  readonly onAppended: () => void
  readonly log: Logger
}): { stop(): Promise<void> } {
  const { nats, pool, onAppended, log } = options
  return serveRequests(
    nats,
    'identity',
    identityRequests.setBanned,
    async (command) => {
      const hasChanged = await setBanned(pool, command, new Date())
      if (hasChanged) onAppended()
      return { hasChanged }
    },
    { log },
  )
}
