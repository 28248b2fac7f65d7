import { setTimeout as delay } from 'node:timers/promises'
import type { EventMetadata } from '@wangian/contracts/envelope.ts'
import { type DatabasePool, sql, type Transaction } from '../database/postgres.ts'
import { traced } from '../service/tracing.ts'
import { type Decider, fold } from './decider.ts'
import { appendEvents, type NewEvent, type RecordedEvent, readStream, VersionConflict } from './event-store.ts'

export interface Decision<State, Event extends NewEvent> {
  readonly state: State
  /** The stream's version after the command. */
  readonly version: number
  /** What the command added to the log; empty when there was nothing to do. */
  readonly events: readonly RecordedEvent<Event>[]
}

export interface CommandRun<State, Command, Event extends NewEvent> {
  readonly decider: Decider<State, Command, Event>
  readonly stream: string
  readonly command: Command
  readonly metadata: EventMetadata
  /** Writes what the same service reads back at once, in the append's own transaction. Not called without events. */
  readonly project?: (transaction: Transaction, events: readonly RecordedEvent<Event>[], state: State) => Promise<void>
}

const RETRIES_MAX = 5
const RETRY_DELAY_MIN_MS = 5

/**
 * Loads a stream, decides, appends and projects in one transaction. When somebody else appended in between, it starts
 * over, at most `retriesMax` times.
 * @param run.before looks at what the decision rests on besides the stream, each time anew; it writes nothing
 * @throws Rejection from `before` and `decide`; VersionConflict when the retries are used up
 */
export function runCommand<State, Command, Event extends NewEvent>(
  run: CommandRun<State, Command, Event> & {
    readonly pool: DatabasePool
    readonly before?: ((transaction: Transaction) => Promise<void>) | undefined
    readonly retriesMax?: number
  },
): Promise<Decision<State, Event>> {
  return traced({ name: `command ${run.decider.service}` }, () => tryCommand(run))
}

function tryCommand<State, Command, Event extends NewEvent>(
  run: Parameters<typeof runCommand<State, Command, Event>>[0],
): Promise<Decision<State, Event>> {
  const { pool, before, retriesMax } = run
  const attempt = (retries: number) =>
    pool.transaction(async (transaction) => {
      // Whoever met somebody waits in line from then on: by luck alone the last of many would be given up.
      if (retries > 0) await lockStream(transaction, run)
      await before?.(transaction)
      return runCommandIn(transaction, run)
    })
  return overConflicts(attempt, retriesMax)
}

/**
 * Does something anew when somebody else appended to its stream in between.
 * @param attempt is told how often it was done in vain
 * @throws VersionConflict when it was done anew `retriesMax` times
 */
export async function overConflicts<Result>(
  attempt: (retries: number) => Promise<Result>,
  retriesMax = RETRIES_MAX,
): Promise<Result> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt(retries)
    } catch (error) {
      if (!(error instanceof VersionConflict) || retries >= retriesMax) throw error
      // Random, so that two who met once do not meet again.
      await delay(Math.random() * RETRY_DELAY_MIN_MS * 2 ** (retries + 1))
    }
  }
}

/** Not a write: the append stays the first one of its transaction. */
async function lockStream(
  transaction: Transaction,
  { decider, stream }: { readonly decider: { readonly service: string }; readonly stream: string },
): Promise<void> {
  await transaction.query(sql.unsafe`
    select pg_advisory_xact_lock(hashtext(${decider.service}), hashtext(${stream}))`)
}

/**
 * One attempt of a command within a transaction that has not written yet, for reactions to other services' events.
 * @throws Rejection from `decide`; VersionConflict, which loses the transaction
 */
export async function runCommandIn<State, Command, Event extends NewEvent>(
  transaction: Transaction,
  run: CommandRun<State, Command, Event>,
): Promise<Decision<State, Event>> {
  const { decider, stream, command, metadata, project } = run
  const { service } = decider
  const history = (await readStream(transaction, service, stream)) as readonly NewEvent[] as readonly Event[]
  const before = fold(decider, history)
  const expectedVersion = history.length
  const decided = decider.decide(command, before)
  if (decided.length === 0) return { state: before, version: expectedVersion, events: [] }
  const events = await appendEvents(transaction, { service, stream, expectedVersion, events: decided, metadata })
  const state = fold(decider, events, before)
  await project?.(transaction, events, state)
  return { state, version: expectedVersion + events.length, events }
}
