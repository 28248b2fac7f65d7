import sharp, { type Metadata, type Sharp } from 'sharp'
import { expect } from 'vitest'

/** What it is, how it is made, and what is expected of each variant that is served of it. */
type UnusualPicture = readonly [string, () => Promise<Buffer>, (served: Buffer) => Promise<void>]

interface Colour {
  readonly r: number
  readonly g: number
  readonly b: number
}

const RED: Colour = { r: 220, g: 30, b: 40 }
const BLUE: Colour = { r: 30, g: 60, b: 200 }
const AMBER: Colour = { r: 200, g: 135, b: 60 }
/** Encoding loses a little, and ink cannot show every light. */
const COLOUR_TOLERANCE = 30
/** In degrees, minutes and seconds; a place to be found by whoever gets the file. */
const HOME = {
  GPSLatitudeRef: 'N',
  GPSLatitude: '3/1 8/1 2400/100',
  GPSLongitudeRef: 'E',
  GPSLongitude: '101/1 41/1 0/1',
}
const SECRET = 'the owner of the phone'

export const unusualPictures: readonly UnusualPicture[] = [
  ['one that says where it was taken', takenAtHome, expectNoMetadata],
  ...([1, 2, 3, 4, 5, 6, 7, 8] as const).map(
    (orientation): UnusualPicture => [
      `one that is to be turned (${orientation})`,
      () => lying(orientation),
      (served) => expectRedAboveBlue(served),
    ],
  ),
  ['an animated GIF', () => animated('gif'), expectFirstFrame],
  ['an animated WebP', () => animated('webp'), expectFirstFrame],
  ['a JPEG in the colours of ink', inInk, (served) => expectColour(served, AMBER, 'all of it')],
  ['a PNG of 16 bits', deep, (served) => expectColour(served, AMBER, 'all of it')],
  ['a PNG that one can see through', seeThrough, async (served) => void (await expectStill(served))],
  [
    'one of a single pixel',
    () => plain(AMBER, 1, 1).png().toBuffer(),
    (served) => expectColour(served, AMBER, 'all of it'),
  ],
]

function plain(background: Colour, width: number, height: number): Sharp {
  return sharp({ create: { width, height, channels: 3, background } })
}

async function takenAtHome(): Promise<Buffer> {
  const bytes = await plain(AMBER, 400, 300)
    .withExif({ IFD0: { Artist: SECRET }, IFD3: HOME })
    .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><p>${SECRET}</p></x:xmpmeta>`)
    .jpeg()
    .toBuffer()
  const { exif, xmp } = await sharp(bytes).metadata()
  expect(exif?.includes(SECRET) && xmp?.includes(SECRET)).toBe(true)
  return bytes
}

async function expectNoMetadata(served: Buffer): Promise<void> {
  const { exif, xmp, iptc, icc } = await expectStill(served)
  expect({ exif, xmp, iptc, icc }).toEqual({})
  expect(served.includes(SECRET)).toBe(false)
}

/** Red above blue, stored as a camera stores it that is held otherwise and says so. */
async function lying(orientation: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8): Promise<Buffer> {
  const upright = await plain(BLUE, 300, 400)
    .composite([{ input: await plain(RED, 300, 200).png().toBuffer(), gravity: 'north' }])
    .png()
    .toBuffer()
  // What undoes the turn that each number asks for.
  const turned = {
    1: () => sharp(upright),
    2: () => sharp(upright).flop(),
    3: () => sharp(upright).rotate(180),
    4: () => sharp(upright).flip(),
    5: () => sharp(upright).flip().rotate(90),
    6: () => sharp(upright).rotate(270),
    7: () => sharp(upright).flip().rotate(270),
    8: () => sharp(upright).rotate(90),
  }[orientation]()
  return sharp(await turned.png().toBuffer())
    .withMetadata({ orientation })
    .jpeg()
    .toBuffer()
}

async function expectRedAboveBlue(served: Buffer): Promise<void> {
  const { width, height, orientation } = await expectStill(served)
  expect([width / height, orientation]).toEqual([expect.closeTo(0.75, 2), undefined])
  await expectColour(served, RED, 'top')
  await expectColour(served, BLUE, 'bottom')
}

async function animated(format: 'gif' | 'webp'): Promise<Buffer> {
  const frames = await Promise.all([RED, BLUE, AMBER].map((colour) => plain(colour, 200, 200).png().toBuffer()))
  const bytes = await sharp(frames, { join: { animated: true } })
    .toFormat(format)
    .toBuffer()
  expect((await sharp(bytes).metadata()).pages).toBe(3)
  return bytes
}

async function expectFirstFrame(served: Buffer): Promise<void> {
  await expectStill(served)
  await expectColour(served, RED, 'all of it')
}

async function inInk(): Promise<Buffer> {
  const bytes = await plain(AMBER, 400, 300).toColourspace('cmyk').jpeg().toBuffer()
  expect((await sharp(bytes).metadata()).space).toBe('cmyk')
  return bytes
}

async function deep(): Promise<Buffer> {
  const bytes = await plain(AMBER, 400, 300).toColourspace('rgb16').png().toBuffer()
  expect((await sharp(bytes).metadata()).depth).toBe('ushort')
  return bytes
}

function seeThrough(): Promise<Buffer> {
  const background = { ...AMBER, alpha: 0.5 }
  return sharp({ create: { width: 300, height: 300, channels: 4, background } })
    .png()
    .toBuffer()
}

async function expectStill(served: Buffer): Promise<Metadata> {
  const metadata = await sharp(served).metadata()
  expect(['webp', 'jpeg']).toContain(metadata.format)
  expect(metadata).toMatchObject({ space: 'srgb', depth: 'uchar' })
  expect(metadata.pages ?? 1).toBe(1)
  return metadata
}

async function expectColour(served: Buffer, expected: Colour, where: 'top' | 'bottom' | 'all of it'): Promise<void> {
  const { width, height } = await expectStill(served)
  const third = Math.max(Math.floor(height / 3), 1)
  const area = { left: 0, width, top: where === 'bottom' ? height - third : 0, height: third }
  const { channels } = await sharp(await sharp(served).extract(area).png().toBuffer()).stats()
  const [r, g, b] = channels.map(({ mean }) => Math.round(mean))
  const difference = Math.max(...[(r ?? 0) - expected.r, (g ?? 0) - expected.g, (b ?? 0) - expected.b].map(Math.abs))
  expect(difference, `${where} is ${[r, g, b]}`).toBeLessThan(COLOUR_TOLERANCE)
}
