import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { invariant } from '@wangian/kit/invariant.ts'
import sharp, { type OverlayOptions } from 'sharp'

/** What a preview of a product says, wherever its address is shared. */
export interface ShareWords {
  readonly brand: string
  readonly name: string
  /** What somebody would pay now. */
  readonly price: string
  /** The one or two facts that decide. */
  readonly facts: string
  readonly isSold: boolean
}

/** As those who show previews want them. */
export const SHARE_SIZE_PX = { width: 1200, height: 630 } as const

const PHOTO_WIDTH_PX = 504
const MARGIN_PX = 64
const WORDS_WIDTH_PX = SHARE_SIZE_PX.width - PHOTO_WIDTH_PX - 2 * MARGIN_PX
/** Between the brand and the price. */
const NAME_HEIGHT_MAX_PX = 270
const QUALITY = 82
/** In our palette: `look.md` has it as light. */
const colors = {
  paper: '#FAF7F2',
  ground: '#EFE7DB',
  ink: '#1F1A17',
  muted: '#665C54',
  accent: '#8F4E1B',
  live: '#A3243B',
}
// As bytes: no picture is read from a path (`files/images.ts` of the kit).
const noPhoto = readFileSync(new URL('../../assets/share-no-photo.png', import.meta.url))
const logo = readFileSync(new URL('../../assets/share-logo.png', import.meta.url))

const serif = { family: 'Fraunces', file: fontFile('@expo-google-fonts/fraunces/400Regular/Fraunces_400Regular.ttf') }
const sans = { family: 'Figtree', file: fontFile('@expo-google-fonts/figtree/400Regular/Figtree_400Regular.ttf') }

/** Draws the preview as JPEG, which everybody can show. @param photo of the product, `null` where there is none of ours */
export async function drawSharePicture(words: ShareWords, photo: Uint8Array | null): Promise<Buffer> {
  const left = PHOTO_WIDTH_PX + MARGIN_PX
  const brand = await write(words.brand, { font: sans, sizePx: 28, color: colors.muted, linesMax: 1 })
  const name = await writeName(words.name)
  const price = await write(words.isSold ? 'SOLD' : words.price, {
    font: serif,
    sizePx: 60,
    color: words.isSold ? colors.live : colors.accent,
    linesMax: 1,
  })
  const facts = await write(words.facts, { font: sans, sizePx: 28, color: colors.muted, linesMax: 1 })
  const site = await write('Wangian', { font: serif, sizePx: 32, color: colors.ink, linesMax: 1 })
  const priceTop = SHARE_SIZE_PX.height - MARGIN_PX - facts.heightPx - 14 - price.heightPx
  const layers: OverlayOptions[] = [
    await pictureLayer(photo),
    { input: logo, left, top: 52 },
    { input: site.image, left: left + 56, top: 58 },
    { input: brand.image, left, top: 136 },
    { input: name.image, left, top: 136 + brand.heightPx + 14 },
    { input: price.image, left, top: priceTop },
    { input: facts.image, left, top: priceTop + price.heightPx + 14 },
  ]
  return sharp({ create: { ...SHARE_SIZE_PX, channels: 3, background: colors.paper } })
    .composite(layers)
    .jpeg({ quality: QUALITY, progressive: true })
    .toBuffer()
}

async function pictureLayer(photo: Uint8Array | null): Promise<OverlayOptions> {
  const size = { width: PHOTO_WIDTH_PX, height: SHARE_SIZE_PX.height }
  const ground = sharp({ create: { ...size, channels: 3, background: colors.ground } })
  const input =
    photo === null
      ? await ground
          .composite([{ input: noPhoto }])
          .png()
          .toBuffer()
      : await sharp(photo)
          .resize({ ...size, fit: 'cover' })
          .flatten({ background: colors.ground })
          .png()
          .toBuffer()
  return { input, left: 0, top: 0 }
}

/** As large as it fits: a name may be long. */
async function writeName(name: string): Promise<Written> {
  let written: Written | undefined
  for (const sizePx of [72, 58, 46]) {
    written = await write(name, {
      font: serif,
      sizePx,
      color: colors.ink,
      linesMax: Math.floor(NAME_HEIGHT_MAX_PX / (1.2 * sizePx)),
    })
    if (!written.isCut) return written
  }
  invariant(written, 'there is a size for names')
  return written
}

interface Written {
  readonly image: Buffer
  readonly heightPx: number
  /** Not all words have their place. */
  readonly isCut: boolean
}

async function write(
  text: string,
  look: { readonly font: typeof serif; readonly sizePx: number; readonly color: string; readonly linesMax: number },
): Promise<Written> {
  const { font, sizePx, color, linesMax } = look
  const { data, info } = await sharp({
    text: {
      text: `<span foreground="${color}">${inert(text)}</span>`,
      font: `${font.family} ${sizePx}`,
      fontfile: font.file,
      width: WORDS_WIDTH_PX,
      wrap: 'word-char',
      rgba: true,
      // A point is a pixel then.
      dpi: 72,
    },
  })
    .png()
    .toBuffer({ resolveWithObject: true })
  const heightPx = Math.ceil(linesMax * 1.3 * sizePx)
  if (info.height <= heightPx && info.width <= WORDS_WIDTH_PX)
    return { image: data, heightPx: info.height, isCut: false }
  const size = { width: Math.min(info.width, WORDS_WIDTH_PX), height: Math.min(info.height, heightPx) }
  const image = await sharp(data)
    .extract({ left: 0, top: 0, ...size })
    .png()
    .toBuffer()
  return { image, heightPx: size.height, isCut: true }
}

/** Text that the drawing takes for nothing else, and without what no text has. */
function inert(text: string): string {
  const shown = /[\p{L}\p{N}\p{P}\p{S}]/u.test(text) ? text : '–'
  return (
    shown
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that must go
      .replace(/[\u0000-\u001F\u007F\uFFFE\uFFFF]+/g, ' ')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
  )
}

function fontFile(path: string): string {
  return createRequire(import.meta.url).resolve(path)
}
