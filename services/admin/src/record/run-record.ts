import type { AdminEvent } from '@wangian/contracts/events/admin.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { runCommand, type SharedCommand, type SharedRun, sharedCommand } from '@wangian/kit/log/command.ts'
import { projectActivities } from '../projections.ts'
import { type Action, actionStream, recordDecider } from './domain.ts'

interface Cause {
  /** Of the request at the start of the chain. */
  readonly correlationId: string
  /** Of the event that tells of it; `null` where there is none. */
  readonly causationId: string | null
}

/** Puts an action into the record, in a transaction of its own. */
export async function recordAction(pool: DatabasePool, action: Action, cause: Cause): Promise<void> {
  await runCommand({ pool, ...runOf(action, cause) })
}

/** The same, to be carried out with others. */
export const recordingOf = (action: Action, cause: Cause): SharedCommand => sharedCommand(runOf(action, cause))

type Run = SharedRun<'absent' | 'recorded', { readonly type: 'RecordAction'; readonly action: Action }, AdminEvent>

function runOf(action: Action, cause: Cause): Run {
  return {
    decider: recordDecider,
    stream: actionStream(action),
    command: { type: 'RecordAction', action },
    metadata: { ...cause, actorId: action.actorId, commandId: null },
    project: projectActivities,
  }
}
