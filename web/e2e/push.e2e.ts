import { expect, type Page, type Request } from '@playwright/test'
import { expectNoViolations } from './axe.ts'
import { firstPassword, newPerson, signInAt } from './newcomers.ts'
import { signOut, siteUrl, test } from './site.ts'

const settings = '/account/settings'
const part = (page: Page) => page.getByRole('region', { name: 'Notices on this device' })
const main = (page: Page) => part(page).getByRole('switch', { name: /^Show notices on this device/ })

/**
 * The browser's own way to its push service, which is on the internet: it gives an address there, or none. Everything of ours is as it is.
 * Runs in the page before its scripts.
 */
function pretendPushService(endpoint: string | null): void {
  const stored = 'pretended-push-service'
  const subscription = () => ({
    endpoint,
    options: { applicationServerKey: null },
    toJSON: () => ({ endpoint, keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) } }),
    unsubscribe: async () => {
      localStorage.removeItem(stored)
      return true
    },
  })
  Object.assign(PushManager.prototype, {
    async subscribe() {
      if (endpoint === null) throw new DOMException('Registration failed - push service error', 'AbortError')
      localStorage.setItem(stored, 'yes')
      return subscription()
    },
    getSubscription: async () => (localStorage.getItem(stored) === null ? null : subscription()),
  })
}

/** A visit tells the person's language as well, some time after it began. */
const tells = (request: Request) => request.method() === 'PUT' && request.url().endsWith('/api/push/subscription')

async function openSettings(page: Page, endpoint: string | null): Promise<{ username: string }> {
  await page.context().grantPermissions(['notifications'], { origin: siteUrl() })
  await page.addInitScript(pretendPushService, endpoint)
  const person = await newPerson(page)
  await signInAt(page, settings, person.username, firstPassword)
  await expect(part(page)).toBeVisible()
  return person
}

test('notices on this device are turned on, chosen, and end with the session', async ({ guest }) => {
  const page = await guest()
  const endpoint = `https://updates.push.services.mozilla.com/wpush/v2/${crypto.randomUUID()}`
  const { username } = await openSettings(page, endpoint)
  await expect(main(page)).not.toBeChecked()
  await expect(part(page).getByRole('group')).toBeHidden()
  await main(page).press('Space')
  await expect(main(page)).toBeChecked()
  await expectNoViolations(page, 'the switch of notices')

  // The visit says by itself what was chosen before, two seconds after it began.
  const told = page.waitForResponse(
    (response) => tells(response.request()) && !response.request().postData()?.includes('favorite'),
  )
  await part(page).getByRole('switch', { name: 'Favourites that cost less' }).click()
  expect((await told).request().postDataJSON()).toMatchObject({ endpoint, topics: ['auction', 'conversation', 'deal'] })
  expect(await (await told).json()).toEqual({ topics: ['auction', 'conversation', 'deal'] })
  // Each visit says it again, for it ends with each session.
  const again = page.waitForResponse((response) => tells(response.request()))
  await page.reload()
  expect((await again).status()).toBe(200)
  await expect(main(page)).toBeChecked()
  await expect(part(page).getByRole('switch', { name: 'Favourites that cost less' })).not.toBeChecked()

  await signOut(page)
  await expect.poll(() => page.evaluate(() => localStorage.getItem('wangian-push'))).toBeNull()
  await expect.poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0)
  await signInAt(page, settings, username, firstPassword)
  await expect(main(page)).not.toBeChecked()
})

test('a browser that cannot reach its push service says so, and one that forbids notices, too', async ({ guest }) => {
  const page = await guest()
  await openSettings(page, null)
  await main(page).click()
  await expect(part(page).getByRole('alert')).toContainText('It could not be turned on')
  await expect(main(page)).not.toBeChecked()

  await page.addInitScript(() =>
    Object.assign(Permissions.prototype, {
      query: async () => ({ state: 'denied' }) satisfies Partial<PermissionStatus>,
    }),
  )
  await page.reload()
  await expect(part(page).getByText('Your browser blocks notifications from Wangian')).toBeVisible()
  await expect(main(page)).toBeHidden()
  await page.addInitScript(() => Reflect.deleteProperty(window, 'PushManager'))
  await page.reload()
  await expect(part(page).getByText(/^This browser cannot show notices/)).toBeVisible()
})

test('what is pushed is shown in the words of the panel, and leads to its page', async ({ guest }) => {
  const page = await guest()
  await openSettings(page, 'https://updates.push.services.mozilla.com/wpush/v2/nobody')
  const cdp = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL, isDeleted }) => scopeURL === `${siteUrl()}/` && !isDeleted)
      if (own) resolve(own.registrationId)
    })
  })
  await cdp.send('ServiceWorker.enable')
  await main(page).click()
  await expect(main(page)).toBeChecked()
  const registrationId = await registered
  const push = (data: object) =>
    cdp.send('ServiceWorker.deliverPushMessage', { origin: siteUrl(), registrationId, data: JSON.stringify(data) })
  const worker = page.context().serviceWorkers()[0] ?? (await page.context().waitForEvent('serviceworker'))
  await worker.evaluate(keepNotifications)
  const shown = () =>
    worker.evaluate(() => (self as unknown as Kept).kept.map(({ close: _, data: __, ...said }) => said))

  await push({ language: 'en', notice: outbid(3, 60) })
  const first = { lang: 'en', silent: true, renotify: true, tag: 'auction-7' }
  await expect.poll(shown).toMatchObject([{ ...first, title: 'You have been outbid: Oud Wood' }])
  expect((await shown())[0]?.body).toMatch(/^Now at RM\s60\.00\. Ends on 22 Nov 2026, 4:00\spm\.$/)
  // What comes twice makes itself heard once; the newest of one thing takes the place of what was said before, in the person's language.
  await push({ language: 'en', notice: outbid(3, 60) })
  await expect.poll(shown).toMatchObject([{ ...first, renotify: false }])
  await push({ language: 'ms', notice: outbid(4, 65) })
  await expect.poll(shown).toMatchObject([{ title: 'Bida anda telah diatasi: Oud Wood', renotify: true, lang: 'ms' }])
  // Whatever a newer server says, something is shown.
  await push({ language: 'en', notice: { ...outbid(5, 65), key: 'else', kind: 'of-tomorrow' } })
  await expect.poll(async () => (await shown()).map(({ title }) => title)).toContain('Wangian')

  const opened = await worker.evaluate(async () => {
    const { kept, clients } = self as unknown as Kept
    const notification = kept.find(({ tag }) => tag === 'auction-7')
    const { promise, resolve } = Promise.withResolvers<string>()
    // Only a press by hand may open a window.
    clients.openWindow = async (url) => resolve(url)
    dispatchEvent(Object.assign(new Event('notificationclick'), { notification, waitUntil: () => {} }))
    return promise
  })
  expect(opened).toBe('/auctions/7')
  expect((await shown()).map(({ tag }) => tag)).not.toContain('auction-7')
})

interface Kept {
  kept: (NotificationOptions & { title: string; renotify?: boolean; close: () => void })[]
  clients: { openWindow: (url: string) => Promise<void> }
}

/** Chromium without windows shows no notification to anybody, so the worker's surroundings keep them. Runs in the worker. */
function keepNotifications(): void {
  const scope = self as unknown as Kept & { registration: ServiceWorkerRegistration }
  scope.kept = []
  Object.assign(scope.registration, {
    async showNotification(title: string, options: NotificationOptions) {
      const close = () => {
        scope.kept = scope.kept.filter((each) => each !== notification)
      }
      const notification = { title, ...options, close }
      scope.kept = [...scope.kept.filter(({ tag }) => tag !== options.tag), notification]
    },
    getNotifications: async ({ tag }: { tag: string }) => scope.kept.filter((each) => each.tag === tag),
  })
}

function outbid(id: number, amount: number) {
  return {
    id,
    key: 'auction-7',
    kind: 'outbid',
    at: '2026-11-22T07:00:00.000Z',
    isRead: false,
    user: null,
    product: { id: 8, name: 'Oud Wood', price: 50, imageUrl: null, isRemoved: false },
    auction: { id: 7, amount, endsAt: '2026-11-22T08:00:00.000Z', isLeading: false, outcome: null },
    deal: null,
    price: null,
    unreadMessages: null,
  }
}
