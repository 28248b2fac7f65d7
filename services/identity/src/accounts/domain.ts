import type { IdentityEvent } from '@wangian/contracts/events/identity.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { Decider } from '@wangian/kit/log/decider.ts'

/** What the log knows about somebody. Addresses, names and passwords are not decided on, and not in it. */
export type UserState =
  | { readonly status: 'unknown' }
  | {
      /** `closed`: asked to be deleted, and will be `erased`. */
      readonly status: 'registered' | 'closed' | 'erased'
      readonly userId: number
      readonly isSeller: boolean
      readonly isAdmin: boolean
      readonly isVerified: boolean
      /** Several have registered with the address before one has proven it. */
      readonly isRegisteredAgain: boolean
      readonly isBanned: boolean
      readonly hasSecondFactor: boolean
    }

export interface RegisterUser {
  readonly type: 'RegisterUser'
  readonly userId: number
  readonly isSeller: boolean
  readonly isAdmin: boolean
  /** The address is known to be theirs already. */
  readonly isVerified: boolean
  /** ISO 8601, as in all commands. */
  readonly at: string
}

export type UserCommand =
  | RegisterUser
  /** `takesNames`: whoever has proven the address goes by the names of their form, which need not be those of whoever registered with it last. */
  | { readonly type: 'VerifyEmail'; readonly takesNames?: boolean; readonly at: string }
  | { readonly type: 'UpdateProfile'; readonly at: string }
  /** By an administrator, whose id is `actorId`. */
  | { readonly type: 'BanUser'; readonly actorId: number; readonly at: string }
  | { readonly type: 'UnbanUser'; readonly at: string }
  /** By an administrator, too, like the next one. */
  | { readonly type: 'AppointAdministrator'; readonly actorId: number; readonly at: string }
  | { readonly type: 'DismissAdministrator'; readonly actorId: number; readonly at: string }
  | { readonly type: 'RevokeSessions'; readonly reason: 'password-changed' | 'token-reused'; readonly at: string }
  /** By somebody who has read a mail to their address, which proves that, too. */
  | { readonly type: 'ResetPassword'; readonly at: string }
  /** An authenticator app has shown a right code. */
  | { readonly type: 'AddSecondFactor'; readonly at: string }
  /** By an administrator, or by the person, who has taken off the last app. */
  | {
      readonly type: 'RemoveSecondFactor'
      readonly by: 'self' | 'admin'
      readonly actorId: number
      readonly at: string
    }
  | { readonly type: 'CloseAccount'; readonly at: string }
  /** By support, for the closed only. */
  | { readonly type: 'ReopenAccount'; readonly at: string }
  | { readonly type: 'EraseUser'; readonly at: string }
  /** Somebody who never confirmed their address. */
  | { readonly type: 'EraseUnconfirmed'; readonly at: string }

/**
 * @throws Rejection('not-found') for somebody who is not, or not any more
 * @throws Rejection('conflict') when an administrator is to be banned, to dismiss themselves or to take off their own second factor, or
 * somebody who is not closed is to be erased
 */
function decide(command: UserCommand, state: UserState): readonly IdentityEvent[] {
  if (command.type === 'RegisterUser') return registerUser(command, state)
  if (state.status === 'unknown') throw new Rejection('not-found')
  const { userId } = state
  const { at } = command
  if (command.type === 'EraseUser') {
    if (state.status === 'erased') return []
    if (state.status === 'registered') throw new Rejection('conflict', 'Only a closed account is erased')
    return [{ type: 'UserErased', data: { userId, erasedAt: at } }]
  }
  if (command.type === 'EraseUnconfirmed') {
    if (state.status !== 'registered' || state.isVerified || state.isAdmin) return []
    return [{ type: 'UserErased', data: { userId, erasedAt: at } }]
  }
  if (command.type === 'ReopenAccount') {
    if (state.status === 'erased') throw new Rejection('not-found')
    return state.status === 'closed' ? [{ type: 'AccountReopened', data: { userId, reopenedAt: at } }] : []
  }
  if (command.type === 'CloseAccount' && state.status !== 'registered') return []
  if (state.status !== 'registered') throw new Rejection('not-found')
  switch (command.type) {
    case 'VerifyEmail':
      return [
        ...verifyEmail(state, at),
        ...(command.takesNames && state.isRegisteredAgain
          ? [{ type: 'ProfileUpdated', data: { userId, updatedAt: at } } as const]
          : []),
      ]
    case 'ResetPassword':
      return [
        ...verifyEmail(state, at),
        { type: 'SessionRevoked', data: { userId, reason: 'password-changed', revokedAt: at } },
      ]
    case 'UpdateProfile':
      return [{ type: 'ProfileUpdated', data: { userId, updatedAt: at } }]
    case 'BanUser':
      if (command.actorId === userId) throw new Rejection('conflict', 'You cannot ban yourself')
      if (state.isAdmin) throw new Rejection('conflict', 'Administrators cannot be banned')
      return state.isBanned ? [] : [{ type: 'UserBanned', data: { userId, bannedAt: at } }]
    case 'UnbanUser':
      return state.isBanned ? [{ type: 'UserUnbanned', data: { userId, unbannedAt: at } }] : []
    case 'AppointAdministrator':
      if (state.isAdmin) return []
      if (state.isBanned) throw new Rejection('conflict', 'Somebody who is banned cannot be an administrator')
      if (!state.isVerified) throw new Rejection('conflict', 'This person has not confirmed their email address yet')
      return [{ type: 'AdministratorAppointed', data: { userId, appointedAt: at } }]
    case 'DismissAdministrator':
      if (command.actorId === userId) throw new Rejection('conflict', 'You cannot dismiss yourself')
      return state.isAdmin ? [{ type: 'AdministratorDismissed', data: { userId, dismissedAt: at } }] : []
    case 'RevokeSessions':
      return [{ type: 'SessionRevoked', data: { userId, reason: command.reason, revokedAt: at } }]
    case 'AddSecondFactor':
      return state.hasSecondFactor ? [] : [{ type: 'SecondFactorAdded', data: { userId, addedAt: at } }]
    case 'RemoveSecondFactor':
      if (command.by === 'admin' && command.actorId === userId) {
        throw new Rejection('conflict', 'You take off your own second factor in your account settings')
      }
      if (!state.hasSecondFactor) return []
      return [{ type: 'SecondFactorRemoved', data: { userId, by: command.by, removedAt: at } }]
    case 'CloseAccount':
      return [{ type: 'AccountClosed', data: { userId, closedAt: at } }]
    default:
      return command satisfies never
  }
}

function verifyEmail(
  { userId, isVerified }: Exclude<UserState, { status: 'unknown' }>,
  at: string,
): readonly IdentityEvent[] {
  return isVerified ? [] : [{ type: 'EmailVerified', data: { userId, verifiedAt: at } }]
}

function registerUser(command: RegisterUser, state: UserState): readonly IdentityEvent[] {
  if (state.status !== 'unknown') return []
  const { userId, isSeller, isAdmin, isVerified, at } = command
  return [
    { type: 'UserRegistered', data: { userId, isSeller, isAdmin, registeredAt: at } },
    ...(isVerified ? [{ type: 'EmailVerified', data: { userId, verifiedAt: at } } as const] : []),
  ]
}

const untouched = { isVerified: false, isRegisteredAgain: false, isBanned: false, hasSecondFactor: false } as const

function evolve(state: UserState, event: IdentityEvent): UserState {
  if (event.type === 'UserRegistered') {
    const { userId, isSeller, isAdmin } = event.data
    return { status: 'registered', userId, isSeller, isAdmin, ...untouched }
  }
  if (state.status === 'unknown') return state
  switch (event.type) {
    case 'EmailVerified':
      return { ...state, isVerified: true }
    case 'UserBanned':
      return { ...state, isBanned: true }
    case 'UserUnbanned':
      return { ...state, isBanned: false }
    case 'AdministratorAppointed':
      return { ...state, isAdmin: true }
    case 'AdministratorDismissed':
      return { ...state, isAdmin: false }
    case 'SecondFactorAdded':
      return { ...state, hasSecondFactor: true }
    case 'SecondFactorRemoved':
      return { ...state, hasSecondFactor: false }
    case 'AccountClosed':
      return { ...state, status: 'closed' }
    case 'AccountReopened':
      return { ...state, status: 'registered' }
    case 'UserErased':
      return { ...state, status: 'erased' }
    case 'ProfileUpdated':
      return state.isVerified ? state : { ...state, isRegisteredAgain: true }
    case 'SessionRevoked':
      return state
    default:
      return event satisfies never
  }
}

export const userDecider: Decider<UserState, UserCommand, IdentityEvent> = {
  service: 'identity',
  initialState: { status: 'unknown' },
  decide,
  evolve,
}

/** The stream of one user. */
export function userStream(userId: number): string {
  return `user-${userId}`
}
