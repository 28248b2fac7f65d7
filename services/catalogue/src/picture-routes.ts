import multipart from '@fastify/multipart'
import {
  catalogueRoutes,
  IMAGE_WIDTHS_PX,
  IMAGES_PER_PRODUCT_MAX,
  type ProductImage,
} from '@wangian/contracts/catalogue.ts'
import { runCommand } from '@wangian/kit/command.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, type AppReply, type AppRequest, handle, requireSelf } from '@wangian/kit/http.ts'
import type { DatabasePool } from '@wangian/kit/postgres.ts'
import { createRateLimiter } from '@wangian/kit/rate-limit.ts'
import { listingDecider, listingStream } from './domain.ts'
import { createGate } from './gate.ts'
import type { ImageFormat } from './images.ts'
import type { PictureFiles } from './picture-files.ts'
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
import { multipartOptions, readImageUpload } from './uploads.ts'

/** Enough for 60 listings of 5 pictures, each tried once more. */
const UPLOADS_PER_HOUR_MAX = 600
/** Each may hold a whole file in memory while it arrives. */
const RECEIVING_MAX = 24
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
    if (listing === null || (listing.status === 'archived' && !maySeeAll)) throw new Rejection('product-not-found')
    return { status: 200, body: listing.images }
  })

  handle(app, catalogueRoutes.registerImage, async ({ body, user }) => {
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

  // In a scope of its own: nowhere else is a form a body that we take.
  void app.register((scope, _options, done) => {
    void scope.register(multipart, multipartOptions)
    addUpload(scope as App, { pool, files, onAppended })
    done()
  })
  serveImages(app, { pool, files })
}

function addUpload(app: App, { pool, files, onAppended }: PictureDependencies): void {
  const uploads = createRateLimiter(app, { limit: UPLOADS_PER_HOUR_MAX, windowMs: 60 * 60 * 1000 })
  const gate = createGate({ runningMax: RECEIVING_MAX, waitingMax: 0 })

  handle(app, catalogueRoutes.uploadImage, async ({ params, user, request }) => {
    const picture = await findPicture(pool, params.imageId)
    if (picture === null) throw new Rejection('not-found')
    requireSelf(user, picture.sellerId)
    if (picture.storageKey !== null) throw new Rejection('image-already-uploaded')
    uploads.take(user.id)
    const image = imageOf(picture)
    const kept = await gate.run(async () => {
      const { bytes, sellerId } = await readImageUpload(request)
      requireSelf(user, sellerId)
      return files.keep(bytes)
    })
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

/** Not by `handle`: the answer is no JSON, and whatever is wrong with a name or width is simply not there. */
function serveImages(app: App, { pool, files }: Omit<PictureDependencies, 'onAppended'>): void {
  const { getImage } = catalogueRoutes
  app.servedRoutes.push(getImage)
  app.route<{ Params: { name: string }; Querystring: Record<string, unknown> }>({
    method: getImage.method,
    url: getImage.path,
    // Before anything else looks at the name, so that a NUL in it is no different from any other wrong name.
    onRequest: async (request) => {
      if (readImageRequest(request) === null) throw new Rejection('not-found')
    },
    handler: async (request, reply) => {
      const wanted = readImageRequest(request)
      const picture = wanted && (await findStoredPicture(pool, wanted.name))
      if (!wanted || !picture) throw new Rejection('not-found')
      const { format } = wanted
      const widthPx = wanted.widthPx !== null && wanted.widthPx < picture.widthPx ? wanted.widthPx : null
      const etag = `"${picture.storageKey}-${widthPx ?? 'full'}-${format}"`
      if (request.headers['if-none-match'] === etag) return setImageHeaders(reply, etag).code(304).send()
      const bytes = await files.variant(picture.storageKey, widthPx, format)
      if (bytes === null) throw new Rejection('not-found')
      return setImageHeaders(reply, etag)
        .type(format === 'jpg' ? 'image/jpeg' : 'image/webp')
        .send(bytes)
    },
  })
}

interface ImageRequest {
  readonly name: string
  readonly format: ImageFormat
  readonly widthPx: number | null
}

function readImageRequest(request: AppRequest): ImageRequest | null {
  const { name } = request.params as { name?: unknown }
  const { w } = request.query as { w?: unknown }
  const match = typeof name === 'string' ? /^([A-Za-z0-9_-]{8,64})(?:\.(jpg|webp))?$/.exec(name) : null
  const widthPx = w === undefined ? null : IMAGE_WIDTHS_PX.find((width) => String(width) === w)
  if (match?.[1] === undefined || widthPx === undefined) return null
  return { name: match[1], format: match[2] === 'jpg' ? 'jpg' : 'webp', widthPx }
}

/** A name belongs to one file for ever, so it may be kept for ever. As a document of its own it can do nothing. */
function setImageHeaders(reply: AppReply, etag: string): AppReply {
  return reply.headers({
    etag,
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'content-disposition': 'inline',
  })
}

function imageOf({ id, name, imageOrder }: PictureRow): ProductImage {
  return { id, imageUrl: name, imageOrder }
}
