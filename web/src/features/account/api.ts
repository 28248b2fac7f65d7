import { accountRoutes } from '@wangian/contracts/account.ts'
import type { CurrentUser } from '@wangian/contracts/identity.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { shopRoutes } from '@wangian/contracts/shop.ts'
import { useSWRConfig } from 'swr'
import { type AnswerOf, call, type InputOf, upload, urlOf } from '../../api/client.ts'
import { useApi } from '../../api/use-api.ts'
import { useSession } from '../../session/use-session.ts'

export type Seller = AnswerOf<typeof shopRoutes.getSeller>
export type UserChanges = InputOf<typeof accountRoutes.updateUser>['body']
/** Which of a person's two pictures. */
export type PictureKind = 'avatar' | 'cover'

/** What everybody may know of somebody. */
export function useSeller(sellerId: number) {
  return useApi(shopRoutes.getSeller, { params: { sellerId } })
}

/** Changes what is given, and refreshes what shows it. @throws {ApiError} `wrong-password` and more */
export function useUpdateUser(userId: number): (changes: UserChanges) => Promise<CurrentUser> {
  const refresh = useRefreshPerson(userId)
  return async (changes) => {
    const saved = await call(accountRoutes.updateUser, { params: { userId }, body: changes })
    await refresh(saved)
    return saved
  }
}

/** Uploads a picture, and refreshes what shows it. @throws {ApiError} when it is refused */
export function useUploadPicture(userId: number): (kind: PictureKind, picture: File) => Promise<void> {
  const refresh = useRefreshPerson(userId)
  return async (kind, picture) => {
    const form = new FormData()
    form.set('image', picture)
    const route = kind === 'avatar' ? accountRoutes.uploadAvatar : accountRoutes.uploadCover
    await refresh(await upload(route, {}, form))
  }
}

/** Sets a new password where passwords are kept. @throws {ApiError} @throws {ProviderError} see `isWrongPassword` */
export function useChangePassword(person: CurrentUser) {
  const session = useSession()
  return async (passwords: { currentPassword: string; newPassword: string }): Promise<void> => {
    if (!isKeptElsewhere(person)) {
      await call(accountRoutes.changePassword, { body: passwords })
      return
    }
    await session.signInThrough((provider) => provider.changePassword({ email: person.email, ...passwords }))
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
  return async ({ email, currentPassword, ...rest }: UserChanges & { email: string; currentPassword: string }) => {
    if (!isKeptElsewhere(person)) return await updateUser({ ...rest, email, currentPassword })
    const change = { email: person.email, currentPassword, newEmail: email }
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

/** Puts what the server has just said of the signed-in person in place of what was known. */
function useRefreshPerson(userId: number): (saved: CurrentUser) => Promise<void> {
  const { mutate } = useSWRConfig()
  return async (saved) => {
    await mutate(urlOf(identityRoutes.me, {}), saved, { revalidate: false })
    void mutate(urlOf(shopRoutes.getSeller, { params: { sellerId: userId } }))
  }
}
