import type { Language } from '@wangian/contracts/languages.ts'
import { type PushTopic, pushRoutes, pushTopics } from '@wangian/contracts/push.ts'
import { call } from '../api/client.ts'
import { type Device, storeDevice, storedDevice } from './stored-device.ts'

/** How this browser stands: whether it can show notices, may, and does. */
export type DeviceStanding = 'unsupported' | 'blocked' | 'off' | 'on'

const workerFile = '/push-worker.js'
/** Where the browser's own push service is out of reach, some of them never say so. */
const subscribeTimeoutMs = 20_000

/** What was asked for before. */
let before: Promise<unknown> = Promise.resolve()

/** One thing at a time, in the order in which they were asked for: the server keeps what it hears last. */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const turn = before.then(work, work)
  before = turn
  return turn
}

export interface Person {
  readonly userId: number
  readonly language: Language
}

function isSupported(): boolean {
  return (
    'serviceWorker' in navigator && 'permissions' in navigator && 'PushManager' in window && 'Notification' in window
  )
}

/** How things are with this browser for somebody. */
export async function standingOf(userId: number): Promise<DeviceStanding> {
  if (!isSupported()) return 'unsupported'
  const { state } = await navigator.permissions.query({ name: 'notifications' })
  if (state === 'denied') return 'blocked'
  const isTold = storedDevice()?.userId === userId && (await ownSubscription()) !== null
  return isTold && state === 'granted' ? 'on' : 'off'
}

/**
 * Asks the person, which only a press may lead to, and has their notices pushed here.
 * @throws when the browser, or our server, cannot do it now
 */
export async function turnOn(person: Person, topics: readonly PushTopic[] = pushTopics): Promise<DeviceStanding> {
  const permission = await Notification.requestPermission()
  if (permission !== 'granted') return permission === 'denied' ? 'blocked' : 'off'
  return await inTurn(async () => {
    const { key } = await call(pushRoutes.getPushKey, {})
    if (key === null) return 'off'
    const subscription = await subscribe(key)
    await keptAtOnce({ userId: person.userId, topics }, () => tell(subscription, person, topics))
    return 'on'
  })
}

/** Nothing is pushed here any more, and nothing of it is left in the browser. @throws when our server cannot be told */
export async function turnOff(): Promise<void> {
  await inTurn(async () => {
    const subscription = await ownSubscription()
    if (subscription) await call(pushRoutes.unsubscribePush, { body: { endpoint: subscription.endpoint } })
    await forget()
  })
}

/** What this browser is told of from now on. @throws when our server cannot be told */
export async function chooseTopics(person: Person, topics: readonly PushTopic[]): Promise<void> {
  await keptAtOnce({ userId: person.userId, topics }, () =>
    inTurn(async () => {
      const subscription = await ownSubscription()
      if (subscription) await tell(subscription, person, topics)
    }),
  )
}

/**
 * Says it again at each visit, since it ends with each session; to a server that has a new key, too. What belongs to somebody who was signed in here
 * before is forgotten.
 */
export async function tellAgain(person: Person): Promise<void> {
  await inTurn(async () => {
    // As it is by now: something else may have been chosen meanwhile, or before the page was left.
    const device = storedDevice()
    const subscription = await ownSubscription()
    if (device?.userId !== person.userId || subscription === null) return forget()
    const { key } = await call(pushRoutes.getPushKey, {})
    if (key === null) return
    await tell(isMadeWith(subscription, key) ? subscription : await subscribe(key), person, device.topics)
  })
}

/** The session has ended, and the server knows: what is left here goes. */
export async function forgetDevice(): Promise<void> {
  await inTurn(forget)
}

async function forget(): Promise<void> {
  storeDevice(null)
  if (!isSupported()) return
  const registration = await navigator.serviceWorker.getRegistration('/')
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
  await registration?.unregister()
}

async function ownSubscription(): Promise<PushSubscription | null> {
  if (!isSupported()) return null
  const registration = await navigator.serviceWorker.getRegistration('/')
  return (await registration?.pushManager.getSubscription()) ?? null
}

async function subscribe(key: string): Promise<PushSubscription> {
  await navigator.serviceWorker.register(workerFile)
  const { pushManager } = await navigator.serviceWorker.ready
  // One that was made with another key cannot be used, and must be gone first.
  await (await pushManager.getSubscription())?.unsubscribe()
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('The push service of the browser says nothing')), subscribeTimeoutMs)
  try {
    const subscribing = pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
    return await Promise.race([subscribing, timeout])
  } finally {
    clearTimeout(timer)
  }
}

let wishes = 0
/** What our server has heard, while something else is wanted. */
let heard: Device | null = null

/** Keeps what somebody wants before our server has heard it: when the page is left first, the next visit says it (`tellAgain`). */
async function keptAtOnce(wanted: Device, tellServer: () => Promise<void>): Promise<void> {
  if (wishes === 0) heard = storedDevice()
  wishes += 1
  storeDevice(wanted)
  try {
    await tellServer()
    heard = wanted
  } catch (error) {
    // Unless something else is wanted by now.
    if (JSON.stringify(storedDevice()) === JSON.stringify(wanted)) storeDevice(heard)
    throw error
  } finally {
    wishes -= 1
  }
}

async function tell(subscription: PushSubscription, { language }: Person, topics: readonly PushTopic[]): Promise<void> {
  const { endpoint = '', keys = {} } = subscription.toJSON()
  const { p256dh = '', auth = '' } = keys
  const body = { endpoint, keys: { p256dh, auth }, language, topics: [...topics] }
  await call(pushRoutes.subscribePush, { body }, { outlivesPage: true })
}

function isMadeWith({ options: { applicationServerKey } }: PushSubscription, key: string): boolean {
  if (applicationServerKey === null) return false
  const text = btoa(String.fromCharCode(...new Uint8Array(applicationServerKey)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') === key
}
