import { fireEvent, screen, waitFor } from '@testing-library/react'
import { pushRoutes } from '@wangian/contracts/push.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { tellAgain } from '../../push/device.ts'
import { storeDevice, storedDevice } from '../../push/stored-device.ts'
import { currentUser } from '../../testing/fixtures.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import { DeviceNotices } from './DeviceNotices.tsx'

const endpoint = 'https://fcm.googleapis.com/fcm/send/abc'
const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }

/** What the browser answers whoever asks it. */
let browser: { permission: NotificationPermission; isSubscribed: boolean; canSubscribe: boolean; asked: number }
let view: ReturnType<typeof renderAt> | undefined
let api: ReturnType<typeof mockApi>

const subscription = {
  endpoint,
  options: { applicationServerKey: null },
  toJSON: () => ({ endpoint, keys }),
  unsubscribe: async () => {
    browser.isSubscribed = false
    return true
  },
}
const registration = {
  pushManager: {
    getSubscription: async () => (browser.isSubscribed ? subscription : null),
    subscribe: async () => {
      if (!browser.canSubscribe) throw new DOMException('push service error', 'AbortError')
      browser.isSubscribed = true
      return subscription
    },
  },
  unregister: async () => true,
}

beforeEach(() => {
  browser = { permission: 'default', isSubscribed: false, canSubscribe: true, asked: 0 }
  vi.stubGlobal('PushManager', class {})
  const notification = {
    async requestPermission() {
      browser.asked += 1
      if (browser.permission === 'default') browser.permission = 'granted'
      return browser.permission
    },
  }
  vi.stubGlobal('Notification', notification)
  const query = async () => ({ state: browser.permission === 'default' ? 'prompt' : browser.permission })
  Object.defineProperty(navigator, 'permissions', { configurable: true, value: { query } })
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: {
      register: async () => registration,
      ready: Promise.resolve(registration),
      getRegistration: async () => registration,
    },
  })
  api = mockApi()
  api.answer(pushRoutes.getPushKey, () => ({ key: 'our-key' }))
  api.answer(pushRoutes.subscribePush, ({ body }) => ({ topics: (body as { topics: [] }).topics }))
  api.answer(pushRoutes.unsubscribePush, () => new Response(null, { status: 204 }))
})
afterEach(() => {
  view?.end()
  view = undefined
  api.restore()
  vi.unstubAllGlobals()
  Reflect.deleteProperty(navigator, 'serviceWorker')
  Reflect.deleteProperty(navigator, 'permissions')
  storeDevice(null)
})

const open = () => {
  view = renderAt('/account/settings', <DeviceNotices userId={currentUser.id} />, currentUser)
}
const main = () => screen.findByRole('switch', { name: /^Show notices on this device/ })

describe('notices on this device', () => {
  it('are not spoken of where the server pushes nothing', async () => {
    api.answer(pushRoutes.getPushKey, () => ({ key: null }))
    open()
    await waitFor(() => expect(api.countOf(pushRoutes.getPushKey)).toBe(1))
    expect(screen.queryByRole('heading', { name: 'Notices on this device' })).toBeNull()
  })

  it('are turned on by a press and nothing else, and off by another', async () => {
    open()
    const toggle = await main()
    expect(browser.asked).toBe(0)
    fireEvent.click(toggle)
    // Pressed twice at once, it is turned on once; and it keeps the focus, which what is disabled does not.
    fireEvent.click(toggle)
    expect(toggle).toBeEnabled()
    await waitFor(() => expect(toggle).toBeChecked())
    expect(browser.asked).toBe(1)
    expect(api.received.at(-1)?.body).toEqual({
      endpoint,
      keys,
      language: 'en',
      topics: ['auction', 'conversation', 'deal', 'favorite'],
    })
    expect(storedDevice()).toMatchObject({ userId: currentUser.id })
    fireEvent.click(toggle)
    await waitFor(() => expect(toggle).not.toBeChecked())
    expect(api.received.at(-1)?.body).toEqual({ endpoint })
    expect(storedDevice()).toBeNull()
    expect(browser.isSubscribed).toBe(false)
  })

  it('stay off when the person says no, and when nobody answers', async () => {
    open()
    const toggle = await main()
    browser.canSubscribe = false
    fireEvent.click(toggle)
    expect(await screen.findByRole('alert')).toHaveTextContent('It could not be turned on')
    expect(toggle).not.toBeChecked()
    browser.permission = 'denied'
    fireEvent.click(toggle)
    expect(await screen.findByText('Your browser blocks notifications from Wangian')).toBeVisible()
  })

  it('stay on when the server cannot be told that they are off', async () => {
    open()
    const toggle = await main()
    fireEvent.click(toggle)
    await waitFor(() => expect(toggle).toBeChecked())
    api.answer(pushRoutes.unsubscribePush, () => refusal('unavailable'))
    fireEvent.click(toggle)
    expect(await screen.findByRole('alert')).toHaveTextContent('It could not be turned off')
    expect(toggle).toBeChecked()
  })

  it('are of what the person chooses', async () => {
    open()
    fireEvent.click(await main())
    const messages = await screen.findByRole('switch', { name: 'Messages' })
    fireEvent.click(messages)
    await waitFor(() => expect(storedDevice()?.topics).toEqual(['auction', 'deal', 'favorite']))
    api.answer(pushRoutes.subscribePush, () => refusal('unavailable'))
    fireEvent.click(messages)
    await waitFor(() => expect(view?.toasts).toMatchObject([{ title: 'Your choice could not be saved' }]))
    expect(messages).not.toBeChecked()
  })

  it('are of what was chosen, also when the page is left before the server has heard it', async () => {
    open()
    fireEvent.click(await main())
    const messages = await screen.findByRole('switch', { name: 'Messages' })
    const said = Promise.withResolvers<Response>()
    api.answer(pushRoutes.subscribePush, () => said.promise)
    fireEvent.click(messages)
    expect(storedDevice()?.topics).toEqual(['auction', 'deal', 'favorite'])
    // A later choice, which waits for its turn.
    fireEvent.click(screen.getByRole('switch', { name: 'Deals and reviews' }))
    expect(storedDevice()?.topics).toEqual(['auction', 'favorite'])
    said.resolve(refusal('unavailable'))
    await waitFor(() => expect(view?.toasts).toHaveLength(2))
    expect(storedDevice()?.topics).toEqual(['auction', 'conversation', 'deal', 'favorite'])
    expect(messages).toBeChecked()
  })

  it('are known to be on when the page is left before the server has answered', async () => {
    const said = Promise.withResolvers<Response>()
    api.answer(pushRoutes.subscribePush, () => said.promise)
    open()
    fireEvent.click(await main())
    await waitFor(() => expect(api.countOf(pushRoutes.subscribePush)).toBe(1))
    expect(storedDevice()).toMatchObject({ userId: currentUser.id })
    said.resolve(refusal('unavailable'))
    expect(await screen.findByRole('alert')).toHaveTextContent('It could not be turned on')
    expect(storedDevice()).toBeNull()
  })

  it('are of what was chosen last, also while the visit says what was chosen before', async () => {
    open()
    fireEvent.click(await main())
    const messages = await screen.findByRole('switch', { name: 'Messages' })
    const key = Promise.withResolvers<{ key: string }>()
    api.answer(pushRoutes.getPushKey, () => key.promise)
    const told = tellAgain({ userId: currentUser.id, language: 'en' })
    await waitFor(() => expect(api.countOf(pushRoutes.getPushKey)).toBe(3))
    fireEvent.click(messages)
    fireEvent.click(screen.getByRole('switch', { name: 'Deals and reviews' }))
    key.resolve({ key: 'our-key' })
    await told
    await waitFor(() => expect(storedDevice()?.topics).toEqual(['auction', 'favorite']))
    expect(api.received.at(-1)?.body).toMatchObject({ topics: ['auction', 'favorite'] })
  })

  it('belong to whoever asked for them, and not to who signs in after', async () => {
    browser.permission = 'granted'
    browser.isSubscribed = true
    open()
    storeDevice({ userId: 99, topics: [] })
    expect(await main()).not.toBeChecked()
  })

  it('say where a browser has none', async () => {
    vi.stubGlobal('PushManager', undefined)
    Reflect.deleteProperty(window, 'PushManager')
    open()
    expect(await screen.findByText(/^This browser cannot show notices/)).toBeVisible()
  })
})
