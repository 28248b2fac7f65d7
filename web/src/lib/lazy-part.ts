import { type ComponentType, lazy } from 'react'

const retryDelaysMs = [500, 1_000, 2_000, 4_000, 8_000] as const

/** Loads what a page is made of; after a few failures the page's boundary says so. */
export function lazyPage<Props>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return lazy(() => loadRetrying(load, 3))
}

/**
 * Loads a part that the page around it can do without for a while, such as a menu: tried again for as long as it takes,
 * because a lost network must not take the page down with it.
 */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await loadRetrying(load, Number.POSITIVE_INFINITY) }))
}

async function loadRetrying<Loaded>(load: () => Promise<Loaded>, triesMax: number): Promise<Loaded> {
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
