import { categories, Product } from '@wangian/contracts/catalogue.ts'
import { z } from 'zod'
import type { DemoPerson } from '../rig/demo-browser.ts'

export interface ShownPage {
  readonly name: string
  readonly path: string
  /** Somebody of the demo data, or nobody whom the site knows. */
  readonly visitor: DemoPerson | 'guest'
  /** Whether `docs/screens` has it. */
  readonly isDocumented: boolean
}

/** The pages that the documentation shows. */
const documented = new Set(['home', 'list', 'product', 'auction', 'messages', 'dashboard', 'checkout', 'admin'])

/** The pages of a site with demo data. Of a kind it is one that has something to show. */
export async function findPages(url: string): Promise<readonly ShownPage[]> {
  const list = async (query: string) => {
    const response = await fetch(new URL(`/api/products?${query}`, url))
    return z.array(Product).parse(await response.json())
  }
  const [, , , { id: niche }] = categories
  const [bottle] = await list(`type=negotiable&category=${niche}&sort=featured&limit=1`)
  const lots = await list('type=auction&sort=ending-soonest&limit=30')
  const lot = lots.toSorted((one, other) => bidsOf(other) - bidsOf(one))[0]
  const [sold] = await list('search=Libre&limit=1')
  const [own] = await list('search=Gypsy+Water&limit=1')
  if (!bottle || !lot?.auction || !sold || !own) throw new Error('The system has not all of the demo data')

  return [
    ...pagesOf('guest', {
      home: '/',
      list: `/products?category=${niche}`,
      product: `/products/${bottle.id}`,
      auction: `/auctions/${lot.auction.id}`,
      shop: `/sellers/${own.sellerId}`,
      'sign-in': '/login',
      register: '/register',
      'buying-guide': '/buying-guide',
      terms: '/terms-of-service',
      'not-found': '/no/such/page',
    }),
    ...pagesOf('mei', {
      messages: `/messages?with=${sold.sellerId}`,
      account: '/account',
      orders: '/account/orders',
      favorites: '/account/favorites',
      settings: '/account/settings',
    }),
    ...pagesOf('sarah', {
      dashboard: '/seller/dashboard',
      'dashboard-boosted': '/seller/dashboard?tab=boosted',
      'dashboard-analytics': '/seller/dashboard?tab=analytics',
      'dashboard-settings': '/seller/dashboard?tab=settings',
      'new-listing': '/seller/products/new?type=fixed',
      'new-auction': '/seller/products/new?type=auction',
      'edit-listing': `/seller/products/${own.id}/edit`,
      inbox: '/messages',
      checkout: '/boost-checkout',
    }),
    ...pagesOf('admin', {
      admin: '/admin/dashboard?tab=listings',
      'admin-users': '/admin/dashboard',
      'admin-orders': '/admin/dashboard?tab=orders',
      'admin-reports': '/admin/dashboard?tab=reports',
      'admin-payments': '/admin/dashboard?tab=payments',
      'admin-activity': '/admin/dashboard?tab=activity',
      'admin-system': '/admin/dashboard?tab=system',
      'admin-user': `/admin/users/${own.sellerId}`,
      'admin-listing': `/admin/listings/${own.id}`,
    }),
  ]
}

function pagesOf(visitor: ShownPage['visitor'], paths: Readonly<Record<string, string>>): readonly ShownPage[] {
  return Object.entries(paths).map(([name, path]) => ({ name, path, visitor, isDocumented: documented.has(name) }))
}

const bidsOf = ({ auction }: Product) => auction?.bidCount ?? 0
