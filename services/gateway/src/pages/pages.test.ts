import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type AuctionSummary, catalogueRequests, Product } from '@wangian/contracts/catalogue.ts'
import { ErrorBody } from '@wangian/contracts/errors.ts'
import { pageFileOf, pageTemplates, RENDERER_FILE } from '@wangian/contracts/languages.ts'
import { Seller, SHOWN_PER_PAGE, shopRequests } from '@wangian/contracts/shop.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { startTestServer } from '@wangian/kit/testing/test-server.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AppOptions, buildApp } from '../app.ts'
import { askForPageFacts, type PageFacts } from './page-facts.ts'
import { productHead } from './page-head.ts'

const site = 'https://wangian.test'
const hostile = `</script><script>alert("1")</script>'"&$&$1 <img src=x onerror=alert(1)>`

const product = Product.parse({
  id: 7,
  name: 'Santal 33',
  brand: 'Le Labo',
  description: 'Cardamom, iris and a lot of sandalwood.',
  price: 680.5,
  imageUrl: 'front-picture',
  images: [{ id: 3, imageUrl: 'front-picture', imageOrder: 0 }],
  stockQuantity: 1,
  categoryId: 4,
  category: 'Niche',
  isNew: false,
  isFeatured: false,
  featuredUntil: null,
  featured_until: null,
  boost_package_id: null,
  remainingPercentage: 85,
  batchCode: null,
  purchaseYear: null,
  boxCondition: 'Good',
  listingType: 'fixed',
  volume: 100,
  sellerId: 9,
  seller: { id: 9, username: 'sarah', profileImage: null, avatar_url: null },
  status: 'active',
  createdAt: '2026-11-21T08:00:00.000Z',
  updatedAt: '2026-11-21T08:00:00.000Z',
  averageRating: 4.5,
  reviewCount: 2,
  auction: null,
})
const running: AuctionSummary = {
  id: 5,
  status: 'active',
  startsAt: '2026-11-21T08:00:00.000Z',
  endsAt: '2026-11-29T08:00:00.000Z',
  startingPrice: 100,
  currentBid: 250,
  bidCount: 3,
  outcome: null,
  winner: null,
  isReleased: false,
}
const auctioned: Product = { ...product, id: 8, listingType: 'auction', auction: running }
const seller = Seller.parse({
  id: 9,
  username: 'sarah',
  shopName: 'Scent Cabinet',
  location: 'Ipoh',
  bio: 'Bottles of my own shelf.',
  profileImage: 'face-of-sarah',
  coverPhoto: null,
  isSeller: true,
  isVerified: false,
  badge: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  averageRating: null,
  reviewCount: 0,
  productCount: 2,
  soldCount: 0,
})
const named: Readonly<Record<number, Product>> = {
  7: product,
  8: auctioned,
  10: { ...product, id: 10, name: hostile, brand: hostile, description: hostile },
  11: { ...product, id: 11, status: 'sold', imageUrl: 'https://example.com/a.jpg?x=1&y=2', images: [] },
}

let nats: TestNats
let webDist: string
let app: App
let base: URL
let requestCount = 0
const servers: { stop(): Promise<void> }[] = []
beforeAll(async () => {
  nats = await startTestNats()
  const { connection } = nats
  servers.push(
    serveRequests(connection, 'catalogue', catalogueRequests.getProduct, ({ productId }) => {
      requestCount += 1
      return { product: named[productId] ?? null }
    }),
    serveRequests(connection, 'catalogue', catalogueRequests.getProductOfAuction, ({ auctionId }) => ({
      product: auctionId === 5 ? auctioned : null,
    })),
    serveRequests(connection, 'catalogue', shopRequests.getShop, ({ sellerId }) => ({
      seller: sellerId === 9 ? seller : null,
    })),
    serveRequests(connection, 'catalogue', shopRequests.listShown, ({ kind, page }) => ({
      pageCount: kind === 'products' ? 2 : 1,
      entries: page === 1 ? [{ id: 7, changedAt: kind === 'products' ? product.updatedAt : null }] : [],
    })),
  )
  webDist = await mkdtemp(join(tmpdir(), 'wangian-pages-'))
  for (const [language, welcome] of [
    ['en', 'Welcome'],
    ['ms', 'Selamat datang'],
  ] as const) {
    for (const template of pageTemplates) {
      const content = template === 'home' ? `<h1>${welcome}</h1>` : ''
      await writeFile(
        join(webDist, pageFileOf(template, language)),
        `<!doctype html>\n<html lang="${language}">\n  <head>\n    <meta name="description" content="Old." />\n    <title>Wangian</title>\n  </head>\n  <body data-template="${template}"><div id="root">${content}</div></body>\n</html>\n`,
      )
    }
  }
  app = await gateway(askForPageFacts(connection))
  base = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  // While the machine is busy with starting other things, it turns everybody away.
  await eventually(async () => (await app.inject('/robots.txt')).statusCode === 200)
})
afterAll(async () => {
  await app.close()
  await Promise.all(servers.map((server) => server.stop()))
  await nats.stop()
  await rm(webDist, { recursive: true })
})

function gateway(
  facts: PageFacts,
  { catalogue, ...options }: Partial<AppOptions> & { catalogue?: readonly string[] } = {},
): Promise<App> {
  const nowhere = ['http://127.0.0.1:9']
  return buildApp({
    upstreams: {
      identity: nowhere,
      catalogue: catalogue ?? nowhere,
      auction: nowhere,
      messaging: nowhere,
      boost: nowhere,
      admin: nowhere,
    },
    webDist,
    pages: { site, facts },
    rateLimitFactor: 100,
    isHttps: false,
    readiness: async () => ({ nats: true }),
    ...options,
  })
}

async function get(url: string, from = app) {
  const response = await from.inject({ url, headers: { accept: 'text/html' } })
  const html = response.body
  const tag = (pattern: RegExp) => pattern.exec(html)?.[1]
  const json = tag(/<script type="application\/ld\+json" data-served>(.*?)<\/script>/s)
  return {
    status: response.statusCode,
    headers: response.headers,
    html,
    title: tag(/<title data-served>(.*?)<\/title>/),
    canonical: tag(/<link rel="canonical" href="(.*?)"/),
    meta: (name: string) => tag(new RegExp(`<meta (?:name|property)="${name}" content="(.*?)"`)),
    things: json === undefined ? [] : (JSON.parse(json)['@graph'] as Record<string, unknown>[]),
  }
}

describe('the page of a product', () => {
  it('says what it is about to those who preview links and to search engines', async () => {
    const page = await get('/products/7?from=home')
    expect(page.status).toBe(200)
    expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    expect(page.title).toBe('Santal 33 · Le Labo · Wangian')
    expect(page.canonical).toBe(`${site}/products/7`)
    expect(page.meta('description')).toBe(
      'Le Labo Santal 33, 100 ml, 85% full, RM 680.50. Cardamom, iris and a lot of sandalwood.',
    )
    for (const name of ['og:title', 'twitter:title']) expect(page.meta(name)).toBe(page.title)
    for (const name of ['og:image', 'twitter:image'])
      expect(page.meta(name)).toMatch(/^https:\/\/wangian\.test\/api\/products\/7\/share\.jpg\?v=[\w-]{10}$/)
    expect([page.meta('og:image:width'), page.meta('og:image:height')]).toEqual(['1200', '630'])
    expect(page.meta('og:type')).toBe('product')
    expect(page.meta('twitter:card')).toBe('summary_large_image')
    expect(page.meta('robots')).toBeUndefined()
    expect(page.html.match(/<title/g)).toHaveLength(1)
    expect(page.html.match(/name="description"/g)).toHaveLength(1)
    expect(page.html).toContain('<div id="root"></div>')
    expect(page.html).toContain(
      '<link rel="preload" as="image" imagesrcset="/api/images/front-picture?w=160 160w, /api/images/front-picture?w=480 480w, ',
    )
    expect(page.things).toMatchObject([
      {
        '@type': 'Product',
        name: 'Santal 33',
        brand: { name: 'Le Labo' },
        image: [`${site}/api/images/front-picture.jpg?w=960`],
        aggregateRating: { ratingValue: 4.5, reviewCount: 2 },
        offers: {
          price: '680.50',
          priceCurrency: 'MYR',
          availability: 'https://schema.org/InStock',
          itemCondition: 'https://schema.org/UsedCondition',
          seller: { name: 'sarah', url: `${site}/sellers/9` },
        },
      },
      { '@type': 'BreadcrumbList', itemListElement: [{ name: 'Wangian' }, {}, { name: 'Niche' }, { position: 4 }] },
    ])
  })

  it('of an auction names what was bid last, as the page does', async () => {
    const page = await get('/products/8')
    expect(page.meta('description')).toContain('85% full, RM 250.00. ')
    expect(page.things[0]).toMatchObject({ offers: { price: '250.00' } })
  })

  it.each([
    ['spaces', 'A bottle of my own shelf. '.repeat(20).trim(), 'RM 680.50. A bottle of my own shelf. A bottle of'],
    ['no spaces', '沉香'.repeat(200), 'RM 680.50. 沉香沉香沉香'],
    ['pictures', '🧴'.repeat(200), 'RM 680.50. 🧴🧴🧴'],
  ])('begins with what its seller says of it, also when that has %s', (_, description, words) => {
    const told = productHead({ site, language: 'en' }, { ...product, description }).description.replaceAll(
      '\u00A0',
      ' ',
    )
    expect(told).toContain(words)
    expect(told).toMatch(/[^ ] …$/)
    expect([told.isWellFormed(), told.length <= 202]).toEqual([true, true])
  })

  it('is safe whatever people write', async () => {
    const page = await get('/products/10')
    expect(page.html).not.toMatch(/<script>|<img/)
    expect(page.html.match(/<script/g)).toHaveLength(1)
    expect(page.title).toContain('&lt;/script&gt;&lt;script&gt;alert(&quot;1&quot;)')
    expect(page.title).toContain('&amp;$&amp;$1')
    expect(page.things[0]).toMatchObject({ name: hostile, brand: { name: hostile } })
  })

  it('says that something is sold, and shows a picture elsewhere', async () => {
    const page = await get('/products/11')
    expect(page.things[0]).toMatchObject({ offers: { availability: 'https://schema.org/SoldOut' } })
    expect(page.meta('og:image')).toBe('https://example.com/a.jpg?x=1&amp;y=2')
    expect(page.html).not.toContain('as="image"')
  })

  it.each([
    ['price', product, { price: 600 }],
    ['standing', product, { status: 'sold' as const }],
    ['fullness', product, { remainingPercentage: 40 }],
    ['volume', product, { volume: 50 }],
    ['first bid', { ...auctioned, auction: { ...running, startingPrice: 250, currentBid: null } }, auctioned],
  ])('names another preview when its %s is another one, which is drawn in it', (_, before, after) => {
    const previewOf = (shown: Product) => productHead({ site, language: 'en' }, shown).image?.url
    expect(previewOf({ ...before, ...after })).not.toBe(previewOf(before))
    expect(previewOf({ ...before, updatedAt: product.createdAt })).toBe(previewOf(before))
  })

  it('is asked for once in a moment', async () => {
    const before = requestCount
    const other = await gateway(askForPageFacts(nats.connection))
    await Promise.all(Array.from({ length: 20 }, () => get('/products/7', other)))
    expect(requestCount).toBe(before + 1)
    await other.close()
  })
})

describe('in another language', () => {
  it.each([
    ['/?lang=ms', 'Wangian · Pasaran Minyak Wangi Premium Anda', `${site}/`],
    ['/products?lang=ms', 'Semua Minyak Wangi · Wangian', `${site}/products`],
    ['/products?category=2&lang=ms', 'Tempatan · Wangian', `${site}/products?category=2`],
    ['/buying-guide?lang=ms', 'Panduan Membeli · Wangian', `${site}/buying-guide`],
    ['/products/7?lang=ms', 'Santal 33 · Le Labo · Wangian', `${site}/products/7`],
    ['/sellers/9?lang=ms', 'Scent Cabinet · Wangian', `${site}/sellers/9`],
  ])('%s has an address of its own, and names those of all', async (url, title, plain) => {
    const page = await get(url)
    const own = `${plain}${plain.includes('?') ? '&amp;' : '?'}lang=ms`
    expect([page.status, page.title, page.canonical]).toEqual([200, title, own])
    expect(page.meta('og:url')).toBe(own)
    expect([page.meta('og:locale'), page.meta('og:locale:alternate')]).toEqual(['ms_MY', 'en_MY'])
    const english = await get(url.replace('lang=ms', 'lang=en'))
    expect(english.canonical).toBe(plain)
    for (const { html } of [page, english]) {
      expect([...html.matchAll(/rel="alternate" hreflang="(.*?)" href="(.*?)"/g)].map(([, ...each]) => each)).toEqual([
        ['en', plain],
        ['ms', own],
        ['x-default', plain],
      ])
    }
  })

  it('a product and a shop are described in it', async () => {
    expect((await get('/products/7?lang=ms')).meta('description')).toContain('100 ml, 85% penuh, RM 680.50. ')
    expect((await get('/auctions/5?lang=ms')).meta('description')).toContain('lelongan, bida semasa RM 250.00')
    expect((await get('/sellers/9?lang=ms')).meta('description')).toContain('minyak wangi dijual')
    expect((await get('/products/7?lang=ms')).things[1]).toMatchObject({
      itemListElement: [{ name: 'Wangian' }, { name: 'Minyak Wangi' }, { name: 'Niche' }, {}],
    })
  })

  it('what is not there is said in it, and is at no address', async () => {
    const page = await get('/products/999?lang=ms')
    expect([page.status, page.title, page.canonical]).toEqual([404, 'Produk Tidak Ditemui · Wangian', undefined])
    expect(page.html).not.toContain('hreflang')
  })
})

describe('a browser is told ahead', () => {
  it.each([
    ['/', 'home', []],
    ['/products', 'products', []],
    ['/products?category=3', 'narrowed-products', []],
    ['/products/7', 'product', ['/api/products/7', '/api/sellers/9']],
    ['/products/7/', 'product', ['/api/products/7', '/api/sellers/9']],
    ['/products/999', 'product', []],
    ['/auctions/5?from=home', 'auction', ['/api/auctions/5']],
    ['/auction/5', 'auction', ['/api/auctions/5']],
    ['/sellers/9', 'shop', ['/api/sellers/9']],
    ['/sellers/9/more', 'index', []],
    ['/messages', 'messages', []],
    ['/messages/', 'messages', []],
    ['/account', 'account', []],
    ['/account/orders', 'index', []],
    ['/seller/dashboard', 'dashboard', []],
    ['/constructor/5', 'index', []],
    ['/__proto__/5', 'index', []],
  ])('what %s needs: the files of its template, and what it reads', async (url, template, reads) => {
    for (const language of ['en', 'ms']) {
      const { html } = await get(`${url}${url.includes('?') || template === 'products' ? '' : `?lang=${language}`}`)
      expect(/data-template="(.*?)"/.exec(html)?.[1]).toBe(template)
      const asked = html.matchAll(/<link rel="preload" as="fetch" crossorigin="anonymous" href="(.*?)" data-served/g)
      expect([...asked].map(([, address]) => address)).toEqual(reads)
    }
  })
})

describe('other pages', () => {
  it.each(['/auctions/5', '/auction/5', '/auctions/5/'])('%s is that of an auction', async (url) => {
    const page = await get(url)
    expect([page.status, page.canonical]).toEqual([200, `${site}/auctions/5`])
    expect(page.meta('og:description')).toContain('auction, current bid RM 250.00')
    expect(page.things[0]).toMatchObject({
      offers: { price: '250.00', priceValidUntil: '2026-11-29T08:00:00.000Z' },
    })
  })

  it.each(['//', '///', '//evil.example/', '//products/7', '/\\', '*'])('are not what is at %s', async (path) => {
    const { hostname, port } = base
    for (const method of ['GET', 'HEAD']) {
      const outgoing = httpRequest({ hostname, port, path, method, headers: { accept: 'text/html' } }).end()
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
      expect([method, answer.statusCode]).toEqual([method, 404])
      const body = Buffer.concat(await answer.toArray()).toString()
      if (method === 'GET') expect(ErrorBody.parse(JSON.parse(body)).code).toBe('not-found')
    }
  })

  it('of a shop says whose it is', async () => {
    const page = await get('/sellers/9')
    expect([page.status, page.title, page.canonical]).toEqual([200, 'Scent Cabinet · Wangian', `${site}/sellers/9`])
    expect(page.meta('description')).toBe('Scent Cabinet, Ipoh: 2 perfumes for sale. Bottles of my own shelf.')
    expect(page.meta('og:image')).toBe(`${site}/api/profile-images/face-of-sarah.jpg?w=960`)
    expect(page.things).toMatchObject([
      { '@type': 'ProfilePage', mainEntity: { '@type': 'Person', name: 'Scent Cabinet', alternateName: 'sarah' } },
      { '@type': 'BreadcrumbList' },
    ])
  })

  it.each([
    ['/', 'Wangian · Your Premium Perfume Marketplace', `${site}/`],
    ['/products?category=3&page=2', 'Arabian House · Wangian', `${site}/products?category=3`],
    ['/products?search=oud', 'All Perfumes · Wangian', `${site}/products`],
    ['/products?category=9', 'All Perfumes · Wangian', `${site}/products`],
    ['/buying-guide', 'Buying Guide · Wangian', `${site}/buying-guide`],
    ['/terms-of-service/', 'Terms of Service · Wangian', `${site}/terms-of-service`],
    ['/privacy-policy?from=mail', 'Privacy Policy · Wangian', `${site}/privacy-policy`],
  ])('%s is called %s', async (url, title, canonical) => {
    const page = await get(url)
    expect([page.status, page.title, page.canonical]).toEqual([200, title, canonical])
  })

  it.each([
    ['/', '<h1>Welcome</h1>'],
    ['/?from=mail', '<h1>Welcome</h1>'],
    ['/products', '<div id="root"></div>'],
    ['/index.html', '<div id="root"></div>'],
  ])('%s begins with what was built for it', async (url, begins) => {
    expect((await get(url)).html).toContain(begins)
  })

  it.each([
    ['/', {}, '<h1>Welcome</h1>', 'en'],
    ['/', { 'accept-language': 'ms-MY,en;q=0.5' }, '<h1>Selamat datang</h1>', 'ms'],
    ['/products', { cookie: 'wangian-language=ms' }, '<html lang="ms">', 'ms'],
    ['/products?lang=en', { cookie: 'wangian-language=ms' }, '<html lang="en">', 'en'],
    ['/no/such/page', { cookie: 'wangian-language=ms' }, '<html lang="ms">', 'ms'],
  ])('%s is in the language of who asks with %j', async (url, headers, begins, language) => {
    const response = await app.inject({ url, headers: { accept: 'text/html', ...headers } })
    expect(response.body).toContain(begins)
    expect(response.headers['content-language']).toBe(language)
    expect(response.headers.vary).toContain('Accept-Language, Cookie')
  })

  it.each([
    ['/products?lang=ms', {}, 'wangian-language=ms; Path=/; SameSite=Lax; Secure'],
    ['/no/such/page?a=1&lang=en', { 'accept-language': 'ms' }, 'wangian-language=en; Path=/; SameSite=Lax; Secure'],
    ['/products?lang=ms', { cookie: 'wangian-language=en' }, undefined],
    ['/products?lang=xx', {}, undefined],
    ['/products', { 'accept-language': 'ms' }, undefined],
  ])('%s with %j keeps %s for the visit', async (url, headers, kept) => {
    const response = await app.inject({ url, headers: { accept: 'text/html', ...headers } })
    expect(response.headers['set-cookie']).toBe(kept)
  })

  it.each([
    '/products/999',
    '/products/abc',
    '/products/01',
    '/products/%3Cscript%3E',
    '/auctions/6',
    '/sellers/1',
    '/sellers/9999999999999999999',
    '/no/such/page',
    '/product/7',
    '/toString',
    '/products/7/edit',
  ])('%s is the app, but not to be found', async (url) => {
    const page = await get(url)
    expect([page.status, page.meta('robots'), page.canonical]).toEqual([404, 'noindex', undefined])
    expect(page.title).toContain('Not Found')
    expect(page.html).toContain('<div id="root"></div>')
  })

  it('say whom the web app may tell, where there is somebody', async () => {
    const nobody = () => Promise.resolve(null)
    const facts = {
      product: nobody,
      productOfAuction: nobody,
      shop: nobody,
      shown: () => Promise.reject(new Error('none')),
    }
    const counting = await gateway(facts, { analyticsId: 'G-AB12CD34EF' })
    for (const url of ['/', '/products', '/messages', '/no/such/page']) {
      expect((await get(url, counting)).html).toContain(
        '<meta name="analytics-id" content="G-AB12CD34EF" />\n  </head>',
      )
      expect((await get(url)).html).not.toContain('analytics-id')
    }
    await counting.close()
  })

  it.each(['/messages', '/seller/products/7/edit'])('%s is as it was built', async (url) => {
    const page = await get(url)
    expect(page.status).toBe(200)
    expect(page.html).toContain('<title>Wangian</title>')
  })

  it.each([
    ['nobody answers', () => Promise.reject(new Error('nobody'))],
    ['it is a bug', () => Promise.reject(new TypeError('bug'))],
  ])('come as they were built when %s', async (_why, fail) => {
    const silent = await gateway({ product: fail, productOfAuction: fail, shop: fail, shown: fail })
    for (const url of ['/products/7', '/auctions/5', '/sellers/9']) {
      const page = await get(url, silent)
      expect(page.status).toBe(200)
      expect(page.html).toContain('<title>Wangian</title>')
    }
    await silent.close()
  })
})

describe('a page that is rendered', () => {
  it('is read as the request of its client, and comes without its data when that one has to wait', async () => {
    const renderer = join(webDist, RENDERER_FILE)
    await mkdir(dirname(renderer), { recursive: true })
    await writeFile(
      renderer,
      `export async function renderPage({ answers }) {
        const list = answers['/api/products?search=a']
        return list ? { html: 'found', head: '', missing: [] } : { html: '', head: '', missing: ['/api/products?search=a'] }
      }`,
    )
    const askedFor: unknown[] = []
    const catalogue = await startTestServer(({ headers }, response) => {
      const client = headers['x-forwarded-for']
      askedFor.push(client)
      response.writeHead(client === '203.0.113.1' ? 503 : 200).end('[]')
    })
    const rendering = await gateway(askForPageFacts(nats.connection), {
      catalogue: [catalogue.url],
      rendersPages: true,
      trustedProxies: ['127.0.0.1'],
    })
    const visit = (client: string) =>
      rendering.inject({ url: '/products?search=a', headers: { accept: 'text/html', 'x-forwarded-for': client } })
    const busy = await visit('203.0.113.1')
    expect([busy.statusCode, busy.body]).toEqual([200, expect.stringContaining('<div id="root"></div>')])
    await eventually(async () => askedFor.includes('203.0.113.1'))
    await eventually(async () => (await visit('203.0.113.2')).body.includes('found'))
    expect(new Set(askedFor)).toEqual(new Set(['203.0.113.1', '203.0.113.2']))
    await rendering.close()
    await catalogue.stop()
  })
})

describe('search engines', () => {
  const body = async (url: string) => {
    const response = await app.inject(url)
    return { status: response.statusCode, type: response.headers['content-type'], text: response.body }
  }

  it('are told where not to look, and where what there is', async () => {
    const { text, type } = await body('/robots.txt')
    expect(type).toBe('text/plain; charset=utf-8')
    expect(text).toContain('Disallow: /messages\n')
    // What begins in the same way as a closed address is open.
    const closed = [...text.matchAll(/^Disallow: (.*)$/gm)].map(([, path]) => path?.replace('$', '') ?? '')
    const isOpen = (path: string) =>
      !closed.some((each) => path === each || (!text.includes(`${each}$\n`) && path.startsWith(each)))
    expect(
      ['/authentication-guide', '/auth', '/auth/verify', '/auth?tab=register', '/auth-callback'].filter(isOpen),
    ).toEqual(['/authentication-guide'])
    expect(text).toContain(`Sitemap: ${site}/sitemap.xml\n`)
  })

  it('may look at the pictures that pages name, as those who show previews may', async () => {
    const rules = [...(await body('/robots.txt')).text.matchAll(/^(Allow|Disallow): (.*)$/gm)]
    // Of those that fit, the longest one counts (RFC 9309).
    const isOpen = (path: string) => {
      const fitting = rules.filter(([, , rule = '']) =>
        new RegExp(`^${rule.replace(/[.?]/g, '\\$&').replaceAll('*', '.*')}`).test(path),
      )
      return fitting.sort(([, , one = ''], [, , other = '']) => other.length - one.length)[0]?.[1] !== 'Disallow'
    }
    for (const address of ['/products/7', '/auctions/5', '/sellers/9']) {
      const pictures = (await get(address)).html.match(/(?<=https:\/\/wangian\.test)\/[^"]*\.jpg[^"]*/g) ?? []
      expect(pictures).not.toEqual([])
      expect(pictures.filter((picture) => !isOpen(picture))).toEqual([])
    }
    expect(['/api/products/7', '/api/images/front-picture', '/products/7'].map(isOpen)).toEqual([false, true, true])
  })

  it('find all products and shops, page by page', async () => {
    const index = await body('/sitemap.xml')
    expect(index).toMatchObject({ status: 200, type: 'application/xml; charset=utf-8' })
    expect([...index.text.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, loc]) => loc)).toEqual([
      `${site}/sitemap-pages.xml`,
      `${site}/sitemap-products-1.xml`,
      `${site}/sitemap-products-2.xml`,
      `${site}/sitemap-shops-1.xml`,
    ])
    expect((await body('/sitemap-products-1.xml')).text).toContain(
      `<url><loc>${site}/products/7</loc><lastmod>2026-11-21T08:00:00.000Z</lastmod><xhtml:link`,
    )
    expect((await body('/sitemap-shops-1.xml')).text).toContain(`<url><loc>${site}/sellers/7</loc><xhtml:link`)
    const pages = (await body('/sitemap-pages.xml')).text
    for (const path of ['/products?category=4', '/authentication-guide', '/privacy-policy']) {
      expect(pages).toContain(`<loc>${site}${path}</loc>`)
    }
    const alternates = (html: string) =>
      [...html.matchAll(/hreflang="(.*?)" href="(.*?)"/g)].map(([, language, href]) => [language, href])
    const ofNiche = pages.split('\n').find((line) => line.includes('category=4')) ?? ''
    expect(alternates(ofNiche)).toEqual([
      ['en', `${site}/products?category=4`],
      ['ms', `${site}/products?category=4&amp;lang=ms`],
      ['x-default', `${site}/products?category=4`],
    ])
    expect(pages).toContain('xmlns:xhtml="http://www.w3.org/1999/xhtml"')
    expect(index.text).not.toContain('xhtml')
    expect(SHOWN_PER_PAGE).toBeLessThanOrEqual(50_000)
  })

  it.each(['/sitemap-products-3.xml', '/sitemap-products-0.xml', '/sitemap-people-1.xml', '/sitemap-products-1e3.xml'])(
    'do not find %s',
    async (url) => {
      expect((await body(url)).status).toBe(404)
    },
  )
})
