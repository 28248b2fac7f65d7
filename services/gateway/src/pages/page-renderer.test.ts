import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { RENDERER_FILE } from '@wangian/contracts/languages.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { startTestServer, type TestServer } from '@wangian/kit/testing/test-server.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { PageRenderer, type PageToRender } from './page-renderer.ts'

const hostile = '</script><script>alert(1)</script><!--'

/** As the web app's build leaves one: it asks for a product and then for its seller, and does what the address says. */
const renderer = (serviceUrl: string) => `
export async function renderPage({ address, language, answers, renderedAtMs }) {
  if (address === '/throws') throw new Error('broken')
  if (address.startsWith('/never')) await new Promise(() => {})
  if (address.startsWith('/endless')) for (;;) {}
  if (address.startsWith('/turn')) {
    await fetch('${serviceUrl}' + address)
    return { html: '', head: '', missing: [] }
  }
  if (address.startsWith('/slow')) return { html: '', head: '', missing: ['/api/products/slow'] }
  if (address.startsWith('/greedy')) { const all = []; for (;;) all.push(new Array(1e6).fill(1)) }
  const product = answers['/api/products/7']
  const asks = product === undefined ? ['/api/products/7'] : ['/api/sellers/9?of=7'].filter((each) => !(each in answers))
  if (address === '/products/404') return { html: '', head: '', missing: ['/api/products/404'] }
  return {
    html: '<h1>' + language + ' ' + product?.body.name.length + ' ' + product?.total + '</h1>',
    head: '<style>h1 {}</style>',
    missing: asks,
  }
}`

const shell = `<!doctype html>
<html lang="en">
  <head>
    <link rel="preload" href="/api/products" as="fetch" crossorigin="anonymous">
    <title>Old</title>
  </head>
  <body><div id="root"></div></body>
</html>
`

let folder: string
let service: TestServer
const asked: string[] = []
/** Of which clients. */
const askedFor: unknown[] = []
/** What is answered when the test says so. */
const held: ServerResponse[] = []
beforeAll(async () => {
  service = await startTestServer(({ url, headers }, response) => {
    asked.push(`${url} ${headers.authorization ?? 'guest'} ${headers['accept-language']}`)
    askedFor.push(headers['x-forwarded-for'])
    if (url === '/turn?held' || url === '/api/products/slow') return held.push(response)
    if (url === '/api/products/404') return response.writeHead(404).end('{}')
    response.setHeader('x-total-count', '12').end(JSON.stringify({ name: hostile }))
  })
  folder = await mkdtemp(join(tmpdir(), 'wangian-renderer-'))
  await mkdir(dirname(join(folder, RENDERER_FILE)), { recursive: true })
  await writeFile(join(folder, RENDERER_FILE), renderer(service.url))
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

let pages: PageRenderer
const warnings: unknown[] = []
afterEach(async () => {
  vi.useRealTimers()
  await pages.stop()
  warnings.length = 0
  asked.length = 0
  askedFor.length = 0
  for (const response of held.splice(0)) response.end()
})

function start(): PageRenderer {
  const nowhere = 'http://127.0.0.1:9'
  const origins = { '/api/products': [nowhere, service.url], '/api/sellers': [service.url] }
  pages = new PageRenderer(
    { rendererFile: join(folder, RENDERER_FILE), origins },
    { log: { warn: (...all: unknown[]) => void warnings.push(all) }, rateLimitFactor: 1 },
  )
  return pages
}

const visitor = '192.0.2.1'
const page = (address: string, { language = 'en', clientAddress = visitor }: Asking = {}): PageToRender => ({
  address,
  clientAddress,
  language,
  shell,
  reads: [],
})
type Asking = Partial<Pick<PageToRender, 'language' | 'clientAddress'>>

/** The first one may take longer than anybody waits for it. */
async function rendered(address: string, asking: Asking = {}): Promise<{ html: string; brotli: string }> {
  const found = await eventually(async () => (await pages.render(page(address, asking))) ?? false)
  return {
    html: Buffer.from(found.html).toString(),
    brotli: brotliDecompressSync(found.brotli).toString(),
  }
}

describe('a page', () => {
  it('comes with what it shows and with what that was made of, as a guest may see it', async () => {
    start()
    const { html, brotli } = await rendered('/products/7?from=home', { language: 'ms' })
    expect(brotli).toBe(html)
    expect(html).toMatch(
      /<div id="root" data-prerendered="\/products\/7" data-rendered-at="\d{13}"><h1>ms 38 12<\/h1><\/div>/,
    )
    expect(html).toContain('<style>h1 {}</style>\n  </head>')
    // What has come need not be asked for.
    expect(html).not.toContain('as="fetch"')
    const data = /<script type="application\/json" id="served">(.*?)<\/script>/s.exec(html)?.[1]
    expect(JSON.parse(data ?? '')).toEqual({
      '/api/products/7': { total: '12', link: null, body: { name: hostile } },
      '/api/sellers/9?of=7': { total: '12', link: null, body: { name: hostile } },
    })
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(new Set(asked)).toEqual(new Set(['/api/products/7 guest ms', '/api/sellers/9?of=7 guest ms']))
  })

  it('is rendered once for all who ask at the same time, in each language', async () => {
    start()
    await rendered('/products/7')
    asked.length = 0
    await Promise.all(Array.from({ length: 50 }, () => pages.render(page('/products/7?once'))))
    await rendered('/products/7?once')
    expect(asked.filter((each) => each.startsWith('/api/products/7'))).toHaveLength(1)
    expect((await rendered('/products/7?once', { language: 'ms' })).html).toContain('<h1>ms')
  })

  it.each([
    ['that cannot be rendered', '/throws'],
    ['about what is not there', '/products/404'],
    ['with an address without end', `/products/7?${'a'.repeat(1_000)}`],
    ['that takes too long', '/never'],
  ])('%s is left to the browser', async (_which, address) => {
    start()
    expect(await pages.render(page(address))).toBeNull()
  })

  it('is left to the browser while too many are asked for', async () => {
    start()
    await rendered('/products/7')
    const many = Array.from({ length: 40 }, (_, index) =>
      page(`/never?${index}`, { clientAddress: `198.51.100.${index}` }),
    )
    await Promise.all(many.map((each) => pages.render(each)))
    // It is waited for no longer than no time at all.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    expect(await pages.render(page('/products/7?late'))).toBeNull()
  })

  it('is read for whoever asked first, and shown to the others', async () => {
    start()
    await rendered('/products/7')
    askedFor.length = 0
    const both = [{ clientAddress: '2001:db8::1' }, {}].map((each) => rendered('/products/7?shared', each))
    const [first, second] = await Promise.all(both)
    expect(new Set(askedFor)).toEqual(new Set(['2001:db8::1']))
    expect(first?.html).not.toContain('2001:db8')
    expect(second).toEqual(first)
  })

  it('is under way for one client so many times, and for others all the same', async () => {
    start()
    await rendered('/products/7')
    const many = Array.from({ length: 40 }, (_, index) => page(`/slow?${index}`))
    // Those of one network are of one client.
    const ofNetwork = many.map((each, index) => ({ ...each, clientAddress: `2001:db8::${index}` }))
    askedFor.length = 0
    const all = [...many, ...ofNetwork, page('/slow?other', { clientAddress: '192.0.2.2' })].map((each) =>
      pages.render(each),
    )
    await Promise.all(all)
    await eventually(async () => askedFor.includes('192.0.2.2') && askedFor.length >= 9)
    expect(askedFor.filter((each) => each === visitor)).toHaveLength(4)
    expect(askedFor).toHaveLength(9)
  })

  it('of a client is rendered after one of another, whoever asked for more before', async () => {
    start()
    await rendered('/products/7')
    const turns = () => asked.map((each) => /^\/turn\?(\w+)/.exec(each)?.[1]).filter((each) => each !== undefined)
    const many = ['held', '1', '2', '3'].map((each) => pages.render(page(`/turn?${each}`)))
    const other = pages.render(page('/turn?other', { clientAddress: '192.0.2.2' }))
    await eventually(async () => held.length > 0)
    held.pop()?.end()
    await Promise.all([...many, other])
    await eventually(async () => turns().length === 5)
    // After one or two of them: the page before may still rest when the first of them comes.
    expect(turns().indexOf('other')).toBeLessThanOrEqual(2)
    expect(turns().filter((each) => each !== 'other')).toEqual(['held', '1', '2', '3'])
  })

  it.each([
    ['takes all memory', '/greedy?search=rose'],
    ['never ends', '/endless?search=rose'],
  ])('that %s ends its thread, and the next one is rendered by another', async (_what, address) => {
    start()
    await rendered('/products/7')
    expect(await pages.render(page(address))).toBeNull()
    await eventually(async () => warnings.length > 0)
    // What people search for is theirs, and an address may hold more than that.
    expect(JSON.stringify(warnings)).not.toContain('rose')
    expect((await rendered('/products/7?after')).html).toContain('<h1>en')
  })
})
