import type { IdentityEvent } from '@wangian/contracts/identity.ts'
import type { Decider } from '@wangian/kit/decider.ts'
import { Rejection } from '@wangian/kit/errors.ts'

/** What the log knows about somebody. Addresses, names and passwords are not decided on, and not in it. */
export type UserState =
  | { readonly status: 'unknown' }
  | {
      readonly status: 'registered'
      readonly userId: number
      readonly username: string
      readonly isSeller: boolean
      readonly isAdmin: boolean
    }

export interface RegisterUser {
  readonly type: 'RegisterUser'
  readonly userId: number
  readonly username: string
  readonly isSeller: boolean
  readonly isAdmin: boolean
  /** ISO 8601. */
  readonly at: string
}

export type UserCommand = RegisterUser

/** @throws Rejection('conflict') when the stream belongs to somebody with another name */
function decide(command: UserCommand, state: UserState): readonly IdentityEvent[] {
  switch (command.type) {
    case 'RegisterUser':
      return registerUser(command, state)
    default:
      return command.type satisfies never
  }
}

function registerUser(command: RegisterUser, state: UserState): readonly IdentityEvent[] {
  if (state.status === 'registered') {
    if (state.username === command.username) return []
    throw new Rejection('conflict')
  }
  const { userId, username, isSeller, isAdmin, at } = command
  return [{ type: 'UserRegistered', data: { userId, username, isSeller, isAdmin, registeredAt: at } }]
}

function evolve(state: UserState, event: IdentityEvent): UserState {
  switch (event.type) {
    case 'UserRegistered': {
      const { userId, username, isSeller, isAdmin } = event.data
      return { status: 'registered', userId, username, isSeller, isAdmin }
    }
    default:
      event.type satisfies never
      return state
  }
}

export const userDecider: Decider<UserState, UserCommand, IdentityEvent> = {
  initialState: { status: 'unknown' },
  decide,
  evolve,
}

/** The stream of one user. */
export function userStream(userId: number): string {
  return `user-${userId}`
}
