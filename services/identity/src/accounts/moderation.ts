import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { createRequestServer } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { deleteFactorsOf } from '../factors/factor-store.ts'
import { lockAdministrators, lockPerson } from '../leaving/closing-store.ts'
import { mailFactorTakenOff } from '../mails/factor-mails.ts'
import { projectUser } from '../projections.ts'
import { endSessions } from '../sessions/revocation.ts'
import { findAccount } from '../store.ts'
import { type UserCommand, userDecider, userStream } from './domain.ts'
import { isAdministrator, saveModerationReason } from './person-store.ts'

/** What an administrator does to somebody. */
interface Moderation {
  readonly userId: number
  /** The administrator. */
  readonly actorId: number
  /** `null` when none was given. */
  readonly reason: string | null
  readonly requestId: string
}

export interface BanCommand extends Moderation {
  readonly isBanned: boolean
}

export interface RoleCommand extends Moderation {
  readonly isAdmin: boolean
}

/**
 * Bans somebody, which ends all their sessions with the same commit, or lifts the ban.
 * @returns whether anything changed
 * @throws Rejection('admin-access-required') when the actor is no administrator now, whatever a token says
 * @throws Rejection('not-found') for somebody who is not there; Rejection('conflict') for oneself or an administrator
 */
export function setBanned(pool: DatabasePool, { isBanned, ...moderation }: BanCommand, now: Date): Promise<boolean> {
  const { userId, actorId } = moderation
  const at = now.toISOString()
  return moderate(
    pool,
    moderation,
    isBanned ? { type: 'BanUser', actorId, at } : { type: 'UnbanUser', at },
    (transaction) => (isBanned ? endSessions(transaction, { userId, reason: 'banned' }) : Promise.resolve()),
  )
}

/**
 * Appoints an administrator or dismisses one. Whoever is dismissed is signed out everywhere with the same commit.
 * @returns whether anything changed
 * @throws Rejection('admin-access-required') when the actor is no administrator now, not even while two dismiss each other
 * @throws Rejection('not-found') for somebody who is not there; Rejection('conflict') for oneself, and for somebody who is banned or not confirmed
 */
export function setAdministrator(
  pool: DatabasePool,
  { isAdmin, ...moderation }: RoleCommand,
  now: Date,
): Promise<boolean> {
  const { userId, actorId } = moderation
  const type = isAdmin ? 'AppointAdministrator' : 'DismissAdministrator'
  return moderate(pool, moderation, { type, actorId, at: now.toISOString() }, (transaction) =>
    isAdmin ? Promise.resolve() : endSessions(transaction, { userId, reason: 'signed-out' }),
  )
}

/**
 * Takes the second factor of somebody off who has lost it; all their sessions end with the same commit.
 * @returns whether there was one
 * @throws Rejection('admin-access-required') when the actor is no administrator now
 * @throws Rejection('not-found') for somebody who is not there; Rejection('conflict') for oneself
 */
export function removeFactors(
  { pool, publicUrl }: { readonly pool: DatabasePool; readonly publicUrl: string },
  moderation: Moderation,
  now: Date,
): Promise<boolean> {
  const { userId, actorId } = moderation
  const command = { type: 'RemoveSecondFactor', by: 'admin', actorId, at: now.toISOString() } as const
  return moderate(pool, moderation, command, async (transaction) => {
    await lockPerson(transaction, userId)
    await deleteFactorsOf(transaction, userId)
    await endSessions(transaction, { userId, reason: 'signed-out' })
    const account = await findAccount(transaction, userId)
    if (account !== null) await mailFactorTakenOff(transaction, account, publicUrl)
  })
}

async function moderate(
  pool: DatabasePool,
  { userId, actorId, reason, requestId }: Moderation,
  command: UserCommand,
  within: (transaction: Transaction) => Promise<void>,
): Promise<boolean> {
  if (!(await isAdministrator(pool, actorId))) throw new Rejection('admin-access-required')
  const { events } = await runCommand({
    pool,
    decider: userDecider,
    stream: userStream(userId),
    command,
    metadata: { actorId, correlationId: requestId, causationId: null, commandId: null },
    project: async (transaction, decided) => {
      await lockAdministrators(transaction)
      for (const event of decided) await projectUser(transaction, event)
      // Two who dismiss each other at once: one of them is none any more.
      if (!(await isAdministrator(transaction, actorId))) throw new Rejection('admin-access-required')
      if (reason !== null) await saveModerationReason(transaction, { userId, reason, at: command.at })
      await within(transaction)
    },
  })
  return events.length > 0
}

/** Takes commands of administrators from the bus. */
export function serveModeration(options: {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  readonly config: { readonly publicUrl: string }
  readonly onAppended: () => void
  readonly log: Logger
}): { stop(): Promise<void> } {
  const { nats, pool, config, onAppended, log } = options
  const tell = (hasChanged: boolean) => {
    if (hasChanged) onAppended()
    return { hasChanged }
  }
  const requests = createRequestServer(nats, 'identity', log)
  requests.answer(identityRequests.setBanned, async (command) => tell(await setBanned(pool, command, new Date())))
  requests.answer(identityRequests.setAdministrator, async (command) =>
    tell(await setAdministrator(pool, command, new Date())),
  )
  requests.answer(identityRequests.removeFactors, async (command) =>
    tell(await removeFactors({ pool, publicUrl: config.publicUrl }, command, new Date())),
  )
  return requests
}
