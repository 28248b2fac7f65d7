import type { ListingFacts } from '@wangian/contracts/catalogue.ts'
import sharp from 'sharp'

export const createdAt = '2026-11-21T08:00:00.000Z'

/** A listing as the log has it; a test names what matters to it. */
export function listingFacts(facts: Partial<ListingFacts> = {}): ListingFacts {
  return {
    productId: 1,
    sellerId: 7,
    name: 'Santal 33',
    brand: 'Le Labo',
    description: 'Cardamom, iris and a lot of sandalwood.',
    priceSen: 68_050,
    categoryId: 4,
    listingType: 'fixed',
    stockQuantity: 1,
    remainingPercentage: 85,
    batchCode: 'LL2301',
    purchaseYear: 2023,
    boxCondition: 'Good',
    volumeMl: 100,
    isNew: false,
    imageUrl: null,
    createdAt,
    ...facts,
  }
}

/** A form that is right in every field. */
export const listingForm = {
  name: 'Santal 33',
  brand: 'Le Labo',
  description: 'Cardamom, iris and a lot of sandalwood.',
  price: 680.5,
  categoryId: 4,
  stockQuantity: 1,
  remainingPercentage: 85,
  purchaseYear: 2023,
  boxCondition: 'Good',
  batchCode: 'LL2301',
  listingType: 'fixed',
  volume: 100,
} as const

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
    readonly sellerId?: string
  } = {},
): { readonly payload: Buffer; readonly headers: { readonly 'content-type': string } } {
  const { field = 'image', filename = 'bottle.jpg', type = 'image/jpeg', sellerId } = options
  const boundary = '----wangian-test-boundary'
  const text = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`
  const payload = Buffer.concat([
    Buffer.from(sellerId === undefined ? head : text('sellerId', sellerId) + head),
    file,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  return { payload, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}
