import { CountRow, type Executor, isUniqueViolation, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** Which file belongs to which name. A row without a storage key is announced and waits for its file, or was taken off and has lost it. */

const PictureRow = z.object({
  id: z.number(),
  productId: z.number(),
  sellerId: z.number(),
  name: z.string(),
  imageOrder: z.number(),
  storageKey: z.string().nullable(),
  widthPx: z.number().nullable(),
})
export type PictureRow = z.infer<typeof PictureRow>

const pictureColumns = sql.fragment`
  id, product_id as "productId", seller_id as "sellerId", name, image_order as "imageOrder",
  storage_key as "storageKey", width_px as "widthPx"`

const SellerRow = z.object({ sellerId: z.number(), status: z.string() })

/** Takes the product's row until the transaction ends, so that pictures are counted by one request at a time. */
export async function lockProduct(
  transaction: Transaction,
  productId: number,
): Promise<{ sellerId: number; status: string } | null> {
  return transaction.maybeOne(sql.type(SellerRow)`
    select seller_id as "sellerId", status from products where id = ${productId} and status <> 'archived' for update`)
}

/** Forgets pictures that were announced long ago and never came. */
export async function dropStalePictures(executor: Executor, productId: number, ageMaxS: number): Promise<void> {
  await executor.query(sql.unsafe`
    delete from pictures
     where product_id = ${productId} and storage_key is null
       and removed_at is null and registered_at < now() - make_interval(secs => ${ageMaxS})`)
}

/** A picture that waits for its file is dropped as soon as its place is wanted. */
export async function letGo(executor: Executor, pictureId: number): Promise<void> {
  await executor.query(sql.unsafe`
    update pictures set registered_at = '-infinity' where id = ${pictureId} and storage_key is null and removed_at is null`)
}

export async function countPictures(executor: Executor, productId: number): Promise<number> {
  return executor.oneFirst(
    sql.type(CountRow)`select count(*) as count from pictures
       where product_id = ${productId} and removed_at is null`,
  )
}

/** `null` when another picture has the name. */
export async function insertPicture(
  executor: Executor,
  picture: {
    readonly productId: number
    readonly sellerId: number
    readonly name: string
    readonly imageOrder: number
    readonly imageName: string | null
  },
): Promise<PictureRow | null> {
  try {
    return await executor.one(sql.type(PictureRow)`
      insert into pictures (product_id, seller_id, name, image_order, image_name)
      values (${picture.productId}, ${picture.sellerId}, ${picture.name}, ${picture.imageOrder}, ${picture.imageName})
      returning ${pictureColumns}`)
  } catch (error) {
    if (isUniqueViolation(error, 'pictures_name_key')) return null
    throw error
  }
}

export async function findPicture(executor: Executor, pictureId: number): Promise<PictureRow | null> {
  return executor.maybeOne(sql.type(PictureRow)`
    select ${pictureColumns} from pictures where id = ${pictureId} and removed_at is null`)
}

/** The picture that this seller announced for this product by this name before; one that was taken off does not come back. */
export async function findAnnounced(
  executor: Executor,
  { productId, sellerId, name }: Pick<PictureRow, 'productId' | 'sellerId' | 'name'>,
): Promise<PictureRow | null> {
  return executor.maybeOne(sql.type(PictureRow)`
    select ${pictureColumns}
      from pictures
     where name = ${name} and product_id = ${productId} and seller_id = ${sellerId} and removed_at is null`)
}

/** Forgets a picture whose file has not come. False when it has come meanwhile. */
export async function dropAnnounced(executor: Executor, pictureId: number): Promise<boolean> {
  const { rowCount } = await executor.query(sql.unsafe`
    delete from pictures where id = ${pictureId} and storage_key is null and removed_at is null`)
  return rowCount === 1
}

/** Nobody needs to know what the file was called on its seller's device, which may say who that is. */
const takenOff = sql.fragment`removed_at = clock_timestamp(), image_name = null`

export async function markPictureRemoved(transaction: Transaction, pictureId: number): Promise<void> {
  await transaction.query(sql.unsafe`update pictures set ${takenOff} where id = ${pictureId}`)
}

/**
 * Takes the pictures of a listing off that is gone.
 * @param keepsLeading leaves the one that stands for the listing wherever it was spoken of; otherwise that goes, too, where it came with another
 * listing of this seller
 */
export async function markPicturesOfProductRemoved(
  transaction: Transaction,
  productId: number,
  { keepsLeading }: { readonly keepsLeading: boolean },
): Promise<void> {
  const which = keepsLeading
    ? sql.fragment`p.product_id = gone.id and p.name is distinct from coalesce(gone.images -> 0 ->> 'imageUrl', gone.image_url)`
    : sql.fragment`(p.product_id = gone.id or p.seller_id = gone.seller_id and p.name = gone.image_url)`
  await transaction.query(sql.unsafe`
    update pictures p
       set ${takenOff}
      from products gone
     where gone.id = ${productId} and p.removed_at is null and ${which}`)
}

/** These people are erased: their pictures are to be taken off. */
export async function insertErasedSellers(transaction: Transaction, userIds: readonly number[]): Promise<void> {
  await transaction.query(sql.unsafe`
    insert into erased_sellers (user_id) select distinct unnest(${sql.array([...userIds], 'int8')}) order by 1
    on conflict do nothing`)
}

const UserIdRow = z.object({ userId: z.number() })

/** Those whose pictures may not all be taken off yet, so many at most. */
export function listErasedSellers(executor: Executor, limit: number): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(UserIdRow)`
    select user_id as "userId" from erased_sellers order by user_id limit ${limit}`)
}

export async function forgetErasedSeller(executor: Executor, userId: number): Promise<void> {
  await executor.query(sql.unsafe`delete from erased_sellers where user_id = ${userId}`)
}

/** Takes some pictures of somebody off that have a file. @returns how many */
export async function markSomePicturesRemoved(executor: Executor, sellerId: number, limit: number): Promise<number> {
  const { rowCount } = await executor.query(sql.unsafe`
    update pictures set ${takenOff}
     where id in (select id from pictures
                   where seller_id = ${sellerId} and storage_key is not null and removed_at is null
                   limit ${limit})`)
  return rowCount
}

/** Forgets some pictures that somebody announced for their listings and whose files have not come. @returns how many */
export async function dropSomeAnnounced(executor: Executor, sellerId: number, limit: number): Promise<number> {
  const { rowCount } = await executor.query(sql.unsafe`
    delete from pictures
     where id in (select p.id from products join pictures p on p.product_id = products.id
                   where products.seller_id = ${sellerId} and p.storage_key is null and p.removed_at is null
                   limit ${limit})
       and storage_key is null`)
  return rowCount
}

const RemovedRow = z.object({ id: z.number(), storageKey: z.string() })

/** Pictures that were taken off and whose files are still there. */
export async function listRemoved(executor: Executor): Promise<readonly z.infer<typeof RemovedRow>[]> {
  return executor.any(sql.type(RemovedRow)`
    select id, storage_key as "storageKey" from pictures where removed_at is not null and storage_key is not null`)
}

/** The file is gone; the name stays taken. */
export async function forgetFile(executor: Executor, pictureId: number): Promise<void> {
  await executor.query(
    sql.unsafe`update pictures set storage_key = null where id = ${pictureId} and removed_at is not null`,
  )
}

const PixelsRow = z.object({ pixels: z.number() })

/** Of all pictures that are kept of this seller. */
export async function sumPixels(executor: Executor, sellerId: number): Promise<number> {
  return executor.oneFirst(sql.type(PixelsRow)`
    select coalesce(sum(width_px::int8 * height_px), 0)::int8 as pixels
      from pictures where seller_id = ${sellerId} and storage_key is not null`)
}

/** Whether this seller announced a picture by this name, and did not take it off. */
export function hasPicture(executor: Executor, sellerId: number, name: string): Promise<boolean> {
  return executor.exists(sql.unsafe`
    select from pictures where name = ${name} and seller_id = ${sellerId} and removed_at is null`)
}

const StoredPictureRow = z.object({ storageKey: z.string(), widthPx: z.number() })

/** Where the bytes of a name are; `null` for names that nobody has or whose file never came. */
export async function findStoredPicture(
  executor: Executor,
  name: string,
): Promise<z.infer<typeof StoredPictureRow> | null> {
  return executor.maybeOne(sql.type(StoredPictureRow)`
    select storage_key as "storageKey", width_px as "widthPx"
      from pictures
     where name = ${name} and storage_key is not null and removed_at is null`)
}

/** Remembers a file that will be written, in case that no picture has it within so many seconds. */
export async function insertUnclaimedFile(executor: Executor, storageKey: string, ageMaxS: number): Promise<void> {
  await executor.query(sql.unsafe`
    insert into unclaimed_files (storage_key, removable_at) values (${storageKey}, now() + make_interval(secs => ${ageMaxS}))`)
}

const StorageKeyRow = z.object({ storageKey: z.string() })

/** Files that no picture has come to have. */
export function listUnclaimedFiles(executor: Executor): Promise<readonly string[]> {
  return executor.anyFirst(sql.type(StorageKeyRow)`
    select storage_key as "storageKey" from unclaimed_files where removable_at <= now()`)
}

/** A picture has it, or it is gone. */
export async function deleteUnclaimedFile(executor: Executor, storageKey: string): Promise<void> {
  await executor.query(sql.unsafe`delete from unclaimed_files where storage_key = ${storageKey}`)
}

/** False when the picture has its file already. */
export async function claimPicture(
  executor: Executor,
  pictureId: number,
  file: { readonly storageKey: string; readonly widthPx: number; readonly heightPx: number },
): Promise<boolean> {
  const { rowCount } = await executor.query(sql.unsafe`
    update pictures
       set storage_key = ${file.storageKey}, width_px = ${file.widthPx}, height_px = ${file.heightPx},
           stored_at = clock_timestamp()
     where id = ${pictureId} and storage_key is null and removed_at is null`)
  return rowCount === 1
}
