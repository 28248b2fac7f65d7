import type { AdminEvent } from '@wangian/contracts/events/admin.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import type { OwnProjection } from '@wangian/kit/log/rebuild.ts'
import { noteWordsAbout } from '@wangian/kit/people/erased-words.ts'
import { insertAction } from './record/activity-store.ts'
import { dropReasonsOfErased, listPeopleOf } from './record/erased-words-store.ts'

/** Writes one event of the log into the table that the record is read from. */
export async function projectActivity(transaction: Transaction, event: AdminEvent): Promise<void> {
  switch (event.type) {
    case 'AdminActionTaken':
      await insertAction(transaction, event.data)
      if (event.data.reason !== null) await noteWordsAbout(transaction, await listPeopleOf(transaction, event.data))
      return
    default:
      return event.type satisfies never
  }
}

export async function projectActivities(transaction: Transaction, events: readonly AdminEvent[]): Promise<void> {
  for (const event of events) await projectActivity(transaction, event)
}

/** What administrators have done. */
export const activityProjection: OwnProjection<'admin'> = {
  name: 'activity',
  tables: [{ name: 'activity' }],
  replay: () => ({ project: projectActivity }),
  finish: dropReasonsOfErased,
}
