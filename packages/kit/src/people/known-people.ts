import type { PublicPerson } from '@wangian/contracts/identity.ts'
import type { Transaction } from '../database/postgres.ts'
import { deleteLettersOfStreams } from '../log/dead-letters.ts'
import type { BulkEventHandlers } from '../log/event-handlers.ts'
import type { ConsumedProjection } from '../log/rebuild.ts'
import {
  saveBans,
  saveClosings,
  saveErasures,
  saveProfiles,
  saveRegistrations,
  saveVerifiedEmails,
} from './people-store.ts'

/**
 * Keeps `known_people` as identity says. Nobody is told of any more who has gone, and the events from before say so, too. What they say may come
 * in any order: each part of what is known has the version of the event that it is from.
 */
export const peopleHandlers = {
  UserRegistered: async (transaction, events) => {
    await tell(transaction, events)
    await saveRegistrations(
      transaction,
      events.map(({ data }) => data),
    )
  },
  EmailVerified: (transaction, events) =>
    saveVerifiedEmails(
      transaction,
      events.map(({ data }) => data.userId),
    ),
  ProfileUpdated: tell,
  UserBanned: (transaction, events) =>
    saveBans(
      transaction,
      events.map(({ data: { userId, bannedAt }, version }) => ({ userId, version, bannedAt })),
    ),
  UserUnbanned: (transaction, events) =>
    saveBans(
      transaction,
      events.map(({ data: { userId }, version }) => ({ userId, version, bannedAt: null })),
    ),
  AccountClosed: async (transaction, events) => {
    await forget(transaction, events)
    await saveClosings(
      transaction,
      events.map(({ data: { userId, closedAt }, version }) => ({ userId, version, closedAt })),
    )
  },
  AccountReopened: async (transaction, events) => {
    await tell(transaction, events)
    await saveClosings(
      transaction,
      events.map(({ data: { userId, person, reopenedAt }, version }) => ({
        userId,
        version,
        // Gone again since it was told.
        closedAt: person === null ? reopenedAt : null,
      })),
    )
  },
  UserErased: async (transaction, events) => {
    await forget(transaction, events)
    await saveErasures(
      transaction,
      events.map(({ data }) => data.userId),
    )
    await deleteLettersOfStreams(
      transaction,
      events.map(({ stream }) => stream),
    )
  },
} as const satisfies BulkEventHandlers<'identity'>

/** Who people are, for services that need no more of it. */
export const peopleProjection = {
  source: 'identity',
  name: 'people',
  bulkHandlers: peopleHandlers,
  tables: [{ name: 'known_people' }],
} as const satisfies ConsumedProjection

interface EventOfPerson<Data> {
  readonly data: Data
  readonly version: number
}

function tell(
  transaction: Transaction,
  events: readonly EventOfPerson<{ readonly userId: number; readonly person: PublicPerson | null }>[],
): Promise<void> {
  return saveProfiles(
    transaction,
    events.map(({ data: { userId, person }, version }) => ({ userId, version, person })),
  )
}

/** What is left of somebody who has deleted their account: that there was somebody. */
function forget(
  transaction: Transaction,
  events: readonly EventOfPerson<{ readonly userId: number }>[],
): Promise<void> {
  return saveProfiles(
    transaction,
    events.map(({ data: { userId }, version }) => ({ userId, version, person: null })),
  )
}
