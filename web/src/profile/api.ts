import { accountRoutes } from '@wangian/contracts/account.ts'
import { type CurrentUser, identityRoutes } from '@wangian/contracts/identity.ts'
import { type Seller, shopRoutes } from '@wangian/contracts/shop.ts'
import { useSWRConfig } from 'swr'
import { call, type InputOf, upload, urlOf } from '../api/client.ts'

export type UserChanges = InputOf<typeof accountRoutes.updateUser>['body']
/** Which of a person's two pictures. */
export type PictureKind = 'avatar' | 'cover'

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

/**
 * Puts what the server has just said of the signed-in person in place of what was known. Their shop hears of it as an event, a moment
 * later: asked for now, it would answer with what it was.
 */
function useRefreshPerson(userId: number): (saved: CurrentUser) => Promise<void> {
  const { mutate } = useSWRConfig()
  return async (saved) => {
    await mutate(urlOf(identityRoutes.me, {}), saved, { revalidate: false })
    const shop = urlOf(shopRoutes.getSeller, { params: { sellerId: userId } })
    await mutate<Seller>(shop, (known) => known && { ...known, ...publicPartOf(saved) }, { revalidate: false })
  }
}

function publicPartOf({
  username,
  firstName,
  lastName,
  shopName,
  location,
  bio,
  profileImage,
  coverPhoto,
}: CurrentUser) {
  const ownName = [firstName, lastName].filter(Boolean).join(' ')
  return {
    username,
    shopName: shopName || (ownName ? `${ownName}'s Shop` : username),
    location,
    bio,
    profileImage,
    coverPhoto,
  } satisfies Partial<Seller>
}
