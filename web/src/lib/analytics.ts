import type { Product } from '@wangian/contracts/catalogue.ts'
import type { AnalyticsEventName, AnalyticsParameters } from './analytics-events.ts'
import type * as Telling from './analytics-telling.ts'

declare global {
  interface Window {
    /** Present only where somebody is told: a visitor has agreed, or the page brought a tag of its own. `analytics-tag.ts` makes it anonymous. */
    gtag?: ((...command: [command: string, ...rest: unknown[]]) => void) | undefined
    /** What the tag is going to take up, and takes up from then on. */
    dataLayer?: unknown[] | undefined
  }
}

export function track<Name extends AnalyticsEventName>(name: Name, parameters: AnalyticsParameters<Name>): void {
  window.gtag?.('event', name, parameters)
}

/** What takes more words to tell is loaded by those who are counted only. */
export function trackBy(tell: (telling: typeof Telling) => void): void {
  if (window.gtag) void import('./analytics-telling.ts').then(tell)
}

/** Somebody has chosen a product in a list. */
export function trackSelection(product: Product, place: Telling.ItemPlace | undefined): void {
  trackBy(({ tellOfSelection }) => tellOfSelection(product, place))
}

/** Somebody has come to a page. */
export function trackPageView(): void {
  const { href } = window.location
  trackBy(({ tellOfPage }) => tellOfPage(href))
}
