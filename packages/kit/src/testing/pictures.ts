import { crc32, deflateSync } from 'node:zlib'
import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { IMAGE_BYTES_MAX, imageMessages } from '@wangian/contracts/pictures.ts'
import sharp from 'sharp'

/** A small picture that decodes: amber, or whatever is asked for. */
export async function picture(
  format: 'jpeg' | 'png' | 'gif' | 'webp' = 'jpeg',
  size: { readonly width: number; readonly height: number } = { width: 400, height: 500 },
): Promise<Buffer> {
  return sharp({ create: { ...size, channels: 3, background: '#c8873c' } })
    .toFormat(format)
    .toBuffer()
}

/** A form with one file, as browsers send it. */
export function uploadForm(
  file: Buffer,
  options: {
    readonly field?: string
    readonly filename?: string
    readonly type?: string
    readonly fields?: Readonly<Record<string, string>>
  } = {},
): { readonly payload: Buffer; readonly headers: { readonly 'content-type': string } } {
  const { field = 'image', filename = 'bottle.jpg', type = 'image/jpeg', fields = {} } = options
  const boundary = '----wangian-test-boundary'
  const text = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`
  const payload = Buffer.concat([
    Buffer.from(
      Object.entries(fields)
        .map(([name, value]) => text(name, value))
        .join('') + head,
    ),
    file,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  return { payload, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><rect width="9" height="9"/></svg>')
const html = Buffer.from('<!doctype html><html><body><script>alert(1)</script></body></html>')
/** An archive with nothing in it. */
const zip = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)])
/** The header, a comment of 22 bytes, and the end. */
const scriptGif = Buffer.concat([
  Buffer.from('47494638396101000100000000', 'hex'),
  Buffer.from('21fe16', 'hex'),
  Buffer.from('*/=1;alert(1)//0123456'),
  Buffer.from('003b', 'hex'),
])
/** Names of pictures that lead elsewhere where they are taken for paths; as they stand in an address. */
export const hostileNames: readonly string[] = [
  '..%2F..%2Fetc%2Fpasswd',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..%5C..%5Cetc%5Cpasswd',
  '..%252F..%252Fetc%252Fpasswd',
  'some-picture%00.jpg',
  '%00',
  'some-picture%2F..%2Fother',
  'some%5Cpicture',
]

/** Files that are no pictures, or not harmless ones: what each is, how it is made, and how it is refused. */
export const hostileUploads: readonly [string, () => Promise<Buffer> | Buffer, ErrorCode, string?][] = [
  ['an SVG', () => svg, 'unsupported-type', imageMessages.wrongType],
  ['an SVG behind an XML header', () => Buffer.concat([Buffer.from('<?xml version="1.0"?>'), svg]), 'unsupported-type'],
  ['HTML named .jpg', () => html, 'unsupported-type', imageMessages.wrongType],
  ['a PDF', () => Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n'), 'unsupported-type'],
  [
    'a TIFF',
    () =>
      sharp({ create: { width: 9, height: 9, channels: 3, background: '#fff' } })
        .tiff()
        .toBuffer(),
    'unsupported-type',
  ],
  ['an AVIF', () => Buffer.from('0000001c667479706176696600000000617669666d696631', 'hex'), 'unsupported-type'],
  ['a script behind the mark of a GIF', () => Buffer.from('GIF89a/*\x00\x00*/=1;alert(1)//'), 'unsupported-type'],
  [
    'HTML behind the mark of a JPEG',
    () => Buffer.concat([Buffer.from('ffd8ffe000104a464946', 'hex'), html]),
    'unsupported-type',
  ],
  [
    'a JPEG that breaks off',
    async () => (await picture('jpeg')).subarray(0, 600),
    'unsupported-type',
    imageMessages.wrongType,
  ],
  ['a PNG that breaks off', async () => cutNoisyPng(), 'unsupported-type', imageMessages.wrongType],
  ['a PDF that is a page, too', () => Buffer.concat([Buffer.from('%PDF-1.7\n'), html]), 'unsupported-type'],
  ['a ZIP named .jpg', () => zip, 'unsupported-type', imageMessages.wrongType],
  [
    'a ZIP behind the mark of a JPEG',
    () => Buffer.concat([Buffer.from('ffd8ffe000104a464946', 'hex'), zip]),
    'unsupported-type',
  ],
  ['a GIF whose comment is a script and that has no picture', () => scriptGif, 'unsupported-type'],
  ['a JPEG of hundreds of scans', () => manyScans(), 'unsupported-type', imageMessages.wrongType],
  ['no bytes', () => Buffer.alloc(0), 'bad-request'],
  [
    'six megabytes',
    () => Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(6 * 1024 * 1024)]),
    'too-large',
    imageMessages.tooLarge,
  ],
  ['one byte too many', () => Buffer.alloc(IMAGE_BYTES_MAX + 1, 1), 'too-large', imageMessages.tooLarge],
  ['a bomb of 50 megapixels', () => blackPng(10_000, 5_000), 'too-large', imageMessages.tooManyPixels],
  ['a bomb of 10 gigapixels', () => pngHeader(100_000, 100_000), 'too-large', imageMessages.tooManyPixels],
  ['25 megapixels of 8 bytes each', () => deepPng(5000), 'too-large', imageMessages.tooManyPixels],
]

/** A grey square of a progressive JPEG, of which each scan says one bit of one of its 63 frequencies: nothing is wrong with it. */
function manyScans(): Buffer {
  const segment = (type: number, ...content: number[]) => [0xff, type, 0, content.length + 2, ...content]
  const codeOfZero = [1, ...Array.from({ length: 15 }, () => 0), 0]
  const frequencies = Array.from({ length: 63 }, (_, index) => index + 1)
  const bits = Array.from({ length: 14 }, (_, index) => 13 - index)
  return Buffer.from([
    ...[0xff, 0xd8],
    ...segment(0xdb, 0, ...Array.from({ length: 64 }, () => 1)),
    ...segment(0xc2, 8, 0, 8, 0, 8, 1, 1, 0x11, 0),
    ...[...segment(0xc4, 0x00, ...codeOfZero), ...segment(0xc4, 0x10, ...codeOfZero)],
    ...[...segment(0xda, 1, 1, 0, 0, 0, 0), 0x7f],
    ...frequencies.flatMap((frequency) =>
      bits.flatMap((bit) => [
        ...segment(0xda, 1, 1, 0, frequency, frequency, ((bit === 13 ? 0 : bit + 1) << 4) | bit),
        0x7f,
      ]),
    ),
    ...[0xff, 0xd9],
  ])
}

/** The first half of a PNG that does not compress, so that the half lacks rows. */
async function cutNoisyPng(): Promise<Buffer> {
  const noise = Buffer.from(Array.from({ length: 90_000 }, (_, index) => (index * index * 31) % 251))
  const png = await sharp(noise, { raw: { width: 200, height: 150, channels: 3 } })
    .png()
    .toBuffer()
  return png.subarray(0, png.length / 2)
}

/** A few kilobytes that claim, truthfully, to be very many black pixels. */
function blackPng(width: number, height: number): Buffer {
  const rows = Buffer.alloc(height * (Math.ceil(width / 8) + 1))
  return pngOf(width, height, deflateSync(rows))
}

function pngHeader(width: number, height: number): Buffer {
  return pngOf(width, height, deflateSync(Buffer.alloc(100)))
}

/** A square with transparency, of which each channel has 16 bits. */
function deepPng(sidePx: number): Buffer {
  const row = Buffer.alloc(1 + 8 * sidePx)
  return pngOf(sidePx, sidePx, deflateSync(Buffer.concat(Array.from({ length: sidePx }, () => row))), 16, 6)
}

/** As it comes, of one bit for each pixel, in grey. */
function pngOf(width: number, height: number, data: Buffer, bits = 1, colorType = 0): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(bits, 8)
  header.writeUInt8(colorType, 9)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', data),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'ascii'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
