import { boostRequests } from '@wangian/contracts/boost.ts'
import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import { messagingRequests } from '@wangian/contracts/messaging.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request as ask } from '@wangian/kit/bus/requests.ts'
import type { ActivityRow } from './activity-store.ts'

/**
 * Entries of the record with the reasons that are personal: identity has those about people, messaging those about reports, and boost how
 * a share was paid back, as long as they have who it is about. At most as many as each is asked for at once.
 */
export async function withReasons(
  nats: NatsConnection,
  entries: readonly ActivityRow[],
): Promise<readonly ActivityRow[]> {
  const ofKind = (kind: ActivityRow['target']['kind']) => entries.filter(({ target }) => target.kind === kind)
  const asked = [
    aboutPeople(nats, ofKind('user')),
    aboutReports(nats, ofKind('report')),
    ofRefunds(nats, ofKind('case')),
  ]
  const known = new Map((await Promise.all(asked)).flat())
  return entries.map((entry) => ({ ...entry, reason: known.get(keyOf(entry)) ?? entry.reason }))
}

type Known = readonly (readonly [key: string, reason: string])[]

/** Of people there are many moments, of a report or a case there is one decision. */
function keyOf({ target: { kind, id }, at }: Pick<ActivityRow, 'target' | 'at'>): string {
  return kind === 'user' ? momentOf(id, at) : `${kind} ${id}`
}

const momentOf = (userId: number | string, at: string) => `user ${userId} ${Date.parse(at)}`

async function aboutPeople(nats: NatsConnection, entries: readonly ActivityRow[]): Promise<Known> {
  if (entries.length === 0) return []
  const moments = entries.map(({ target, at }) => ({ userId: Number(target.id), at }))
  const { reasons } = await ask(nats, 'identity', identityRequests.listReasons, { moments })
  return reasons.map(({ userId, at, reason }) => [momentOf(userId, at), reason])
}

async function aboutReports(nats: NatsConnection, entries: readonly ActivityRow[]): Promise<Known> {
  if (entries.length === 0) return []
  const reportIds = entries.map(({ target }) => Number(target.id))
  const { reasons } = await ask(nats, 'messaging', messagingRequests.listDecisionReasons, { reportIds })
  return reasons.map(({ reportId, reason }) => [`report ${reportId}`, reason])
}

async function ofRefunds(nats: NatsConnection, entries: readonly ActivityRow[]): Promise<Known> {
  if (entries.length === 0) return []
  const caseIds = entries.map(({ target }) => Number(target.id))
  const { notes } = await ask(nats, 'boost', boostRequests.listRefundNotes, { caseIds })
  return notes.map(({ caseId, note }) => [`case ${caseId}`, note])
}
