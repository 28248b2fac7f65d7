import { IMAGE_WIDTHS_PX, imageMessages } from '@wangian/contracts/pictures.ts'
import { fileTypeFromBuffer } from 'file-type'
import sharp from 'sharp'
import { Rejection } from '../errors.ts'
import { countJpegScans } from './jpeg-scans.ts'

export type ImageFormat = 'avif' | 'webp' | 'jpg'

export interface EncodedImage {
  readonly bytes: Buffer
  readonly widthPx: number
  readonly heightPx: number
  /** The colour that most of it has, such as `#c8b9a1`. */
  readonly tint: string
}

const INPUT_PIXELS_MAX = 40_000_000
/** Encoders make some ten of them. A scan of nothing is 50 bytes that take as long as a whole picture, and no timeout ends what reads them. */
const JPEG_SCANS_MAX = 100
/** Pictures are kept as wide as the widest that is served. */
const WIDTH_MAX_PX = Math.max(...IMAGE_WIDTHS_PX)
const HEIGHT_MAX_PX = WIDTH_MAX_PX * 3
const DECODE_TIMEOUT_S = 15
/** Small enough to be looked at at once, large enough to know which colour prevails. */
const TINT_SAMPLE_PX = 64
const KEPT_QUALITY = 88
/** The next one takes half as long again, or more, for files that are a twentieth smaller and look alike. */
const WEBP_EFFORT = 2
const AVIF_EFFORT = 2
/** They look alike: AVIF needs a fifth less than WebP for it, and four times as long. */
const SERVED_QUALITY = { avif: 55, webp: 80, jpg: 82 } as const

const acceptedTypes = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

// Whatever libvips could read besides is not even tried: SVG, TIFF, PDF and their like have the richest history of holes.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadNsgifBuffer',
    'VipsForeignLoadWebpBuffer',
  ],
})
// Each picture is decoded once; remembering libvips operations would only hold memory.
sharp.cache(false)
// One thread each: several pictures at once use the cores better than one after the other.
sharp.concurrency(1)

/**
 * Decodes what somebody uploaded and encodes it anew, upright, in sRGB, without metadata, at most 1600 pixels wide. Of an
 * animation the first frame is kept. What the client said of the file does not matter.
 * @throws Rejection('unsupported-type') when it is no whole JPEG, PNG, GIF or WebP
 * @throws Rejection('too-large') when it has too many pixels
 */
export async function encodeUpload(bytes: Uint8Array): Promise<EncodedImage> {
  const type = await fileTypeFromBuffer(bytes)
  const isTooFine = type?.mime === 'image/jpeg' && countJpegScans(bytes) > JPEG_SCANS_MAX
  if (!acceptedTypes.has(type?.mime ?? '') || isTooFine)
    throw new Rejection('unsupported-type', imageMessages.wrongType)
  try {
    // The header alone, whatever size it claims, so that the refusal can say what is wrong.
    const { width, height, depth } = await sharp(bytes, { limitInputPixels: false, pages: 1 }).metadata()
    // An interlaced picture is decoded whole, and one of 16 bits for each channel takes twice the memory.
    const pixels = width * height * (depth === 'uchar' ? 1 : 2)
    if (pixels > INPUT_PIXELS_MAX) throw new Rejection('too-large', imageMessages.tooManyPixels)
    const { data, info } = await sharp(bytes, { failOn: 'warning', limitInputPixels: INPUT_PIXELS_MAX, pages: 1 })
      .autoOrient()
      .resize({ width: WIDTH_MAX_PX, height: HEIGHT_MAX_PX, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: KEPT_QUALITY, effort: WEBP_EFFORT })
      .timeout({ seconds: DECODE_TIMEOUT_S })
      .toBuffer({ resolveWithObject: true })
    return { bytes: data, widthPx: info.width, heightPx: info.height, tint: await tintOf(data) }
  } catch (error) {
    if (error instanceof Rejection) throw error
    throw new Rejection('unsupported-type', imageMessages.wrongType)
  }
}

/** The prevailing colour of one of our own pictures, with paper behind what is transparent. */
async function tintOf(kept: Uint8Array): Promise<string> {
  const sample = await sharp(kept)
    .resize({ width: TINT_SAMPLE_PX, height: TINT_SAMPLE_PX, fit: 'inside' })
    .flatten({ background: '#ffffff' })
    .png()
    .toBuffer()
  const { r, g, b } = (await sharp(sample).stats()).dominant
  return `#${[r, g, b].map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/** Encodes one of our own pictures as it is served. @param widthPx `null` keeps its size */
export async function encodeVariant(kept: Uint8Array, widthPx: number | null, format: ImageFormat): Promise<Buffer> {
  const image = sharp(kept, { limitInputPixels: INPUT_PIXELS_MAX })
  const sized = widthPx === null ? image : image.resize({ width: widthPx, withoutEnlargement: true })
  const quality = SERVED_QUALITY[format]
  switch (format) {
    case 'avif':
      return sized.avif({ quality, effort: AVIF_EFFORT }).toBuffer()
    case 'webp':
      return sized.webp({ quality, effort: WEBP_EFFORT }).toBuffer()
    case 'jpg':
      // JPEG has no transparency: paper shows through instead of black.
      return sized.flatten({ background: '#ffffff' }).jpeg({ quality, progressive: true, mozjpeg: false }).toBuffer()
  }
}
