import { catalogueRoutes, IMAGES_PER_PRODUCT_MAX, type ProductImage } from '@wangian/contracts/catalogue.ts'
import { imageMessages } from '@wangian/contracts/pictures.ts'
import { sellingRoutes } from '@wangian/contracts/selling.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { startExclusiveJob } from '@wangian/kit/database/exclusive-job.ts'
import type { Locks } from '@wangian/kit/database/exclusive-session.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { createPictureFiles, type PictureFiles } from '@wangian/kit/files/picture-files.ts'
import { openPictureStorage } from '@wangian/kit/files/picture-storage.ts'
import { servePictures } from '@wangian/kit/files/serve-pictures.ts'
import { createUploadGate, readImageUpload, withUploads } from '@wangian/kit/files/uploads.ts'
import { type App, handle, requireSelf } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { pastFailures } from '@wangian/kit/past-failures.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import type { ServiceContext } from '@wangian/kit/service/start-service.ts'
import type { z } from 'zod'
import type { Config } from '../config.ts'
import { findHold } from '../listings/auction-hold.ts'
import type { AuctionHold } from '../listings/domain/listing.ts'
import { type ListingRun, runListing } from '../listings/listing-run.ts'
import { type ChangeLimiter, getOwn } from '../listings/selling-routes.ts'
import { findOwnership } from '../listings/selling-store.ts'
import { findListing } from '../store.ts'
import {
  claimPicture,
  countPictures,
  deleteUnclaimedFile,
  dropAnnounced,
  dropSomeAnnounced,
  dropStalePictures,
  findAnnounced,
  findPicture,
  findStoredPicture,
  forgetErasedSeller,
  forgetFile,
  insertPicture,
  insertUnclaimedFile,
  letGo,
  listErasedSellers,
  listRemoved,
  listUnclaimedFiles,
  lockProduct,
  markPictureRemoved,
  markSomePicturesRemoved,
  type PictureRow,
  sumPixels,
} from './picture-store.ts'

/** Enough for 60 listings of 5 pictures, each tried once more. */
const UPLOADS_PER_HOUR_MAX = 600
/** Five pictures of a thousand listings, as phones take them; noise of as many pixels fills some GB. */
const PIXELS_OF_ONE_MAX = 10_000_000_000
/** An announced picture that did not come within this time no longer counts. */
const ANNOUNCED_AGE_MAX_S = 60 * 60
/** A file that no picture has after this time is one that a crash left. */
const UNCLAIMED_AGE_MAX_S = 60 * 60
/** Nobody is shown what was taken off meanwhile. */
const REMOVE_EVERY_MS = 60 * 60 * 1000
const SELLERS_AT_ONCE_MAX = 1_000
const MARKED_AT_ONCE_MAX = 1_000

export interface PictureDependencies extends ListingRun {
  readonly files: PictureFiles
  /** Where the auction service is asked. */
  readonly nats: NatsConnection
}

export function addPictureRoutes(app: App, dependencies: PictureDependencies, changes: ChangeLimiter): void {
  const { pool, files, nats } = dependencies
  handle(app, catalogueRoutes.listImages, async ({ params, user }) => {
    const listing = await findListing(pool, params.productId)
    const maySeeAll = user?.isAdmin || user?.id === listing?.sellerId
    if (listing === null || ((listing.status === 'archived' || listing.isSellerHidden) && !maySeeAll))
      throw new Rejection('product-not-found')
    return { status: 200, body: listing.images }
  })

  handle(app, sellingRoutes.registerImage, async ({ body, user }) => {
    requireSelf(user, body.sellerId)
    const picture = await announcePicture(pool, user.id, body)
    if (picture === null) throw new Rejection('conflict', 'This image name is taken')
    return { status: 201, body: imageOf(picture) }
  })

  handle(app, sellingRoutes.orderImages, async ({ params: { productId }, body, user, request }) => {
    requireSelf(user, body.sellerId)
    changes.take(user.id, productId)
    const { listingType } = await getOwn(pool, productId, user.id)
    const { state } = await runListing(dependencies, {
      productId,
      command: {
        type: 'OrderPictures',
        actorId: user.id,
        imageIds: body.imageIds,
        hold: await findHold(nats, { productId, listingType }),
      },
      actorId: user.id,
      requestId: request.id,
    })
    return { status: 200, body: state.status === 'listed' ? state.images : [] }
  })

  handle(app, sellingRoutes.deleteImage, async ({ params: { productId, imageId }, query, user, request }) => {
    requireSelf(user, query.sellerId)
    changes.take(user.id, productId)
    const { listingType } = await getOwn(pool, productId, user.id)
    const picture = await findPicture(pool, imageId)
    if (picture === null || picture.productId !== productId) throw new Rejection('not-found')
    if (picture.storageKey === null && (await dropAnnounced(pool, imageId))) return { status: 204, body: undefined }
    await runListing(dependencies, {
      productId,
      command: {
        type: 'RemovePicture',
        actorId: user.id,
        imageId,
        hold: await findHold(nats, { productId, listingType }),
      },
      actorId: user.id,
      requestId: request.id,
      also: (transaction) => markPictureRemoved(transaction, imageId),
    })
    const { storageKey } = picture
    if (storageKey !== null) {
      await discard(dependencies, { id: imageId, storageKey }).catch((err) =>
        request.log.warn({ err }, 'a file is left to be removed'),
      )
    }
    return { status: 204, body: undefined }
  })

  withUploads(app, (scope) => addUpload(scope, dependencies))
  servePictures(app, catalogueRoutes.getImage, files, (name) => findStoredPicture(pool, name))
}

/** Gives a picture that will be uploaded its name; `null` when another has it. */
function announcePicture(
  pool: DatabasePool,
  sellerId: number,
  { productId, imageUrl, imageOrder, imageName = null }: z.infer<typeof sellingRoutes.registerImage.body>,
): Promise<PictureRow | null> {
  return pool.transaction(async (transaction) => {
    const product = await lockProduct(transaction, productId)
    if (product === null) throw new Rejection('product-not-found')
    if (product.sellerId !== sellerId) throw new Rejection('forbidden')
    if (product.status === 'pending') throw new Rejection('product-reserved')
    if (product.status === 'sold') throw new Rejection('product-sold')
    const named = { productId, sellerId, name: imageUrl }
    // Asked for once more, perhaps because the answer was lost.
    const known = await findAnnounced(transaction, named)
    if (known !== null) return known
    await dropStalePictures(transaction, productId, ANNOUNCED_AGE_MAX_S)
    if ((await countPictures(transaction, productId)) >= IMAGES_PER_PRODUCT_MAX) throw new Rejection('images-full')
    return insertPicture(transaction, { ...named, imageOrder, imageName })
  })
}

function addUpload(app: App, dependencies: PictureDependencies): void {
  const { pool, files } = dependencies
  const uploads = createRateLimiter(app, { limit: UPLOADS_PER_HOUR_MAX, windowMs: 60 * 60 * 1000 })
  const gate = createUploadGate(app)

  handle(app, sellingRoutes.uploadImage, async ({ params, user, request }) => {
    const picture = await findPicture(pool, params.imageId)
    if (picture === null) throw new Rejection('not-found')
    requireSelf(user, picture.sellerId)
    if (picture.storageKey !== null) throw new Rejection('image-already-uploaded')
    uploads.take(user.id)
    if ((await sumPixels(pool, user.id)) >= PIXELS_OF_ONE_MAX) throw new Rejection('images-full', imageMessages.quota)
    const kept = await gate.run({ userId: user.id, ip: request.ip }, async () => {
      try {
        return await files.keep(await readImageUpload(request, user), (storageKey) =>
          insertUnclaimedFile(pool, storageKey, UNCLAIMED_AGE_MAX_S),
        )
      } catch (error) {
        // The same picture may be tried again, but it keeps no place from others.
        if (error instanceof Rejection) await letGo(pool, picture.id)
        throw error
      }
    })
    const image = { ...imageOf(picture), tint: kept.tint }
    try {
      const hold = await holdOf(dependencies, picture.productId)
      const { events } = await runListing(dependencies, {
        productId: picture.productId,
        command: { type: 'AddPicture', actorId: user.id, image, hold },
        actorId: user.id,
        requestId: request.id,
        also: async (transaction) => {
          if (!(await claimPicture(transaction, picture.id, kept))) throw new Rejection('image-already-uploaded')
          await deleteUnclaimedFile(transaction, kept.storageKey)
        },
      })
      // Two uploads for one picture at the same time: the other one was first.
      if (events.length === 0) throw new Rejection('image-already-uploaded')
    } catch (error) {
      await discardUnlessClaimed(pool, files, picture.id, kept.storageKey)
      throw error
    }
    return { status: 200, body: image }
  })
}

async function holdOf({ pool, nats }: PictureDependencies, productId: number): Promise<AuctionHold> {
  const ownership = await findOwnership(pool, productId)
  return ownership === null ? 'none' : findHold(nats, { productId, listingType: ownership.listingType })
}

/** Where the pictures of listings are kept. */
export function openPictures({ config, log }: ServiceContext<Config>): PictureFiles {
  return createPictureFiles(openPictureStorage(config, 'images', log))
}

/** Removes the files of what was taken off: of listings and people that are gone, and what a crash left behind. In one process at a time. */
export function startPictureRemoval(
  options: Pick<PictureDependencies, 'pool' | 'files'> & { readonly locks: Locks; readonly log?: Logger },
): { stop(): Promise<void> } {
  const { locks, log } = options
  return startExclusiveJob({
    locks,
    job: 'picture-removal',
    everyMs: REMOVE_EVERY_MS,
    log,
    work: async (signal) => {
      await takeOffOfErased(options.pool, signal)
      await pastFailures([discardRemoved, discardUnclaimed], (discardSome) => discardSome(options, signal))
    },
  })
}

/** Takes off the pictures of people who are erased, those that never came, too, some at a time: beyond what a statement may take it would never be done. */
export async function takeOffOfErased(pool: DatabasePool, signal?: AbortSignal): Promise<void> {
  for (const sellerId of await listErasedSellers(pool, SELLERS_AT_ONCE_MAX)) {
    if (signal?.aborted) return
    for (let marked = MARKED_AT_ONCE_MAX; marked === MARKED_AT_ONCE_MAX; )
      marked = await markSomePicturesRemoved(pool, sellerId, MARKED_AT_ONCE_MAX)
    // They have no file, but what it is called.
    for (let dropped = MARKED_AT_ONCE_MAX; dropped === MARKED_AT_ONCE_MAX; )
      dropped = await dropSomeAnnounced(pool, sellerId, MARKED_AT_ONCE_MAX)
    await forgetErasedSeller(pool, sellerId)
  }
}

/** Removes the files of pictures that were taken off. */
export async function discardRemoved(
  { pool, files }: Pick<PictureDependencies, 'pool' | 'files'>,
  signal?: AbortSignal,
): Promise<void> {
  await pastFailures(await listRemoved(pool), (picture) => discard({ pool, files }, picture), signal)
}

/** Removes the files that no picture has come to have: a crash has left them, or the loss of the database. */
export async function discardUnclaimed(
  { pool, files }: Pick<PictureDependencies, 'pool' | 'files'>,
  signal?: AbortSignal,
): Promise<void> {
  const discardOne = async (storageKey: string) => {
    await files.discard(storageKey)
    await deleteUnclaimedFile(pool, storageKey)
  }
  await pastFailures(await listUnclaimedFiles(pool), discardOne, signal)
}

async function discard(
  { pool, files }: Pick<PictureDependencies, 'pool' | 'files'>,
  { id, storageKey }: { readonly id: number; readonly storageKey: string },
): Promise<void> {
  await files.discard(storageKey)
  await forgetFile(pool, id)
}

/** After an error the commit may have happened all the same: a file is removed only when the picture is not this one. */
async function discardUnlessClaimed(
  pool: DatabasePool,
  files: PictureFiles,
  pictureId: number,
  storageKey: string,
): Promise<void> {
  const current = await findPicture(pool, pictureId).catch(() => undefined)
  if (current !== undefined && current?.storageKey !== storageKey) await files.discard(storageKey)
}

function imageOf({ id, name, imageOrder }: PictureRow): ProductImage {
  return { id, imageUrl: name, imageOrder }
}
