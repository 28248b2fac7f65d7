import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test'
import { EXPECT_WITHIN_MS } from './config.ts'

/** Where toasts appear, in any language. */
export const toastRegion = 'body > [role=region]:has(> [aria-live])'

/** What each page has said in toasts and nobody has asked for yet, oldest first: the title and the text of one, a line each. */
const said = new WeakMap<Page, string[]>()

/** Writes down every toast of a browser's pages: one that is no error goes by itself, which may be before a busy machine looks. */
export async function listenToToasts(context: BrowserContext): Promise<void> {
  await context.exposeBinding('tellToast', ({ page }, words: string) => {
    saidBy(page).push(words)
  })
  await context.addInitScript((region) => {
    const { tellToast } = window as unknown as { tellToast: (words: string) => Promise<void> }
    const tellOf = (node: Node) => {
      if (!(node instanceof Element) || !node.parentElement?.matches(`${region} > [aria-live]`)) return
      void tellToast(Array.from(node.querySelectorAll('p'), ({ textContent }) => textContent).join('\n'))
    }
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) addedNodes.forEach(tellOf)
    }).observe(document, { childList: true, subtree: true })
  }, toastRegion)
}

/** Waits for a toast with all of these words. It and those before it are done with: the next call waits for a later one. */
export async function expectToast(
  page: Page,
  words: string | RegExp | readonly string[],
  options?: { readonly timeout?: number },
): Promise<void> {
  const isIt = matcherOf(words)
  const toasts = saidBy(page)
  await expect(() => expect(toasts.filter(isIt), `${words}, of ${JSON.stringify(toasts)}`).not.toEqual([])).toPass({
    timeout: options?.timeout ?? EXPECT_WITHIN_MS,
  })
  toasts.splice(0, toasts.findIndex(isIt) + 1)
}

/** Takes a toast with these words, and those before it, if there is one already. */
export function takeToast(page: Page, words: string): boolean {
  const toasts = saidBy(page)
  return toasts.splice(0, toasts.findIndex(matcherOf(words)) + 1).length > 0
}

/** The toast that is up. What it says is asked of `expectToast`, which cannot miss it. */
export function toast(page: Page): Locator {
  return page.locator(toastRegion)
}

function saidBy(page: Page): string[] {
  const toasts = said.get(page) ?? []
  said.set(page, toasts)
  return toasts
}

function matcherOf(words: string | RegExp | readonly string[]): (toast: string) => boolean {
  if (words instanceof RegExp) return (toast) => words.test(toast)
  const all = typeof words === 'string' ? [words] : words
  return (toast) => all.every((each) => toast.includes(each))
}
