import type { AdminBoostCase, BoostCase, BoostPackage, BoostPayment } from '@wangian/contracts/boost.ts'
import type { CaseRow, PaymentRow } from './orders/order-store.ts'
import type { PackageRow } from './store.ts'

const DAY_HOURS = 24

export function presentPackage(row: PackageRow): BoostPackage {
  return {
    id: row.id,
    name: row.name,
    package_type: row.packageType,
    item_count: row.itemCount,
    price: row.priceSen,
    effective_price: Math.round(row.priceSen / row.itemCount),
    duration_hours: row.durationHours,
    duration_formatted: formatDuration(row.durationHours),
  }
}

export function presentPayment(row: PaymentRow): BoostPayment {
  const { id, orderId, billId, status, paidAt, createdAt, updatedAt, expiresAt, products, metadata } = row
  return {
    ...{ id, orderId, billId, status, paidAt, createdAt, updatedAt, expiresAt },
    amount: row.amountSen,
    paymentType: 'boost',
    featureDuration: row.durationHours,
    boostOptionId: row.packageId,
    packageName: metadata.packageName,
    packageType: metadata.packageType,
    productIds: products.map(({ productId }) => productId),
    products: products.map(({ amountSen: amount, ...product }) => ({ ...product, amount })),
    paymentChannel: row.channel,
    transactionId: metadata.transactionId ?? null,
  }
}

export function presentCase(row: CaseRow, nowMs: number): BoostCase {
  const { id, orderId, productId, productName, chosenProductId, expiresAt } = row
  const isOver = row.state === 'open' && Date.parse(expiresAt) <= nowMs
  return {
    ...{ id, orderId, productId, productName, chosenProductId, expiresAt },
    amount: row.amountSen,
    featureDuration: row.durationHours,
    state: isOver ? 'expired' : row.state,
    createdAt: row.openedAt,
  }
}

export function presentCaseToAdmin(row: CaseRow, nowMs: number): AdminBoostCase {
  const { user, note, refundedAt } = row
  return { ...presentCase(row, nowMs), user, note, refundedAt }
}

function formatDuration(hours: number): string {
  const [count, unit] = hours % DAY_HOURS === 0 ? [hours / DAY_HOURS, 'day'] : [hours, 'hour']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
