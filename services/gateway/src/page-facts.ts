import { catalogueRequests, type Product } from '@wangian/contracts/catalogue.ts'
import { type Seller, shopRequests } from '@wangian/contracts/shop.ts'
import { BriefMemory } from '@wangian/kit/brief-memory.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request } from '@wangian/kit/bus/requests.ts'

/** A page is worth waiting this long for what it is about; then it comes without. */
const TIMEOUT_MS = 250
const PAGE_TTL_MS = 5_000
const SITEMAP_TIMEOUT_MS = 2_000
const SITEMAP_TTL_MS = 10 * 60 * 1000
const ENTRIES_MAX = 2_000

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
  const products = new BriefMemory<Product | null>({ ttlMs: PAGE_TTL_MS, entriesMax: ENTRIES_MAX })
  const shops = new BriefMemory<Seller | null>({ ttlMs: PAGE_TTL_MS, entriesMax: ENTRIES_MAX })
  const pages = new BriefMemory<ShownPage>({ ttlMs: SITEMAP_TTL_MS, entriesMax: 100 })
  const soon = { timeoutMs: TIMEOUT_MS }
  const { getProduct, getProductOfAuction } = catalogueRequests
  return {
    product: (productId) =>
      products.get(`product ${productId}`, async () => {
        return (await request(nats, 'catalogue', getProduct, { productId }, soon)).product
      }),
    productOfAuction: (auctionId) =>
      products.get(`auction ${auctionId}`, async () => {
        return (await request(nats, 'catalogue', getProductOfAuction, { auctionId }, soon)).product
      }),
    shop: (sellerId) =>
      shops.get(String(sellerId), async () => {
        return (await request(nats, 'catalogue', shopRequests.getShop, { sellerId }, soon)).seller
      }),
    shown: (kind, page) =>
      pages.get(`${kind} ${page}`, () =>
        request(nats, 'catalogue', shopRequests.listShown, { kind, page }, { timeoutMs: SITEMAP_TIMEOUT_MS }),
      ),
  }
}
