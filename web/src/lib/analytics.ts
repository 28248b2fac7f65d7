import type { Product } from '@wangian/contracts/catalogue.ts'

/** A product as analytics knows it. */
interface Item {
  item_id: number
  item_name: string
  item_category: string
  price: number
  item_brand: string
  quantity: 1
  item_list_name?: string
  index?: number
}

/** Where a product stands in a list that is shown. */
export interface ItemPlace {
  readonly list: string
  /** From 0. */
  readonly index: number
}

/** The events of the product's analytics with their parameters. */
interface AnalyticsEvents {
  view_item: Item
  select_item: Item
  apply_filter: { filter_type: string; filter_value: string }
  share: { content_type: 'product'; content_id: number }
  search: { search_term: string; search_results_count?: number }
  place_bid: { auction_id: number; bid_amount: number; currency: 'MYR' }
  view_boost_packages: object
  begin_checkout: { currency: 'MYR'; value: number }
  purchase: { transaction_id: string; currency: 'MYR'; value: number }
  purchase_boost: { package_type: string; duration_hours: number; value: number }
  send_message: { recipient_type: 'user' }
  sign_up: { method: string }
  login: { method: string }
  exception: {
    description: string
    fatal: false
    error_type: 'javascript_error' | 'promise_rejection'
    page: string
  }
  timing_complete: { name: string; value: number; event_category: string }
}

declare global {
  interface Window {
    /** Present only where the page carries the analytics tag. */
    gtag?: (command: 'event', name: string, parameters: object) => void
  }
}

export function track<Name extends keyof AnalyticsEvents>(name: Name, parameters: AnalyticsEvents[Name]): void {
  window.gtag?.('event', name, parameters)
}

/** Somebody has chosen a product in a list. */
export function trackSelection(product: Product, place: ItemPlace | undefined): void {
  track('select_item', { ...itemOf(product), ...(place && { item_list_name: place.list, index: place.index }) })
}

export function itemOf(product: Product): Item {
  return {
    item_id: product.id,
    item_name: product.name,
    item_category: product.category || 'Perfume',
    price: product.auction?.currentBid ?? product.auction?.startingPrice ?? product.price,
    item_brand: product.brand || 'Unknown',
    quantity: 1,
  }
}

export function trackPageView(path: string): void {
  window.gtag?.('event', 'page_view', {
    page_path: path,
    page_title: document.title,
    page_location: window.location.href,
  })
}
