import assert from 'node:assert/strict'
import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { Rejection } from '../errors.ts'
import { type Decider, fold, isRefusal, type Refusal } from '../log/decider.ts'

export interface DeciderSpec<Command, Event> {
  /** What is asked after the given events. */
  when(command: Command): Outcome<Event>
}

export interface Outcome<Event> {
  /** Exactly these events are decided. */
  then(events: readonly Event[]): void
  /** The business says no with this code, and, where given, these details. */
  thenRejects(code: ErrorCode, details?: unknown): void
  /** The command is satisfied already. */
  thenNothing(): void
}

/** `given(decider, events).when(command).then(events)`; also checks that `decide` is pure, by asking it twice. */
export function given<State, Command, Event>(
  decider: Decider<State, Command, Event, Refusal>,
  events: readonly Event[],
): DeciderSpec<Command, Event> {
  return {
    when(command) {
      const decide = (): readonly Event[] => {
        const decision = decider.decide(command, fold(decider, events))
        if (isRefusal(decision)) throw new Rejection(decision.code, decision.message)
        return decision
      }
      return {
        // biome-ignore lint/suspicious/noThenProperty: a test reads given, when, then; nobody awaits this
        then(expected) {
          assert.deepEqual(decide(), expected)
          assert.deepEqual(decide(), expected, 'decide answers differently when asked again')
        },
        thenRejects(code, details) {
          assert.throws(decide, (error) => {
            if (!(error instanceof Rejection)) throw error
            assert.equal(error.code, code)
            if (details !== undefined) assert.deepEqual(error.details, details)
            return true
          })
        },
        thenNothing() {
          assert.deepEqual(decide(), [])
        },
      }
    },
  }
}
