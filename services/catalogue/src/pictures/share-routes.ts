import { createHash } from 'node:crypto'
import { catalogueRoutes, ImageName } from '@wangian/contracts/catalogue.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import { AnswerCache } from '@wangian/kit/answer-cache.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { PictureFiles } from '@wangian/kit/files/picture-files.ts'
import { createGate } from '@wangian/kit/gate.ts'
import { addressKey } from '@wangian/kit/http/client-address.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { presentProduct } from '../listings/presenter.ts'
import { findProduct, type ProductRow } from '../store.ts'
import { findStoredPicture } from './picture-store.ts'
import type { ShareWords } from './share-picture.ts'

/** Drawing takes a tenth of a second of one core: one at a time, and whoever comes when many wait is sent away. */
const DRAWING_MAX = 1
const DRAWING_WAITING_MAX = 20
/** Of one address that are not drawn yet; those that are cost next to nothing. */
const DRAWN_PER_MINUTE_MAX = 30
const DRAWN_BYTES_MAX = 24 * 1024 * 1024
const DRAWN_AGE = { freshMs: 6 * 60 * 60 * 1000 }
/** Wide enough for its place. */
const PHOTO_WIDTH_PX = 960

/** The pictures that stand for products where their addresses are shared. */
export function addShareRoutes(
  app: App,
  { pool, files }: { readonly pool: DatabasePool; readonly files: PictureFiles },
): void {
  const route = catalogueRoutes.getSharePicture
  const gate = createGate({ runningMax: DRAWING_MAX, waitingMax: DRAWING_WAITING_MAX })
  const drawn = new AnswerCache({ bytesMax: DRAWN_BYTES_MAX })
  const drawing = createRateLimiter(app, { limit: DRAWN_PER_MINUTE_MAX, windowMs: 60_000 })

  const findPhoto = async (row: ProductRow) => {
    const name = row.images[0]?.imageUrl ?? row.imageUrl
    // What is elsewhere is never fetched.
    return name === null || !ImageName.safeParse(name).success ? null : findStoredPicture(pool, name)
  }

  app.servedRoutes.push(route)
  // Not by `handle`: the answer is no JSON.
  app.route<{ Params: { productId: string } }>({
    method: route.method,
    url: route.path,
    handler: async (request, reply) => {
      const params = route.params.safeParse(request.params)
      const row = params.success ? await findProduct(pool, params.data.productId) : null
      if (row === null || row.status === 'archived' || row.isSellerHidden) throw new Rejection('product-not-found')
      const words = wordsOf(row)
      const photo = await findPhoto(row)
      // A photo may be taken off with another listing while its name stays here.
      const version = createHash('sha256')
        .update(JSON.stringify([words, photo?.storageKey]))
        .digest('base64url')
        .slice(0, 22)
      reply.headers({
        etag: `"${version}"`,
        'cache-control': 'public, max-age=3600',
        'cross-origin-resource-policy': 'cross-origin',
      })
      if (request.headers['if-none-match'] === `"${version}"`) return reply.code(304).send()
      const picture = await drawn.get([version], DRAWN_AGE, async () => {
        drawing.take(addressKey(request.ip))
        // Loaded with the first preview, as what it draws with is.
        const { drawSharePicture } = await import('./share-picture.ts')
        return gate.run(async () => {
          const widthPx = photo !== null && photo.widthPx > PHOTO_WIDTH_PX ? PHOTO_WIDTH_PX : null
          const bytes = photo && (await files.variant(photo.storageKey, widthPx, 'jpg'))
          return (await drawSharePicture(words, bytes)).toString('base64')
        })
      })
      return reply.type('image/jpeg').send(Buffer.from(picture, 'base64'))
    },
  })
}

function wordsOf(row: ProductRow): ShareWords {
  const { brand, name, price, remainingPercentage, volume, status, auction } = presentProduct(row)
  const kind = auction === null ? [] : [auction.currentBid === null ? 'starting price' : 'current bid']
  const isSold = status === 'sold'
  return {
    brand,
    name,
    price: formatRinggit(price),
    facts: [...(isSold ? [] : kind), `${remainingPercentage}% full`, `${volume} ml`].join(' · '),
    isSold,
  }
}
