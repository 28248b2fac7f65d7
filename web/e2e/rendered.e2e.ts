import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, type Page } from '@playwright/test'
import {
  complaintsOf,
  holdScript,
  listBottle,
  openAuction,
  openRendered,
  siteUrl,
  test,
  tokenOf,
  untilAtWork,
} from './site.ts'

// What moves is measured.
test.use({ contextOptions: { reducedMotion: 'no-preference' } })

/** The gateway goes on with a page that it had no time for, so that the next try has it. */
const RENDERING_TRIES_MAX = 25
const firstScript = '**/assets/first-*.js'

/** What else is on a page that visits begin with, beside its heading. */
async function pages(what: string): Promise<readonly (readonly [address: string, heading: RegExp, also: RegExp])[]> {
  const lot = await openAuction({ name: `${what} Lot`, startingPrice: 70, bidIncrement: 5 })
  const bottle = await listBottle({ name: `${what} Bottle`, price: 45, listingType: 'fixed' })
  const search = `search=${what.toLowerCase()}+bottle`
  await expect.poll(() => fetch(`${siteUrl()}/api/products?${search}`).then((answer) => answer.text())).toContain(what)
  const sarah = (JSON.parse(atob((await tokenOf('sarah')).split('.')[1] ?? '')) as { sub: string }).sub
  return [
    [`/products/${bottle.id}`, / Bottle/, /RM\s45\.00/],
    [`/products?${search}`, /./, / Bottle/],
    [`/auctions/${lot.id}`, / Lot/, /RM\s70\.00/],
    [`/sellers/${sarah}`, /./, /@sarah/],
  ]
}

/** What a page complains of, and how far things move in it. */
async function follow(page: Page): Promise<{ complaints: string[]; shift: () => Promise<number> }> {
  const complaints = complaintsOf(page)
  await page.addInitScript(`
    window.moved = 0
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => { if (!entry.hadRecentInput) window.moved += entry.value }))
      .observe({ type: 'layout-shift', buffered: true })
  `)
  return { complaints, shift: () => page.evaluate<number>('window.moved') }
}

test('pages that visits begin with can be read before any script runs', async ({ browser }) => {
  const context = await browser.newContext({ baseURL: siteUrl(), javaScriptEnabled: false })
  const page = await context.newPage()
  for (const [address, heading, also] of await pages('Readable')) {
    await openRendered(page, address)
    await expect(page.getByRole('heading', { level: 1 }).first()).toHaveText(heading)
    await expect(page.getByText(also).first()).toBeVisible()
  }
  await context.close()
})

test("what is somebody's own has the frame of its page before any script runs, and nothing moves", async ({ as }) => {
  const page = await as('sarah')
  await page.setViewportSize({ width: 768, height: 1024 })
  const { complaints, shift } = await follow(page)
  for (const [address, heading] of [
    ['/messages', 'Messages'],
    ['/account', 'My Account'],
    ['/seller/dashboard', 'Seller Dashboard'],
  ] as const) {
    const letGo = await holdScript(page)
    await openRendered(page, address)
    await expect(page.getByRole('link', { name: 'Wangian' }).first()).toBeVisible()
    await expect(page.getByRole('main').getByRole('status', { name: 'Loading' })).toBeVisible()
    letGo()
    await untilAtWork(page)
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
    expect(await shift(), address).toBeLessThan(0.01)
    expect(complaints).toEqual([])
  }
})

for (const [what, width] of Object.entries({ Narrow: 390, Middling: 768, Broad: 1440 })) {
  test(`their script takes them over as they are, and nothing moves, at ${width} px`, async ({ guest, as }) => {
    const shown = await pages(what)
    // A guest, somebody who may buy and bid, and whose all of it is.
    for (const who of ['guest', 'bala', 'sarah'] as const) {
      const page = who === 'guest' ? await guest() : await as(who)
      await page.setViewportSize({ width, height: 844 })
      const { complaints, shift } = await follow(page)
      const heading = page.getByRole('heading', { level: 1 }).first()
      await page.route(firstScript, async (route) => {
        // A page that was not rendered in time is opened again; its script is not waited for any more.
        await heading.evaluate((element) => element.setAttribute('data-was-there', ''))
        await route.continue().catch(() => {})
      })
      for (const [address, , also] of shown) {
        await openRendered(page, address)
        await untilAtWork(page)
        await expect(heading).toHaveAttribute('data-was-there')
        await expect(page.getByText(also).first()).toBeVisible()
        expect(await shift(), `${address} for ${who}`).toBeLessThan(0.01)
        expect(complaints).toEqual([])
      }
    }
  })
}

for (const width of [390, 768]) {
  test(`nothing moves while a page is still coming, at ${width} px`, async ({ guest }) => {
    const shown = await pages(`Coming ${width}`)
    const slow = await serveInPieces()
    const page = await guest()
    await page.setViewportSize({ width, height: 844 })
    const { shift } = await follow(page)
    for (const [address, , also] of shown) {
      await page.goto(slow.url + address, { waitUntil: 'load' })
      await expect(page.getByText(also).first()).toBeVisible()
      expect(await shift(), address).toBeLessThan(0.01)
    }
    await slow.stop()
  })
}

/** A document as it is once the gateway has rendered it in time, and anything else as it comes. */
async function bring(url: string, accept: string): Promise<{ answer: Response; body: Buffer }> {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(`${siteUrl()}${url}`, { headers: { accept } })
    const body = Buffer.from(await answer.arrayBuffer())
    const isPage = answer.headers.get('content-type')?.includes('html')
    if (!isPage || body.includes('data-prerendered') || tries === RENDERING_TRIES_MAX) return { answer, body }
  }
}

/** The site as a slow line brings it: a document comes piece by piece, and a browser paints what there is. */
async function serveInPieces(): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = createServer(async ({ url, method, headers }, response) => {
    // What a page tells on its own moves nothing in it.
    if (method !== 'GET') return void response.writeHead(204).end()
    const { answer, body } = await bring(url ?? '/', headers.accept ?? '*/*')
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    const pieceBytes = answer.headers.get('content-type')?.includes('html') ? 300 : body.length
    for (let at = 0; at < body.length; at += pieceBytes) {
      response.write(body.subarray(at, at + pieceBytes))
      await setTimeout(10)
    }
    response.end()
  })
  // No page needs a socket to be where it is.
  server.on('upgrade', (_request, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
