import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { readStored, writeStored } from './browser-storage.ts'

const retryDelaysMs = [500, 1_000, 2_000, 4_000, 8_000] as const

/** When the page was loaded anew for a file that is gone. */
const reloadedKey = 'wangian-reloaded'
/** Whoever needs that twice within this time is not helped by it. */
const reloadPauseMs = 60_000

/** A page that is loaded when it is first shown, or before: then it is shown without waiting for a moment. */
export type LazyPage<Props extends object> = LazyExoticComponent<ComponentType<Props>> & {
  readonly preload: () => Promise<void>
}

/**
 * Loads what a page is made of. After a few failures its file may be gone, since a new version has other names: the page is loaded anew,
 * once. Where that does not help, or there is no network, the page's boundary says so.
 */
export function lazyPage<Props extends object>(load: () => Promise<PageModule<Props>>): LazyPage<Props> {
  const loadOrReload = async () => {
    try {
      return await loadRetrying(load, 3)
    } catch (error) {
      if (!mayReload()) throw error
      window.location.reload()
      // Whatever was shown stays until the new page is there.
      return await new Promise<never>(() => {})
    }
  }
  let loaded: PageModule<Props> | undefined
  const page = lazy(() => (loaded ? atOnce(loaded) : loadOrReload()))
  const preload = async () => {
    loaded = await loadOrReload()
  }
  return Object.assign(page, { preload })
}

interface PageModule<Props> {
  readonly default: ComponentType<Props>
}

/** For `lazy`, which shows at once what it is given at once; what a promise has comes a moment later. */
function atOnce<Value>(value: Value): Promise<Value> {
  const thenable: PromiseLike<Value> = {
    // biome-ignore lint/suspicious/noThenProperty: a promise would not give it at once.
    then: (onValue) => onValue?.(value) as never,
  }
  return thenable as Promise<Value>
}

function mayReload(): boolean {
  if (!navigator.onLine) return false
  const sinceMs = Date.now() - Number(readStored('sessionStorage', reloadedKey))
  writeStored('sessionStorage', reloadedKey, `${Date.now()}`)
  // Where nothing can be stored it might go on for ever.
  return sinceMs > reloadPauseMs && readStored('sessionStorage', reloadedKey) !== null
}

/**
 * Loads a part that the page around it can do without for a while, such as a menu: tried again for as long as it takes,
 * because a lost network must not take the page down with it.
 */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await loadRetrying(load) }))
}

/** Loads what may not come at first: a network fails, and a busy server. */
export async function loadRetrying<Loaded>(
  load: () => Promise<Loaded>,
  triesMax = Number.POSITIVE_INFINITY,
): Promise<Loaded> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await load()
    } catch (error) {
      if (tries >= triesMax) throw error
      const delayMs = retryDelaysMs[Math.min(tries, retryDelaysMs.length) - 1]
      await new Promise((resolve) => setTimeout(resolve, delayMs))
    }
  }
}
