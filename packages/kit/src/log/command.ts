import { setTimeout as delay } from 'node:timers/promises'
import type { EventMetadata } from '@wangian/contracts/envelope.ts'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { type DatabasePool, sql, type Transaction } from '../database/postgres.ts'
import { invariant } from '../invariant.ts'
import { traced } from '../service/tracing.ts'
import { type Decider, fold } from './decider.ts'
import {
  type Append,
  appendEvents,
  appendToStreams,
  type NewEvent,
  type RecordedEvent,
  readStream,
  readStreams,
  VersionConflict,
} from './event-store.ts'

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
  const { decider, stream, project } = run
  const { before, append } = decideOn(run, await readStream(transaction, decider.service, stream))
  const { expectedVersion } = append
  if (append.events.length === 0) return { state: before, version: expectedVersion, events: [] }
  const events = await appendEvents(transaction, append)
  const state = fold(decider, events, before)
  await project?.(transaction, events, state)
  return { state, version: expectedVersion + events.length, events }
}

function decideOn<State, Command, Event extends NewEvent>(
  { decider, stream, command, metadata }: CommandRun<State, Command, Event>,
  history: readonly NewEvent[],
): { readonly before: State; readonly append: Append<Event> } {
  const before = fold(decider, history as readonly Event[])
  const events = decider.decide(command, before)
  return { before, append: { service: decider.service, stream, expectedVersion: history.length, events, metadata } }
}

/** Writes what the same service reads back at once, in the append's own transaction: events of one or more streams, in the order of each. */
type Project<Event extends NewEvent> = (
  transaction: Transaction,
  events: readonly RecordedEvent<Event>[],
) => Promise<void>

/** A command that may be carried out together with others. What types it is of is its own matter. */
export interface SharedCommand {
  readonly service: EventSource
  readonly stream: string
  /** @throws Rejection from `decide` */
  readonly decide: (history: readonly NewEvent[]) => Append<NewEvent>
  readonly project: Project<NewEvent>
}

/** `project` is called once for all commands that have the very same one. */
export interface SharedRun<State, Command, Event extends NewEvent>
  extends Omit<CommandRun<State, Command, Event>, 'project'> {
  readonly project: Project<Event>
}

/** A command for {@link runTogether}. */
export function sharedCommand<State, Command, Event extends NewEvent>(
  run: SharedRun<State, Command, Event>,
): SharedCommand {
  const { decider, stream, project } = run
  return {
    service: decider.service,
    stream,
    decide: (history) => decideOn(run, history).append,
    // What it is given are events that it has decided on itself.
    project: project as Project<NewEvent>,
  }
}

/**
 * One attempt of several commands of a service, each of another stream, within a transaction that has not written yet. All are appended at once
 * before anything is projected, since an append is the first write of its transaction; in the order of the streams, so that two who append to the same ones
 * never wait for each other.
 * @throws Rejection from `decide`; VersionConflict, which loses the transaction
 */
export async function runTogether(transaction: Transaction, all: readonly SharedCommand[]): Promise<void> {
  const commands = all.toSorted((one, other) => (one.stream < other.stream ? -1 : 1))
  const [first] = commands
  if (first === undefined) return
  const streams = commands.map(({ stream }) => stream)
  const histories = await readStreams(transaction, first.service, streams)
  invariant(histories.size === commands.length, 'commands that are carried out together have a stream each')
  const appends = commands.map(({ stream, decide }) => decide(histories.get(stream) ?? []))
  const appended = Map.groupBy(await appendToStreams(transaction, appends), ({ stream }) => stream)
  for (const [project, those] of Map.groupBy(commands, (command) => command.project)) {
    const events = those.flatMap(({ stream }) => appended.get(stream) ?? [])
    if (events.length > 0) await project(transaction, events)
  }
}
