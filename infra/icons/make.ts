import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'

/**
 * Draws the icons of the site from `web/public/favicon.svg`, for those who put it on their home screen, and what the preview of a product
 * has of ours: `npm run icons`. What it writes is committed, so that a build needs none of this.
 */

const publicFolder = fileURLToPath(new URL('../../web/public/', import.meta.url))
const previewFolder = fileURLToPath(new URL('../../services/catalogue/assets/', import.meta.url))
/** The colour of the drawing's own ground, which a mask cuts into any shape. */
const ground = '#8F4E1B'
/** Of a maskable icon only a circle of four fifths is sure to be seen. */
const safeShare = 0.72

const svg = await readFile(`${publicFolder}favicon.svg`)

/** @param share how much of the width the drawing has; what is left is ground */
async function draw(name: string, sizePx: number, share = 1): Promise<void> {
  const drawnPx = Math.round(sizePx * share)
  const drawn = await sharp(svg, { density: (72 * drawnPx) / 32 })
    .resize(drawnPx)
    .png()
    .toBuffer()
  const image =
    share === 1
      ? sharp(drawn)
      : sharp({ create: { width: sizePx, height: sizePx, channels: 3, background: ground } }).composite([
          { input: drawn },
        ])
  await writeFile(`${publicFolder}${name}`, await image.png({ compressionLevel: 9, palette: true }).toBuffer())
}

await draw('icon-192.png', 192)
await draw('icon-512.png', 512)
await draw('icon-maskable-512.png', 512, safeShare)
// Apple's devices cut their own corners, and show what is transparent as black.
await draw('apple-touch-icon.png', 180, safeShare)

// What stands beside the site's name in a preview, and in the place of a photo.
for (const [name, sizePx] of [
  ['share-logo.png', 44],
  ['share-no-photo.png', 180],
] as const) {
  const drawn = sharp(svg, { density: (72 * sizePx) / 32 }).resize(sizePx)
  await writeFile(`${previewFolder}${name}`, await drawn.png({ compressionLevel: 9, palette: true }).toBuffer())
}
