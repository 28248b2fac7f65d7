import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** What people say of themselves, by the names that the product has for it. */
const profileColumns = {
  firstName: 'first_name',
  lastName: 'last_name',
  address: 'address',
  shopName: 'shop_name',
  location: 'location',
  bio: 'bio',
} as const
export type ProfileField = keyof typeof profileColumns
export type ProfileFields = { readonly [Field in ProfileField]?: string | null }

/** Changes these fields and leaves the others. @param fields at least one */
export async function updateProfile(
  executor: Executor,
  userId: number,
  fields: ProfileFields,
  at: string,
): Promise<void> {
  const changes = Object.entries(profileColumns).flatMap(([field, column]) => {
    const value = fields[field as ProfileField]
    return value === undefined ? [] : [sql.fragment`${sql.identifier([column])} = ${value}`]
  })
  await executor.query(sql.unsafe`
    update people set ${sql.join(changes, sql.fragment`, `)}, updated_at = ${at} where user_id = ${userId}`)
}

export const pictureKinds = ['avatar', 'cover'] as const
export type PictureKind = (typeof pictureKinds)[number]

export interface ProfilePicture {
  readonly name: string
  readonly userId: number
  readonly kind: PictureKind
  readonly storageKey: string
  readonly widthPx: number
}

/** The person's picture or cover photo from now on. The one before is gone, and its file unused. */
export async function replacePicture(transaction: Transaction, picture: ProfilePicture, at: string): Promise<void> {
  const { name, userId, kind, storageKey, widthPx } = picture
  await transaction.query(sql.unsafe`delete from profile_pictures where user_id = ${userId} and kind = ${kind}`)
  await transaction.query(sql.unsafe`
    insert into profile_pictures (name, user_id, kind, storage_key, width_px)
    values (${name}, ${userId}, ${kind}, ${storageKey}, ${widthPx})`)
  await transaction.query(sql.unsafe`delete from unused_files where storage_key = ${storageKey}`)
  const change =
    kind === 'avatar'
      ? sql.fragment`avatar_url = ${name}, profile_image = ${name}`
      : sql.fragment`cover_photo = ${name}`
  await transaction.query(sql.unsafe`update people set ${change}, updated_at = ${at} where user_id = ${userId}`)
}

const StoredPicture = z.object({ storageKey: z.string(), widthPx: z.number() })

/** Of somebody whom everybody may see. */
export function findPicture(executor: Executor, name: string): Promise<z.infer<typeof StoredPicture> | null> {
  return executor.maybeOne(sql.type(StoredPicture)`
    select f.storage_key as "storageKey", f.width_px as "widthPx"
      from profile_pictures f join users u on u.id = f.user_id
     where f.name = ${name} and u.closed_at is null`)
}

/** Remembers a file that will be written, in case that nobody comes to own it within `pendingMs`. */
export async function insertUnusedFile(executor: Executor, storageKey: string, pendingMs: number): Promise<void> {
  await executor.query(sql.unsafe`
    insert into unused_files (storage_key, removable_at)
    values (${storageKey}, now() + make_interval(secs => ${pendingMs / 1000}))`)
}

/** Says that nobody will own the file, unless somebody does. */
export async function releaseUnusedFile(executor: Executor, storageKey: string): Promise<void> {
  await executor.query(sql.unsafe`update unused_files set removable_at = now() where storage_key = ${storageKey}`)
}

/** Has a file tried again after those that wait now. */
export async function postponeUnusedFile(executor: Executor, storageKey: string, byMs: number): Promise<void> {
  await executor.query(sql.unsafe`
    update unused_files set removable_at = now() + make_interval(secs => ${byMs / 1000})
     where storage_key = ${storageKey}`)
}

const StorageKeyRow = z.object({ storageKey: z.string() })

export function listRemovableFiles(executor: Executor, limit: number): Promise<readonly string[]> {
  return executor.anyFirst(sql.type(StorageKeyRow)`
    select storage_key as "storageKey" from unused_files
     where removable_at <= now() order by removable_at limit ${limit}`)
}

export async function deleteUnusedFile(executor: Executor, storageKey: string): Promise<void> {
  await executor.query(sql.unsafe`delete from unused_files where storage_key = ${storageKey}`)
}
