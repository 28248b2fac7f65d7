import { catalogueRequests, type Product } from '@wangian/contracts/catalogue.ts'
import { type Seller, shopRequests } from '@wangian/contracts/shop.ts'
import { AnswerCache } from '@wangian/kit/answer-cache.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request } from '@wangian/kit/bus/requests.ts'

/** A page is worth waiting this long for what it is about; then it comes without. */
const TIMEOUT_MS = 250
const PAGE_AGE = { freshMs: 5_000 }
const SITEMAP_TIMEOUT_MS = 2_000
const SITEMAP_AGE = { freshMs: 10 * 60 * 1000 }
const ANSWERS_BYTES_MAX = 16 * 1024 * 1024

export interface ShownPage {
  readonly pageCount: number
  readonly entries: readonly { readonly id: number; readonly changedAt: string | null }[]
}

/** What pages are about, as everybody may see it; `null` for what is not there. Each may fail when nobody answers in time. */
export interface PageFacts {
  product(productId: number): Promise<Product | null>
  productOfAuction(auctionId: number): Promise<Product | null>
  shop(sellerId: number): Promise<Seller | null>
  shown(kind: 'products' | 'shops', page: number): Promise<ShownPage>
}

/** Asks catalogue, and remembers the answers for a moment: a link that is shared is opened by many at once. */
export function askForPageFacts(nats: NatsConnection): PageFacts {
  const answers = new AnswerCache({ bytesMax: ANSWERS_BYTES_MAX })
  const soon = { timeoutMs: TIMEOUT_MS }
  const { getProduct, getProductOfAuction } = catalogueRequests
  return {
    product: (productId) =>
      answers.get(['product', productId], PAGE_AGE, async () => {
        return (await request(nats, 'catalogue', getProduct, { productId }, soon)).product
      }),
    productOfAuction: (auctionId) =>
      answers.get(['auction', auctionId], PAGE_AGE, async () => {
        return (await request(nats, 'catalogue', getProductOfAuction, { auctionId }, soon)).product
      }),
    shop: (sellerId) =>
      answers.get(['shop', sellerId], PAGE_AGE, async () => {
        return (await request(nats, 'catalogue', shopRequests.getShop, { sellerId }, soon)).seller
      }),
    shown: (kind, page) =>
      answers.get(['shown', kind, page], SITEMAP_AGE, () =>
        request(nats, 'catalogue', shopRequests.listShown, { kind, page }, { timeoutMs: SITEMAP_TIMEOUT_MS }),
      ),
  }
}
