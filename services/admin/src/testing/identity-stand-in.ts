import type { AdminUser } from '@wangian/contracts/admin.ts'
import { type FindPeople, identityRequests } from '@wangian/contracts/identity-requests.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { TestLog } from '@wangian/kit/testing/test-log.ts'
import { at } from './facts.ts'

/** What stands in for identity: it decides as that does, for a few people. */
export interface IdentityStandIn {
  readonly people: Map<number, AdminUser>
  readonly administrators: Set<number>
  /** What was asked for in the table of users. */
  readonly searches: FindPeople[]
  stop(): Promise<void>
}

export function adminUser(id: number, fields: Partial<AdminUser> = {}): AdminUser {
  return {
    id,
    username: `person-${id}`,
    email: `person-${id}@example.com`,
    firstName: null,
    lastName: null,
    isSeller: true,
    isAdmin: false,
    isBanned: false,
    isVerified: true,
    hasSecondFactor: false,
    status: 'active',
    createdAt: at(0),
    ...fields,
  }
}

export function standInForIdentity(nats: NatsConnection, log: TestLog): IdentityStandIn {
  const people = new Map<number, AdminUser>()
  const administrators = new Set<number>()
  const searches: FindPeople[] = []
  const reasons: { userId: number; at: string; reason: string }[] = []
  const details = { address: null, shopName: null, location: null, bio: null, profileImage: null }
  const { findPeople, getPerson, getAdministrator, listReasons } = identityRequests
  const { setBanned, setAdministrator, removeFactors } = identityRequests

  function find(userId: number, actorId: number): AdminUser {
    if (!administrators.has(actorId)) throw new Rejection('admin-access-required')
    const person = people.get(userId)
    if (person === undefined) throw new Rejection('user-not-found')
    return person
  }

  const servers = [
    serveRequests(nats, 'identity', findPeople, (asked) => {
      searches.push(asked)
      return { people: [...people.values()].slice(0, asked.limit), total: people.size, next: { key: 'x', id: 7 } }
    }),
    serveRequests(nats, 'identity', getPerson, ({ userId }) => {
      const person = people.get(userId)
      const rest = { ...details, lastSignInAt: null, closedAt: null, banReason: null }
      return { person: person === undefined ? null : { ...person, ...rest } }
    }),
    serveRequests(nats, 'identity', getAdministrator, ({ userId }) => ({
      isAdministrator: administrators.has(userId),
    })),
    serveRequests(nats, 'identity', listReasons, ({ moments }) => ({
      reasons: reasons.filter((one) => moments.some((moment) => moment.userId === one.userId && moment.at === one.at)),
    })),
    serveRequests(nats, 'identity', setBanned, async ({ userId, actorId, isBanned, reason }) => {
      const person = find(userId, actorId)
      if (administrators.has(userId)) throw new Rejection('conflict', 'Administrators cannot be banned.')
      if (person.isBanned === isBanned) return { hasChanged: false }
      people.set(userId, { ...person, isBanned })
      const changedAt = at(isBanned ? 40 : 41)
      if (reason !== null) reasons.push({ userId, at: changedAt, reason })
      const event = isBanned
        ? { type: 'UserBanned', data: { userId, bannedAt: changedAt } }
        : { type: 'UserUnbanned', data: { userId, unbannedAt: changedAt } }
      await log.appendBy(actorId, `user-${userId}`, event)
      return { hasChanged: true }
    }),
    serveRequests(nats, 'identity', setAdministrator, async ({ userId, actorId, isAdmin, reason }) => {
      find(userId, actorId)
      if (administrators.has(userId) === isAdmin) return { hasChanged: false }
      if (isAdmin) administrators.add(userId)
      else administrators.delete(userId)
      if (reason !== null) reasons.push({ userId, at: at(50), reason })
      const event = isAdmin
        ? { type: 'AdministratorAppointed', data: { userId, appointedAt: at(50) } }
        : { type: 'AdministratorDismissed', data: { userId, dismissedAt: at(50) } }
      await log.appendBy(actorId, `user-${userId}`, event)
      return { hasChanged: true }
    }),
    serveRequests(nats, 'identity', removeFactors, async ({ userId, actorId, reason }) => {
      const person = find(userId, actorId)
      if (!person.hasSecondFactor) return { hasChanged: false }
      people.set(userId, { ...person, hasSecondFactor: false })
      const removedAt = at(55)
      if (reason !== null) reasons.push({ userId, at: removedAt, reason })
      const event = { type: 'SecondFactorRemoved', data: { userId, by: 'admin', removedAt } } as const
      await log.appendBy(actorId, `user-${userId}`, event)
      return { hasChanged: true }
    }),
  ]
  return {
    people,
    administrators,
    searches,
    stop: async () => void (await Promise.all(servers.map((one) => one.stop()))),
  }
}
