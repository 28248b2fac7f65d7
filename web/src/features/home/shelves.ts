import type { Product } from '@wangian/contracts/catalogue.ts'

/** How many the hero shows; with fewer it shows none. */
const HERO_PRODUCTS = 3
export const LIVE_AUCTIONS_MAX = 3
export const RECENT_LISTINGS_MAX = 6

type Products = readonly Product[] | undefined

/**
 * What each part of the first page shows, so that it shows each bottle once where there are enough: on the shelves what is featured comes
 * behind all else, and the hero has what comes after the recent listings and has a picture. Where too few have one it repeats what is shown
 * below, for its place is kept while it loads. `undefined` is what is not known yet; `featured` that cannot be read is empty.
 */
export function shelvesOf(featured: Products, live: Products, recent: Products) {
  const shownAbove = new Set(featured?.map(({ id }) => id))
  const inOrder = (products: Products) => {
    if (featured === undefined || products === undefined) return undefined
    const isAbove = ({ id }: Product) => shownAbove.has(id)
    return [...products.filter((one) => !isAbove(one)), ...products.filter(isAbove)]
  }
  const listings = inOrder(recent)
  const shown = listings?.slice(0, RECENT_LISTINGS_MAX)
  return {
    auctions: inOrder(live)?.slice(0, LIVE_AUCTIONS_MAX),
    listings: shown,
    hero: listings && shown && heroOf(listings.slice(RECENT_LISTINGS_MAX), shown),
  }
}

function heroOf(others: readonly Product[], shown: readonly Product[]): readonly Product[] {
  const hasPicture = ({ images, imageUrl }: Product) => imageUrl || images.length > 0
  const best = [...others.filter(hasPicture), ...shown.filter(hasPicture), ...others.filter((one) => !hasPicture(one))]
  return best.length < HERO_PRODUCTS ? [] : best.slice(0, HERO_PRODUCTS)
}
