import { ringgitFromSen } from '@wangian/contracts/money.ts'
import { z } from 'zod'
import { track } from '../../../lib/analytics.ts'
import type { AnalyticsItem } from '../../../lib/analytics-events.ts'
import { readStored, writeStored } from '../../../lib/browser-storage.ts'

const storageKey = 'wangian-boost-paying'

const Paying = z.object({
  orderId: z.string(),
  packageId: z.int(),
  packageName: z.string(),
  packageType: z.enum(['standard', 'premium']),
  durationHours: z.number(),
  amountSen: z.number(),
})
type Paying = z.infer<typeof Paying>

/** Tells analytics that somebody is about to pay for a package. */
export function trackCheckout(bought: Pick<Paying, 'packageId' | 'packageName' | 'amountSen'>): void {
  const value = ringgitFromSen(bought.amountSen)
  track('begin_checkout', { currency: 'MYR', value, items: [itemOf(bought)] })
}

/** Keeps what this tab is about to pay, for `trackPaid`. */
export function keepPaying(paying: Paying): void {
  writeStored('sessionStorage', storageKey, JSON.stringify(paying))
}

/** Tells analytics, once, what was paid. */
export function trackPaid(): void {
  const paying = stored()
  writeStored('sessionStorage', storageKey, null)
  if (!paying) return
  const value = ringgitFromSen(paying.amountSen)
  track('purchase', { transaction_id: paying.orderId, currency: 'MYR', value, items: [itemOf(paying)] })
  track('purchase_boost', { package_type: paying.packageType, duration_hours: paying.durationHours, value })
}

function itemOf({ packageId, packageName, amountSen }: Pick<Paying, 'packageId' | 'packageName' | 'amountSen'>) {
  return {
    item_id: packageId,
    item_name: packageName,
    item_category: 'Boost',
    price: ringgitFromSen(amountSen),
    item_brand: 'Wangian',
    quantity: 1,
  } satisfies AnalyticsItem
}

function stored(): Paying | undefined {
  try {
    return Paying.safeParse(JSON.parse(readStored('sessionStorage', storageKey) ?? 'null')).data
  } catch {
    return undefined
  }
}
