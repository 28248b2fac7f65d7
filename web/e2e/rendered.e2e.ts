import { expect, type Page } from '@playwright/test'
import { listBottle, openAuction, openRendered, siteUrl, test, tokenOf } from './site.ts'

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
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['warning', 'error'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
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
        await heading.evaluate((element) => element.setAttribute('data-was-there', ''))
        await route.continue()
      })
      for (const [address, , also] of shown) {
        await openRendered(page, address)
        // What is loaded once the page is on the screen.
        await expect(page.getByRole('region', { name: 'Notifications' })).toBeAttached()
        await expect(heading).toHaveAttribute('data-was-there')
        await expect(page.getByText(also).first()).toBeVisible()
        // Where a busy machine paints the page in two steps, the search of the header finds its width in the second.
        expect(await shift(), `${address} for ${who}`).toBeLessThan(0.02)
        expect(complaints).toEqual([])
      }
    }
  })
}
