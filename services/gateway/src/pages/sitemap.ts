import { categories } from '@wangian/contracts/catalogue.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { escapeHtml } from '@wangian/kit/http/html.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { alternatesOf } from './head-tags.ts'
import type { PageFacts } from './page-facts.ts'
import { guideNames } from './page-words.ts'

const PATHS = { products: 'products', shops: 'sellers' } as const
const PUBLIC_FOR = 'public, max-age=3600'
/** What is for one person only, or no page. */
const CLOSED = [
  '/api/',
  '/auth$',
  '/auth?',
  '/auth/',
  '/auth-',
  '/account',
  '/messages',
  '/profile',
  '/seller/',
  '/admin/',
  '/boost-checkout',
  '/dev/',
]

/** Pictures that pages name: some of those who show previews of pages ask here whether they may show them. */
const PICTURES = ['/api/images/', '/api/profile-images/', '/api/products/*/share.jpg']

/** What search engines ask for: where they may look, and what there is. */
export function addSitemap(app: App, { site, facts }: { readonly site: string; readonly facts: PageFacts }): void {
  app.get('/robots.txt', async (_request, reply) => {
    const lines = [
      'User-agent: *',
      ...CLOSED.map((path) => `Disallow: ${path}`),
      ...PICTURES.map((path) => `Allow: ${path}`),
      '',
      `Sitemap: ${site}/sitemap.xml`,
    ]
    return reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', PUBLIC_FOR)
      .send(`${lines.join('\n')}\n`)
  })

  app.get('/sitemap.xml', async (_request, reply) => {
    const [products, shops] = await Promise.all([facts.shown('products', 1), facts.shown('shops', 1)])
    const pages = [
      `${site}/sitemap-pages.xml`,
      ...numbered(products.pageCount).map((page) => `${site}/sitemap-products-${page}.xml`),
      ...numbered(shops.pageCount).map((page) => `${site}/sitemap-shops-${page}.xml`),
    ]
    const body = pages.map((page) => `<sitemap><loc>${page}</loc></sitemap>`).join('\n')
    return reply.headers(xmlHeaders).send(xml('sitemapindex', body))
  })

  app.get('/sitemap-pages.xml', async (_request, reply) => {
    const paths = [
      '/',
      '/products',
      ...categories.map(({ id }) => `/products?category=${id}`),
      ...guideNames.map((name) => `/${name}`),
    ]
    const body = paths.map((path) => entryOf(`${site}${path}`)).join('\n')
    return reply.headers(xmlHeaders).send(xml('urlset', body))
  })

  app.get<{ Params: { kind: string; page: string } }>(
    '/sitemap-:kind(^products|shops$)-:page(^[1-9]\\d{0,5}$).xml',
    async ({ params }, reply) => {
      const kind = params.kind === 'shops' ? 'shops' : 'products'
      const { pageCount, entries } = await facts.shown(kind, Number(params.page))
      if (Number(params.page) > pageCount) throw new Rejection('not-found')
      const body = entries.map(({ id, changedAt }) => {
        const changed = changedAt === null ? '' : `<lastmod>${changedAt}</lastmod>`
        return entryOf(`${site}/${PATHS[kind]}/${id}`, changed)
      })
      return reply.headers(xmlHeaders).send(xml('urlset', body.join('\n')))
    },
  )
}

/** A page in all its languages. */
function entryOf(address: string, changed = ''): string {
  const alternates = alternatesOf(address)
    .map(([language, where]) => `<xhtml:link rel="alternate" hreflang="${language}" href="${escapeHtml(where)}"/>`)
    .join('')
  return `<url><loc>${escapeHtml(address)}</loc>${changed}${alternates}</url>`
}

const xmlHeaders = { 'content-type': 'application/xml; charset=utf-8', 'cache-control': PUBLIC_FOR }

function xml(element: 'urlset' | 'sitemapindex', body: string): string {
  const alternates = element === 'urlset' ? ' xmlns:xhtml="http://www.w3.org/1999/xhtml"' : ''
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${element} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"${alternates}>\n${body}\n</${element}>\n`
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
