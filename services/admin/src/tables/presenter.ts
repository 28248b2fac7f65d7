import type { AdminListing, AdminOrder } from '@wangian/contracts/admin.ts'
import { ringgitFromSen } from '@wangian/contracts/money.ts'
import type { ListingRow, OrderRow } from './rows-store.ts'

export function presentOrder({ totalSen, ...row }: OrderRow): AdminOrder {
  return { ...row, userId: row.user.id, total: ringgitFromSen(totalSen) }
}

export function presentListing(row: ListingRow): AdminListing {
  const { priceSen, removedAt: at, removedBy: by, removalReason: reason, ...same } = row
  return { ...same, price: ringgitFromSen(priceSen), removal: at === null || by === null ? null : { at, by, reason } }
}
