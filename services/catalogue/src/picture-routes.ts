import { catalogueRoutes, IMAGES_PER_PRODUCT_MAX, type ProductImage } from '@wangian/contracts/catalogue.ts'
import { sellingRoutes } from '@wangian/contracts/selling.ts'
import { runCommand } from '@wangian/kit/command.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle, requireSelf } from '@wangian/kit/http.ts'
import type { PictureFiles } from '@wangian/kit/pictures/picture-files.ts'
import { servePictures } from '@wangian/kit/pictures/serve-pictures.ts'
import { createUploadGate, readImageUpload, withUploads } from '@wangian/kit/pictures/uploads.ts'
import type { DatabasePool } from '@wangian/kit/postgres.ts'
import { createRateLimiter } from '@wangian/kit/rate-limit.ts'
import { listingDecider, listingStream } from './domain.ts'
import { projectListing } from './projections.ts'
import {
  claimPicture,
  countPictures,
  dropStalePictures,
  findListing,
  findPicture,
  findStoredPicture,
  insertPicture,
  lockProduct,
  type PictureRow,
} from './store.ts'

/** Enough for 60 listings of 5 pictures, each tried once more. */
const UPLOADS_PER_HOUR_MAX = 600
/** An announced picture that did not come within this time no longer counts. */
const ANNOUNCED_AGE_MAX_S = 60 * 60

export interface PictureDependencies {
  readonly pool: DatabasePool
  readonly files: PictureFiles
  /** Called after something was appended to the log. */
  readonly onAppended: () => void
}

export function addPictureRoutes(app: App, { pool, files, onAppended }: PictureDependencies): void {
  handle(app, catalogueRoutes.listImages, async ({ params, user }) => {
    const listing = await findListing(pool, params.productId)
    const maySeeAll = user?.isAdmin || user?.id === listing?.sellerId
    if (listing === null || ((listing.status === 'archived' || listing.isSellerHidden) && !maySeeAll))
      throw new Rejection('product-not-found')
    return { status: 200, body: listing.images }
  })

  handle(app, sellingRoutes.registerImage, async ({ body, user }) => {
    requireSelf(user, body.sellerId)
    const picture = await pool.transaction(async (transaction) => {
      const product = await lockProduct(transaction, body.productId)
      if (product === null) throw new Rejection('product-not-found')
      requireSelf(user, product.sellerId)
      await dropStalePictures(transaction, body.productId, ANNOUNCED_AGE_MAX_S)
      if ((await countPictures(transaction, body.productId)) >= IMAGES_PER_PRODUCT_MAX) {
        throw new Rejection('images-full')
      }
      return insertPicture(transaction, {
        productId: body.productId,
        sellerId: user.id,
        name: body.imageUrl,
        imageOrder: body.imageOrder,
        imageName: body.imageName ?? null,
      })
    })
    if (picture === null) throw new Rejection('conflict', 'This image name is taken')
    return { status: 201, body: imageOf(picture) }
  })

  withUploads(app, (scope) => addUpload(scope, { pool, files, onAppended }))
  servePictures(app, catalogueRoutes.getImage, files, (name) => findStoredPicture(pool, name))
}

function addUpload(app: App, { pool, files, onAppended }: PictureDependencies): void {
  const uploads = createRateLimiter(app, { limit: UPLOADS_PER_HOUR_MAX, windowMs: 60 * 60 * 1000 })
  const gate = createUploadGate()

  handle(app, sellingRoutes.uploadImage, async ({ params, user, request }) => {
    const picture = await findPicture(pool, params.imageId)
    if (picture === null) throw new Rejection('not-found')
    requireSelf(user, picture.sellerId)
    if (picture.storageKey !== null) throw new Rejection('image-already-uploaded')
    uploads.take(user.id)
    const image = imageOf(picture)
    const kept = await gate.run(async () => files.keep(await readImageUpload(request, user)))
    try {
      const { events } = await runCommand({
        pool,
        decider: listingDecider,
        stream: listingStream(picture.productId),
        command: { type: 'AddPicture', actorId: user.id, image },
        metadata: { actorId: user.id, correlationId: request.id, causationId: null, commandId: null },
        project: async (transaction, recorded) => {
          if (!(await claimPicture(transaction, picture.id, kept))) throw new Rejection('image-already-uploaded')
          for (const event of recorded) await projectListing(transaction, event)
        },
      })
      // Two uploads for one picture at the same time: the other one was first.
      if (events.length === 0) throw new Rejection('image-already-uploaded')
    } catch (error) {
      await discardUnlessClaimed(pool, files, picture.id, kept.storageKey)
      throw error
    }
    onAppended()
    return { status: 200, body: image }
  })
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
