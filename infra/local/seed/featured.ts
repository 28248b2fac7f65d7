import { randomUUID } from 'node:crypto'
import { catalogueRequests, categories } from '@wangian/contracts/catalogue.ts'
import { closeNats, connectNats } from '@wangian/kit/bus/nats.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import type { Listed } from './listings.ts'

const PER_CATEGORY = 2
const FEATURED_DAYS = 7
const DAY_MS = 24 * 60 * 60 * 1000

/** Features the first bottles of each category, as a paid boost does: the first time, and whenever their time was over. */
export async function featureListings(natsUrl: string, listed: readonly Listed[], nowMs: number): Promise<void> {
  const chosen = categories
    .flatMap(({ id }) =>
      listed
        .filter(({ product, perfume }) => product.categoryId === id && perfume.auction === undefined)
        .slice(-PER_CATEGORY),
    )
    .filter(({ product }) => !product.isFeatured && product.status === 'active')
  if (chosen.length === 0) return
  const nats = await connectNats({ url: natsUrl, name: 'seed' })
  const featuredUntil = new Date(nowMs + FEATURED_DAYS * DAY_MS).toISOString()
  try {
    for (const { product } of chosen) {
      const command = { productId: product.id, packageId: null, featuredUntil, commandId: randomUUID() }
      await request(nats, 'catalogue', catalogueRequests.featureListing, command)
    }
  } finally {
    await closeNats(nats)
  }
}
