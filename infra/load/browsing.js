// Guests and people who look around over HTTP: the home page, lists, searches, products, shops.
import exec from 'k6/execution'
import http from 'k6/http'
import { counters, durationMs, part, prepared, shape, stayingSignedIn, Tally, until, visitors } from './wangian.js'

const SORTS = ['featured', 'price-asc', 'price-desc', 'newest', 'best-selling']
const CATEGORIES = 4
const PAGE = 24
const PAGE_TIMEOUT = '20s'

/** How often each kind of page is looked at, of ten times. */
const pages = [home, home, list, list, list, search, search, product, product, shop]

/** Looks at its share of the pages, each when it is due, and counts from then until all that the page asks for is there. */
export async function browse({ startAtMs }) {
  const at = exec.scenario.iterationInTest
  // A guest has nothing to sign in with.
  const visitor = visitors[at] && stayingSignedIn(visitors[at])
  const tally = new Tally()
  const periodMs = (1000 * shape.visitors) / shape.pagesPerS
  const endAtMs = startAtMs + durationMs - 0.5
  let dueAtMs = startAtMs + (periodMs * (part.firstVisitor + at)) / shape.visitors
  for (; dueAtMs < endAtMs; dueAtMs += periodMs) {
    await until(dueAtMs)
    const answers = http.batch(requestsOf(visitor?.token ?? null))
    tally.time('page_time', Date.now() - dueAtMs)
    counters.pages_seen.add(1)
    const failed = answers.filter(({ status }) => status !== 200)
    if (failed.length > 0) counters.pages_failed.add(1)
    for (const { request, status, error } of failed) console.error(`GET ${request.url}: ${status} ${error}`)
  }
  visitor?.goHome()
  tally.print()
}

/** What a browser asks for to show a page: the document, and what its script reads; who is signed in has a bell and hearts on each. */
function requestsOf(token) {
  const own = token === null ? [] : ['/api/messages/unread-count', '/api/favorites/ids']
  const headers = token === null ? {} : { authorization: `Bearer ${token}` }
  const [document, ...reads] = one(pages)()
  const name = (path) => path.replace(/\?.*/, '').replace(/\d+/g, ':id')
  return [...(prepared.hasPages ? [document] : []), ...reads, ...own].map((path) => ({
    method: 'GET',
    url: `${prepared.baseUrl}${path}`,
    params: { headers, timeout: PAGE_TIMEOUT, tags: { name: name(path) } },
  }))
}

function home() {
  return [
    '/',
    '/api/categories',
    '/api/products/featured',
    '/api/products/live?limit=6',
    `/api/products?type=fixed&type=negotiable&limit=${PAGE}`,
  ]
}

function list() {
  const category = 1 + Math.floor(Math.random() * CATEGORIES)
  return [
    `/products?category=${category}`,
    `/api/products?category=${category}&sort=${one(SORTS)}&limit=${PAGE}`,
    `/api/products/facets?category=${category}`,
  ]
}

function search() {
  const words = encodeURIComponent(one(prepared.products).words)
  return [
    `/products?search=${words}`,
    `/api/products?search=${words}&limit=${PAGE}`,
    `/api/products/facets?search=${words}`,
  ]
}

function product() {
  const { id, sellerId, auctionId } = one(prepared.products)
  const auction = auctionId === null ? [] : [`/api/auctions/${auctionId}`]
  const document = auctionId === null ? `/products/${id}` : `/auctions/${auctionId}`
  return [document, `/api/products/${id}`, `/api/product-images/${id}`, `/api/sellers/${sellerId}`, ...auction]
}

function shop() {
  const { sellerId } = one(prepared.products)
  return [`/sellers/${sellerId}`, ...['', '/products', '/reviews'].map((rest) => `/api/sellers/${sellerId}${rest}`)]
}

function one(items) {
  return items[Math.floor(Math.random() * items.length)]
}
