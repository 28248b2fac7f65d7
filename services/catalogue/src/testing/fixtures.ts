import type { ListingFacts } from '@wangian/contracts/events/catalogue.ts'

export const createdAt = '2026-11-21T08:00:00.000Z'

/** A listing as the log has it; a test names what matters to it. */
export function listingFacts(facts: Partial<ListingFacts> = {}): ListingFacts {
  return {
    productId: 1,
    sellerId: 7,
    name: 'Santal 33',
    brand: 'Le Labo',
    description: 'Cardamom, iris and a lot of sandalwood.',
    priceSen: 68_050,
    categoryId: 4,
    listingType: 'fixed',
    stockQuantity: 1,
    remainingPercentage: 85,
    batchCode: 'LL2301',
    purchaseYear: 2023,
    boxCondition: 'Good',
    volumeMl: 100,
    isNew: false,
    imageUrl: null,
    createdAt,
    ...facts,
  }
}

/** A form that is right in every field. */
export const listingForm = {
  name: 'Santal 33',
  brand: 'Le Labo',
  description: 'Cardamom, iris and a lot of sandalwood.',
  price: 680.5,
  categoryId: 4,
  stockQuantity: 1,
  remainingPercentage: 85,
  purchaseYear: 2023,
  boxCondition: 'Good',
  batchCode: 'LL2301',
  listingType: 'fixed',
  volume: 100,
} as const
