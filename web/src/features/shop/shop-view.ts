import { SellerProductSort } from '@wangian/contracts/shop.ts'
import { z } from 'zod'

export const shopTabs = ['featured', 'active', 'sold', 'reviews'] as const
export type ShopTab = (typeof shopTabs)[number]

/** What of a shop is looked at; its address says it, so that it can be shared and Back works. */
export interface ShopView {
  readonly tab: ShopTab
  readonly sort: SellerProductSort
  readonly page: number
}

const first: ShopView = { tab: 'featured', sort: 'popular', page: 1 }

/** Whatever an address does not say, or says wrongly, is as at the beginning. */
const View = z.object({
  tab: z.enum(shopTabs).catch(first.tab),
  sort: SellerProductSort.catch(first.sort),
  page: z.coerce.number().int().min(1).max(10_000).catch(first.page),
})

export function viewOf(query: URLSearchParams): ShopView {
  return View.parse({ tab: query.get('tab'), sort: query.get('sort'), page: query.get('page') ?? first.page })
}

/** The query of another view; without what is as at the beginning. It is `?` alone for the first one, which is a link, too. */
export function queryOf(view: ShopView): string {
  const query = new URLSearchParams()
  for (const name of ['tab', 'sort', 'page'] as const) {
    if (view[name] !== first[name]) query.set(name, String(view[name]))
  }
  return `?${query}`
}
