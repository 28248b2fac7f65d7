import type { EventSource } from '@wangian/contracts/events/by-service.ts'

/**
 * A pure core: what may happen (`decide`) and what it means (`evolve`). Neither reads a clock, draws a random number nor
 * does I/O; time, ids and the acting user arrive in the command. `decide` throws a Rejection when the business says no,
 * and returns `[]` when the command is satisfied already.
 */
export interface Decider<State, Command, Event> {
  /** In whose log the events are. */
  readonly service: EventSource
  readonly initialState: State
  decide(command: Command, state: State): readonly Event[]
  evolve(state: State, event: Event): State
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
