import { auctionRoutes } from '@wangian/contracts/auction.ts'
import { catalogueRoutes } from '@wangian/contracts/catalogue.ts'
import { type PageTemplate, renderedTemplates } from '@wangian/contracts/languages.ts'
import { isPagePath } from '@wangian/contracts/page-paths.ts'
import { shopRoutes } from '@wangian/contracts/shop.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { headTags } from './head-tags.ts'
import type { PageFacts } from './page-facts.ts'
import {
  auctionHead,
  guideHead,
  homeHead,
  missingHead,
  type PageHead,
  type Place,
  productHead,
  productsHead,
  shopHead,
} from './page-head.ts'

/** A page of the web app: the same for everybody but for its head. */
export interface Page {
  readonly status: 200 | 404
  readonly head: PageHead
}

const ID = /^[1-9]\d{0,15}$/

/** @returns `null` for a page that nothing is said about, or not in time */
export async function findPage(
  url: string,
  { facts, log, ...place }: Place & { readonly facts: PageFacts; readonly log?: Pick<Logger, 'warn'> },
): Promise<Page | null> {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  if (!isPagePath(pathname)) return { status: 404, head: missingHead(place, 'Page') }
  if (pathname === '/') return { status: 200, head: homeHead(place) }
  const [, kind, id, ...more] = pathname.replace(/\/$/, '').split('/')
  if (kind === 'products' && id === undefined) {
    return { status: 200, head: productsHead(place, searchParams.get('category')) }
  }
  if (id === undefined) {
    const head = guideHead(place, kind ?? '')
    return head && { status: 200, head }
  }
  if (more.length > 0) return null
  try {
    switch (kind) {
      case 'products':
        return pageOf(place, 'Product', await askWith(id, facts.product), (product) => ({
          ...productHead(place, product),
          reads: [
            catalogueRoutes.getProduct.path.replace(':productId', id),
            shopRoutes.getSeller.path.replace(':sellerId', String(product.seller.id)),
          ],
        }))
      case 'auction':
      case 'auctions':
        return pageOf(place, 'Auction', await askWith(id, facts.productOfAuction), (product) => ({
          ...auctionHead(place, product, Number(id)),
          reads: [auctionRoutes.getAuction.path.replace(':auctionId', id)],
        }))
      case 'sellers':
        return pageOf(place, 'Seller', await askWith(id, facts.shop), (seller) => ({
          ...shopHead(place, seller),
          reads: [shopRoutes.getSeller.path.replace(':sellerId', id)],
        }))
      default:
        return null
    }
  } catch (error) {
    log?.warn({ err: error, kind }, 'a page is served without what it is about')
    return null
  }
}

/** By the path. Maps, as paths are anybody's: an object would have something at `constructor`. */
const templates: ReadonlyMap<string, PageTemplate> = new Map([
  ['', 'home'],
  ['/messages', 'messages'],
  ['/account', 'account'],
  ['/seller/dashboard', 'dashboard'],
])

/** Of pages about something, by what comes before its id. */
const templatesWithId: ReadonlyMap<string, PageTemplate> = new Map([
  ['products', 'product'],
  ['auction', 'auction'],
  ['auctions', 'auction'],
  ['sellers', 'shop'],
])

/** Which of the built pages a page begins as. */
export function templateFor(url: string): PageTemplate {
  const { pathname, search } = new URL(url, 'http://localhost')
  const path = pathname.replace(/\/$/, '')
  if (path === '/products') return search === '' ? 'products' : 'narrowed-products'
  const [, kind = '', id, ...more] = path.split('/')
  const ofId = id !== undefined && more.length === 0 ? templatesWithId.get(kind) : undefined
  return templates.get(path) ?? ofId ?? 'index'
}

/** Whether a page is rendered with what it is about before it is sent. */
export function isRendered(url: string): boolean {
  const template = templateFor(url)
  return renderedTemplates.some((each) => each === template)
}

async function askWith<Fact>(id: string, ask: (id: number) => Promise<Fact | null>): Promise<Fact | null> {
  return ID.test(id) && Number.isSafeInteger(Number(id)) ? ask(Number(id)) : null
}

function pageOf<Fact>(
  place: Place,
  what: 'Product' | 'Auction' | 'Seller',
  fact: Fact | null,
  head: (fact: Fact) => PageHead,
): Page {
  return fact === null ? { status: 404, head: missingHead(place, what) } : { status: 200, head: head(fact) }
}

/** The built page with this head in place of its own. */
export function withHead(template: string, head: PageHead): string {
  return template
    .replace(/[ \t]*<meta name="description"[^>]*>\n?/, '')
    .replace(/<title>[^<]*<\/title>/, () => headTags(head))
}
