import { accountRoutes } from '@wangian/contracts/account.ts'
import type { CurrentUser } from '@wangian/contracts/identity.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { call } from '../../api/client.ts'
import { type UserChanges, useUpdateUser } from '../../profile/api.ts'
import { useSession } from '../../session/use-session.ts'

/** Sets a new password where passwords are kept. @throws {ApiError} @throws {ProviderError} see `isWrongPassword` */
export function useChangePassword(person: CurrentUser) {
  const session = useSession()
  return async (
    passwords: { currentPassword: string; newPassword: string },
    factor: string | undefined,
  ): Promise<void> => {
    if (!isKeptElsewhere(person)) {
      await call(accountRoutes.changePassword, { body: passwords })
      return
    }
    await session.signInThrough((provider) => provider.changePassword({ email: person.email, ...passwords, factor }))
    await call(identityRoutes.logout, { body: { scope: 'others' } })
  }
}

/**
 * Begins to change the address where addresses are kept, and saves the other details.
 * @throws {ApiError} @throws {ProviderError} see `isWrongPassword`
 */
export function useChangeEmail(person: CurrentUser) {
  const session = useSession()
  const updateUser = useUpdateUser(person.id)
  return async (
    { email, currentPassword, ...rest }: UserChanges & { email: string; currentPassword: string },
    factor: string | undefined,
  ) => {
    if (!isKeptElsewhere(person)) return await updateUser({ ...rest, email, currentPassword })
    const change = { email: person.email, currentPassword, newEmail: email, factor }
    await session.signInThrough((provider) => provider.changeEmail(change))
    return await updateUser(rest)
  }
}

/** Mails a link with which somebody who has no password sets one. @throws {ProviderError} */
export function useRequestPassword({ email }: CurrentUser): () => Promise<void> {
  const session = useSession()
  return async () => await (await session.provider()).requestReset(email)
}

/** A hosted auth provider keeps passwords and addresses: our own server changes neither. */
function isKeptElsewhere({ hasPassword }: CurrentUser): boolean {
  return hasPassword === null
}

/** Who signs in elsewhere has no password to give. @throws {ApiError} `wrong-password`, `recent-sign-in-required` and more */
export async function closeAccount(userId: number, currentPassword: string): Promise<void> {
  await call(accountRoutes.closeAccount, { params: { userId }, body: currentPassword ? { currentPassword } : {} })
}
