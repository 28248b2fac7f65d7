import { createHash } from 'node:crypto'
import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { Outcome } from '../domain.ts'

/**
 * Own products that can be featured now, as catalogue has them, in the order in which they are asked for.
 * @throws Rejection for the first that is not there, not the seller's, sold or reserved; Failure when catalogue cannot be asked
 */
export async function getBoostable(
  nats: NatsConnection,
  userId: number,
  productIds: readonly number[],
): Promise<readonly { readonly productId: number; readonly name: string }[]> {
  const answers = await Promise.all(
    productIds.map((productId) => request(nats, 'catalogue', catalogueRequests.getListing, { productId })),
  )
  return answers.map(({ listing }) => {
    if (listing === null) throw new Rejection('product-not-found')
    if (listing.sellerId !== userId) throw new Rejection('forbidden', 'You can boost your own products only.')
    if (listing.status === 'sold') throw new Rejection('product-sold')
    if (listing.status === 'pending') throw new Rejection('product-reserved')
    return { productId: listing.productId, name: listing.name }
  })
}

/**
 * Has catalogue feature a product so much longer, once for a key.
 * @returns the code with which catalogue refuses it, if it does
 * @throws Failure when catalogue cannot be asked: the same key again leads to the same
 */
export async function feature(
  nats: NatsConnection,
  asked: {
    readonly productId: number
    readonly packageId: number
    readonly durationHours: number
    readonly key: string
  },
): Promise<Outcome> {
  const { key, ...what } = asked
  try {
    const command = { ...what, commandId: uuidOf(key) }
    const { featuredUntil } = await request(nats, 'catalogue', catalogueRequests.featureListing, command)
    return { boostedUntil: featuredUntil }
  } catch (error) {
    if (error instanceof Rejection) return { reason: error.code }
    throw error
  }
}

/** A UUID (version 8) that a text leads to, always the same. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
