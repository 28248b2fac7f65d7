import { IMAGE_WIDTHS_PX } from '@wangian/contracts/pictures.ts'
import type { Route } from '@wangian/contracts/route.ts'
import { Rejection } from '../errors.ts'
import type { App, AppReply, AppRequest } from '../http/http.ts'
import type { ImageFormat } from './images.ts'
import type { PictureFiles } from './picture-files.ts'

/**
 * A name belongs to one file for ever. Caches that serve all ask again after a day whether it may still be shown: a picture is taken off, and people
 * leave.
 */
const FOR_EVER = 'public, max-age=31536000, s-maxage=86400, immutable'
/** What stands in while something better is made. */
const FOR_NOW = 'public, max-age=3600'

const mediaTypes: Readonly<Record<ImageFormat, string>> = { avif: 'image/avif', webp: 'image/webp', jpg: 'image/jpeg' }

/** Where the bytes of a picture are, and how wide it is. */
export interface StoredPicture {
  readonly storageKey: string
  readonly widthPx: number
}

/**
 * Serves a route whose parts are `imageRequest` of the contracts. Not by `handle`: the answer is no JSON, and whatever is
 * wrong with a name or width is simply not there.
 * @param find the picture of a name, which is one by its form
 */
export function servePictures(
  app: App,
  route: Route,
  files: PictureFiles,
  find: (name: string) => Promise<StoredPicture | null>,
): void {
  app.servedRoutes.push(route)
  app.route<{ Params: { name: string }; Querystring: Record<string, unknown> }>({
    method: route.method,
    url: route.path,
    // Before anything else looks at the name, so that a NUL in it is no different from any other wrong name.
    onRequest: async (request) => {
      if (readImageRequest(request) === null) throw new Rejection('not-found')
    },
    handler: async (request, reply) => {
      const wanted = readImageRequest(request)
      const picture = wanted && (await find(wanted.name))
      if (!wanted || !picture) throw new Rejection('not-found')
      const { storageKey } = picture
      const widthPx = wanted.widthPx !== null && wanted.widthPx < picture.widthPx ? wanted.widthPx : null
      const best = wanted.format ?? (takesAvif(request) ? 'avif' : 'webp')
      const etagOf = (format: ImageFormat) => `"${storageKey}-${widthPx ?? 'full'}-${format}"`
      const isKnown = (format: ImageFormat) => request.headers['if-none-match'] === etagOf(format)
      const begin = (format: ImageFormat) =>
        setImageHeaders(reply, etagOf(format), format === best ? FOR_EVER : FOR_NOW)
      if (wanted.format === null) reply.header('vary', 'Accept')
      if (isKnown(best)) return begin(best).code(304).send()
      const avif = best === 'avif' ? await files.variantIfMade(storageKey, widthPx, best) : null
      const format = best === 'avif' && avif === null ? 'webp' : best
      if (isKnown(format)) return begin(format).code(304).send()
      const bytes = avif ?? (await files.variant(storageKey, widthPx, format))
      if (bytes === null) throw new Rejection('not-found')
      return begin(format).type(mediaTypes[format]).send(bytes)
    },
  })
}

/** What a route whose parts are `imageRequest` was asked for. */
interface ImageRequest {
  readonly name: string
  /** `null`: what the browser takes best. */
  readonly format: 'webp' | 'jpg' | null
  readonly widthPx: number | null
}

/** `null` for what is no name or width, which is as good as not there. */
export function readImageRequest(request: AppRequest): ImageRequest | null {
  const { name } = request.params as { name?: unknown }
  const { w } = request.query as { w?: unknown }
  const match = typeof name === 'string' ? /^([A-Za-z0-9_-]{8,64})(?:\.(jpg|webp))?$/.exec(name) : null
  const widthPx = w === undefined ? null : IMAGE_WIDTHS_PX.find((width) => String(width) === w)
  if (match?.[1] === undefined || widthPx === undefined) return null
  const format = match[2] === 'jpg' || match[2] === 'webp' ? match[2] : null
  return { name: match[1], format, widthPx }
}

/** Browsers say so of the pictures of a page; whoever takes anything may not know it. */
function takesAvif(request: AppRequest): boolean {
  return /\bimage\/avif\b/.test(request.headers.accept ?? '')
}

/** As a document of its own it can do nothing. */
function setImageHeaders(reply: AppReply, etag: string, cacheControl: string): AppReply {
  return reply.headers({
    etag,
    'cache-control': cacheControl,
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'content-disposition': 'inline',
  })
}
