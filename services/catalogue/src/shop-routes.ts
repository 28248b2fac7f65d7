import { type Seller, shopRoutes } from '@wangian/contracts/shop.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle } from '@wangian/kit/http.ts'
import type { DatabasePool } from '@wangian/kit/postgres.ts'
import { findShop, type ShopRow } from './shop-store.ts'

export interface ShopDependencies {
  readonly pool: DatabasePool
}

/** People as everybody may see them, and what they sell. Who is suspended or gone is not to be found. */
export function addShopRoutes(app: App, { pool }: ShopDependencies): void {
  handle(app, shopRoutes.getSeller, async ({ params: { sellerId } }) => {
    const shop = await findShop(pool, sellerId)
    if (shop === null) throw new Rejection('seller-not-found')
    return { status: 200, body: presentSeller(shop) }
  })
}

function presentSeller({ isEmailVerified, ...shop }: ShopRow): Seller {
  const badge: Seller['badge'] = [
    { criterion: 'identity-verified', isMet: isEmailVerified },
    { criterion: 'delivered-orders', isMet: false },
    { criterion: 'rating', isMet: false },
    // Whoever does not meet it is not shown at all.
    { criterion: 'community-guidelines', isMet: true },
    { criterion: 'payment-methods', isMet: false },
  ]
  return {
    ...shop,
    badge,
    isVerified: badge.every(({ isMet }) => isMet),
    averageRating: null,
    reviewCount: 0,
    soldCount: 0,
  }
}
