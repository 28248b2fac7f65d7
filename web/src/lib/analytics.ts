/** The events of the product's analytics with their parameters. */
interface AnalyticsEvents {
  view_item: {
    item_id: number
    item_name: string
    item_category: string
    price: number
    item_brand: string
    quantity: 1
  }
  search: { search_term: string; search_results_count?: number }
  place_bid: { auction_id: number; bid_amount: number; currency: 'MYR' }
  send_message: { recipient_type: 'user' }
  sign_up: { method: string }
  login: { method: string }
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

export function trackPageView(path: string): void {
  window.gtag?.('event', 'page_view', {
    page_path: path,
    page_title: document.title,
    page_location: window.location.href,
  })
}
