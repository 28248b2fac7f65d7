import type { ErrorCode } from '@wangian/contracts/errors.ts'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'

/** A "no" of the business as a value, for deciders that say it so often that an exception would cost too much. */
export interface Refusal {
  readonly code: ErrorCode
  readonly message?: string | undefined
}

/**
 * A pure core: what may happen (`decide`) and what it means (`evolve`). Neither reads a clock, draws a random number nor
 * does I/O; time, ids and the acting user arrive in the command. `decide` throws a Rejection when the business says no, or
 * returns a {@link Refusal} where the type says so, and returns `[]` when the command is satisfied already.
 */
export interface Decider<State, Command, Event, Refused extends Refusal = never> {
  /** In whose log the events are. */
  readonly service: EventSource
  readonly initialState: State
  decide(command: Command, state: State): readonly Event[] | Refused
  evolve(state: State, event: Event): State
}

/** Tells a refusal from what else a function of a decider returns. */
export function isRefusal<Value extends object>(value: Value): value is Extract<Value, Refusal> {
  return !Array.isArray(value) && 'code' in value
}

/** The state after `events`, beginning from `state`, which is the initial one unless it is given. */
export function fold<State, Event>(
  decider: Pick<Decider<State, never, Event>, 'initialState' | 'evolve'>,
  events: Iterable<Event>,
  state: State = decider.initialState,
): State {
  let current = state
  for (const event of events) current = decider.evolve(current, event)
  return current
}
