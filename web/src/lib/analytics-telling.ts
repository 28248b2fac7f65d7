import type { Product } from '@wangian/contracts/catalogue.ts'
import type { AnalyticsEventName, AnalyticsItem, AnalyticsParameters } from './analytics-events.ts'

/** Where a product stands in a list that is shown. */
export interface ItemPlace {
  readonly list: string
  /** From 0. */
  readonly index: number
}

export function tellOfView(product: Product): void {
  const item = itemOf(product)
  tell('view_item', { currency: 'MYR', value: item.price, items: [item] })
}

export function tellOfSelection(product: Product, place: ItemPlace | undefined): void {
  const position = place && { item_list_name: place.list, index: place.index }
  tell('select_item', { items: [{ ...itemOf(product), ...position }] })
}

let pending: (() => void) | undefined

/** The page at an address is told of once it says what it is about, or when the next one is there. */
export function tellOfPage(page_location: string): void {
  pending?.()
  const { pathname: page_path } = new URL(page_location)
  const observer = new MutationObserver(() => ownTitle() && pending?.())
  observer.observe(document.head, { childList: true })
  pending = () => {
    pending = undefined
    observer.disconnect()
    tell('page_view', { page_path, page_title: ownTitle(), page_location })
  }
  if (ownTitle()) pending()
}

/** Of the page itself: another tab's news may stand before it. */
function ownTitle(): string {
  return [...document.head.querySelectorAll('title')].at(-1)?.textContent ?? ''
}

function itemOf(product: Product): AnalyticsItem {
  return {
    item_id: product.id,
    item_name: product.name,
    item_category: product.category || 'Perfume',
    price: product.auction?.currentBid ?? product.auction?.startingPrice ?? product.price,
    item_brand: product.brand || 'Unknown',
    quantity: 1,
  }
}

function tell<Name extends AnalyticsEventName>(name: Name, parameters: AnalyticsParameters<Name>): void {
  window.gtag?.('event', name, parameters)
}
