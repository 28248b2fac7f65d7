import { openAsBlob } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, type BrowserContextOptions, test as base, expect, type Page } from '@playwright/test'
import { Auction, auctionRoutes, Bid } from '@wangian/contracts/auction.ts'
import { Product, ProductImage } from '@wangian/contracts/catalogue.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { Report, reportRoutes } from '@wangian/contracts/reports.ts'
import { sellingRoutes } from '@wangian/contracts/selling.ts'
import { z } from 'zod'
import { EXPECT_WITHIN_MS, readJourneyConfig } from './config.ts'
import { listenToToasts, takeToast, toastRegion } from './toasts.ts'
import { listenToAnalytics, problemsOf, type ToldEvent } from './told-analytics.ts'

/** The people of the demo data that the journeys use. */
export const people = {
  sarah: { username: 'sarah', email: 'sarah@wangian.test', password: 'demo-seller' },
  bala: { username: 'bala', email: 'bala@wangian.test', password: 'demo-buyer' },
  admin: { username: 'admin', email: 'admin@wangian.test', password: 'demo-admin' },
  mei: { username: 'mei', email: 'mei@wangian.test', password: 'demo-buyer' },
} as const
export type Who = keyof typeof people

export function siteUrl(): string {
  const { systemUrl } = readJourneyConfig()
  if (!systemUrl) throw new Error('No system: the set-up announces one')
  return systemUrl
}

type StorageState = Exclude<BrowserContextOptions['storageState'], string | undefined>

interface Pages {
  /** What analytics is told of in all these browsers. Each journey ends with a look at it. */
  told: ToldEvent[]
  /** A browser of a guest's own. */
  guest: (storageState?: StorageState) => Promise<Page>
  /** A browser of a person's own, signed in. Do not sign out there: others share the session. */
  as: (who: Who) => Promise<Page>
}

/** A test with pages of the system. Everybody signs in once for all of them. */
export const test = base.extend<Pages, { sessions: Map<Who, StorageState> }>({
  sessions: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its pattern
    async ({}, use) => {
      await use(new Map())
    },
    { scope: 'worker' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its pattern
  told: async ({}, use) => {
    const told: ToldEvent[] = []
    await use(told)
    expect(problemsOf(told), 'what analytics is told').toEqual([])
  },
  guest: async ({ browser, told }, use) => {
    const contexts: BrowserContext[] = []
    await use(async (storageState) => {
      const context = await browser.newContext({ baseURL: siteUrl(), ...(storageState && { storageState }) })
      await listenToAnalytics(context, told)
      await listenToToasts(context)
      contexts.push(context)
      return looksFirst(await context.newPage())
    })
    await Promise.all(contexts.map((context) => context.close()))
  },
  as: async ({ guest, sessions }, use) => {
    await use(async (who) => {
      const stored = sessions.get(who)
      const page = await guest(stored)
      if (stored) return page
      await page.goto('/login')
      await signIn(page, who)
      await expect(page.getByRole('button', { name: 'My Account' })).toBeVisible()
      sessions.set(who, await page.context().storageState())
      return page
    })
  },
})

/**
 * Opens addresses as somebody does who looks before they press: once the app is at work. Whoever presses earlier is tried in `early-press.e2e.ts`; a
 * journey that says what it waits for waits for nothing else.
 */
function looksFirst(page: Page): Page {
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)]
  const look = async () => {
    // The stand-ins have pages of their own.
    if ((await page.locator('#root').count()) > 0) await untilAtWork(page)
  }
  page.goto = async (address, options) => {
    const response = await goto(address, options)
    if (options?.waitUntil === undefined && response?.url().startsWith(siteUrl())) await look()
    return response
  }
  page.reload = async (options) => {
    const response = await reload(options)
    if (options?.waitUntil === undefined) await look()
    return response
  }
  return page
}

/**
 * Waits until the app is at work: what is loaded last, once the page is on the screen, is where toasts appear. `expect` would describe the whole page to
 * itself each time that it looks in vain, which was a fifteenth of what all pages cost.
 */
export async function untilAtWork(page: Page): Promise<void> {
  await page.locator(toastRegion).waitFor({ state: 'attached', timeout: EXPECT_WITHIN_MS })
}

/** Opens a page and waits until it hears at once of what happens elsewhere: what came before that is counted, and not told of. */
export async function openLive(page: Page, address: string): Promise<void> {
  const isLive = new Promise<void>((resolve) => {
    page.on('websocket', (socket) => {
      socket.on('framereceived', ({ payload }) => {
        if (payload.includes('"auth_success"')) resolve()
      })
    })
  })
  await page.goto(address)
  await isLive
}

/** Fills in the sign-in form that is open. */
export async function signIn(page: Page, who: Who): Promise<void> {
  await page.getByLabel('Username').fill(people[who].username)
  await page.getByLabel('Password').fill(people[who].password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'My Account', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Logout' }).click()
}

/** Bids what the field shows. When that has only just changed, the page asks to press again: the page of an auction may be two seconds old at first. */
export async function placeBid(page: Page): Promise<void> {
  await expect(page.getByText('Connected', { exact: true })).toBeVisible()
  const held = page.getByRole('status').filter({ hasText: 'Press again to bid that.' })
  await expect(async () => {
    await page.getByRole('button', { name: 'Place Bid' }).click()
    await expect(async () => {
      expect(takeToast(page, 'Bid Placed!') || (await held.isVisible())).toBe(true)
    }).toPass({ timeout: EXPECT_WITHIN_MS })
    expect(await held.isVisible()).toBe(false)
  }).toPass()
}

/** The gateway renders what it can in time, which a machine that does everything at once may not have: a page comes like this soon, and not always at once. */
export async function openRendered(page: Page, address: string): Promise<void> {
  await expect(async () => {
    const response = await page.goto(address, { waitUntil: 'commit' })
    expect(await response?.text()).toContain('data-prerendered')
  }).toPass()
}

/** Keeps back the script that pages begin with, as a slow network would. @returns what lets it come */
export async function holdScript(page: Page): Promise<() => void> {
  const gate = Promise.withResolvers<void>()
  await page.route('**/assets/first-*.js', async (route) => {
    await gate.promise
    // Whoever has left the page does not wait for it any more.
    await route.continue().catch(() => {})
  })
  return gate.resolve
}

/**
 * What a page complains of in its console, and what nobody caught. Chromium complains of an answer that was asked for ahead and is not used within three
 * seconds, too: that says how busy the machine is. That none is asked for twice is counted.
 */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    const isOfTime = /\/api\/.* was preloaded using link preload but not used within/.test(message.text())
    if (['warning', 'error'].includes(message.type()) && !isOfTime) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return complaints
}

export async function post<Schema extends z.ZodType>(
  path: string,
  body: unknown,
  schema: Schema,
  token?: string,
): Promise<z.infer<Schema>> {
  const response = await fetch(new URL(path, siteUrl()), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      apikey: 'journeys',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`)
  return schema.parse(JSON.parse(text))
}

export async function tokenOf(who: Who): Promise<string> {
  const { email, password } = people[who]
  const provider = z.object({ access_token: z.string() })
  const { access_token } = await post('/auth/v1/token?grant_type=password', { email, password }, provider)
  const { exchangeSession } = identityRoutes
  const session = await post(exchangeSession.path, { supabaseToken: access_token }, exchangeSession.answers[200])
  return session.token
}

/** Gives a listing of sarah's so many pictures. */
export async function addPictures(productId: number, count: number): Promise<void> {
  const token = await tokenOf('sarah')
  const file = await openAsBlob(fileURLToPath(new URL('../public/placeholder.jpg', import.meta.url)))
  for (let imageOrder = 0; imageOrder < count; imageOrder += 1) {
    const announced = { productId, imageUrl: crypto.randomUUID(), imageOrder }
    const { id } = await post(sellingRoutes.registerImage.path, announced, ProductImage, token)
    const form = new FormData()
    form.append('image', file, 'bottle.jpg')
    const path = sellingRoutes.uploadImage.path.replace(':imageId', String(id))
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(new URL(path, siteUrl()), { method: 'POST', headers, body: form })
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
  }
}

/**
 * A fresh auction of sarah's. It ends after all journeys unless one says when, so that it never is among those that the home page shows for
 * ending soonest. Amounts are in ringgit.
 */
export async function openAuction(auction: {
  name: string
  endsInS?: number
  startingPrice: number
  bidIncrement: number
  buyNowPrice?: number
}): Promise<Auction> {
  const token = await tokenOf('sarah')
  const { name, endsInS = 6 * 3600, ...prices } = auction
  const listing = { ...bottle, name, price: prices.startingPrice, listingType: 'auction' }
  const product = await post(sellingRoutes.createProduct.path, listing, Product, token)
  const endsAt = new Date(Date.now() + endsInS * 1000).toISOString()
  return await post(auctionRoutes.createAuction.path, { ...prices, productId: product.id, endsAt }, Auction, token)
}

/** A fresh listing of sarah's at a price in ringgit, of one bottle. */
export async function listBottle(listed: {
  name: string
  price: number
  listingType: 'fixed' | 'negotiable'
}): Promise<Product> {
  return await post(sellingRoutes.createProduct.path, { ...bottle, ...listed }, Product, await tokenOf('sarah'))
}

/** Sarah takes a listing of hers away. */
export async function removeBottle(productId: number): Promise<void> {
  await askOfListing(productId, { method: 'DELETE' })
}

/** Sarah asks for something else for a listing of hers. */
export async function changePrice(productId: number, price: number): Promise<void> {
  await askOfListing(productId, { method: 'PUT', body: JSON.stringify({ price }) })
}

async function askOfListing(productId: number, { method, body }: { method: string; body?: string }): Promise<void> {
  const path = sellingRoutes.updateProduct.path.replace(':productId', String(productId))
  const headers = {
    authorization: `Bearer ${await tokenOf('sarah')}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const response = await fetch(new URL(path, siteUrl()), { method, headers, ...(body !== undefined && { body }) })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
}

/** Somebody reports a listing. */
export async function reportListing(who: Who, productId: number, words: string): Promise<void> {
  const report = { kind: 'listing', targetId: productId, reason: 'counterfeit', text: words }
  await post(reportRoutes.fileReport.path, report, Report, await tokenOf(who))
}

/** What all listings here have in common. */
const bottle = {
  brand: 'Maison Journey',
  description: 'A bottle that exists for the length of a test.',
  categoryId: 4,
  remainingPercentage: 72,
  volume: 50,
}

async function get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>> {
  const response = await fetch(new URL(path, siteUrl()))
  if (!response.ok) throw new Error(`GET ${path}: ${response.status}`)
  return schema.parse(await response.json())
}

/** The auction as everybody can read it. */
export async function readAuction(auctionId: number): Promise<Auction> {
  return await get(`/api/auctions/${auctionId}`, Auction)
}

/** The listing as everybody can read it. */
export async function readProduct(productId: number): Promise<Product> {
  return await get(`/api/products/${productId}`, Product)
}

/** Whether the first page shows it as featured. */
export async function isOnShelf(productId: number): Promise<boolean> {
  const featured = await get('/api/products/featured', z.array(Product))
  return featured.some(({ id }) => id === productId)
}

/** All accepted bids, newest first. */
export async function readBids(auctionId: number): Promise<Bid[]> {
  return await get(`/api/auctions/${auctionId}/bids?limit=500`, z.array(Bid))
}

/** Shows a page in one of its schemes, without motion. Styles follow a moment later: a check that began before would see half of each. */
export async function showIn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.waitForFunction((scheme) => matchMedia(`(prefers-color-scheme: ${scheme})`).matches, colorScheme)
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}
