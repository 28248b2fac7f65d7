import { ringgitFromSen } from '@wangian/contracts/money.ts'
import { z } from 'zod'
import { track } from '../../../lib/analytics.ts'
import { readStored, writeStored } from '../../../lib/browser-storage.ts'

const storageKey = 'wangian-boost-paying'

const Paying = z.object({
  orderId: z.string(),
  packageType: z.string(),
  durationHours: z.number(),
  amountSen: z.number(),
})

/** Keeps what this tab is about to pay, for `trackPaid`. */
export function keepPaying(paying: z.infer<typeof Paying>): void {
  writeStored('sessionStorage', storageKey, JSON.stringify(paying))
}

/** Tells analytics, once, what was paid. */
export function trackPaid(): void {
  const paying = stored()
  writeStored('sessionStorage', storageKey, null)
  if (!paying) return
  const value = ringgitFromSen(paying.amountSen)
  track('purchase', { transaction_id: paying.orderId, currency: 'MYR', value })
  track('purchase_boost', { package_type: paying.packageType, duration_hours: paying.durationHours, value })
}

function stored(): z.infer<typeof Paying> | undefined {
  try {
    return Paying.safeParse(JSON.parse(readStored('sessionStorage', storageKey) ?? 'null')).data
  } catch {
    return undefined
  }
}
