import { LOW_STOCK_MAX, MEDIUM_STOCK_MAX, PREMIUM_PACKAGE_ID_MIN } from '@wangian/contracts/catalogue.ts'

const MINUTE_MS = 60 * 1000
const HOUR_MS = 60 * MINUTE_MS

export function stockLevel(stockQuantity: number): 'low' | 'medium' | 'good' {
  if (stockQuantity <= LOW_STOCK_MAX) return 'low'
  return stockQuantity <= MEDIUM_STOCK_MAX ? 'medium' : 'good'
}

const statuses = ['active', 'featured', 'pending', 'sold', 'archived'] as const

/** The status that is shown: what is missing or unknown counts as active. */
export function shownStatus(status: string | null | undefined): (typeof statuses)[number] {
  return statuses.find((known) => known === status) ?? 'active'
}

export function boostType(packageId: number | null): 'premium' | 'standard' {
  return packageId !== null && packageId >= PREMIUM_PACKAGE_ID_MIN ? 'premium' : 'standard'
}

/**
 * Whole hours that are left of a boost, begun ones too, so that 0 says that it is over. The time may be a minute old, and the server's clock is known
 * roughly: less than a minute begins no further hour, so that a week never has 169.
 */
export function hoursLeft(until: string, nowMs: number): number {
  const leftMs = Date.parse(until) - nowMs
  return leftMs <= 0 ? 0 : Math.max(1, Math.ceil((leftMs - MINUTE_MS) / HOUR_MS))
}
