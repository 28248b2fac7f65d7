import type { SystemService } from '@wangian/contracts/admin.ts'

export type Health = 'up' | 'database-down' | 'down'

export function healthOf({ status }: SystemService): Health {
  if (status === null) return 'down'
  return status.isDatabaseUp ? 'up' : 'database-down'
}

/** How many events the slowest of its consumers is behind; `null` when that is not known of any. */
export function lagOf({ lags }: SystemService): number | null {
  const known = lags.flatMap(({ events }) => events ?? [])
  return known.length === 0 ? null : Math.max(...known)
}
