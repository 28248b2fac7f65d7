import type { AdminEvent } from '@wangian/contracts/events/admin.ts'
import type { Decider } from '@wangian/kit/log/decider.ts'

/** What an administrator has done, as the record has it. */
export type Action = AdminEvent['data']

interface RecordAction {
  readonly type: 'RecordAction'
  readonly action: Action
}

/** Whether it is in the record. */
type Entry = 'absent' | 'recorded'

export function actionStream({ sourceId }: Pick<Action, 'sourceId'>): string {
  return `admin-action-${sourceId}`
}

/** Each action is recorded once. */
export const recordDecider: Decider<Entry, RecordAction, AdminEvent> = {
  service: 'admin',
  initialState: 'absent',
  decide: ({ action }, entry) => (entry === 'absent' ? [{ type: 'AdminActionTaken', data: action }] : []),
  evolve: () => 'recorded',
}
