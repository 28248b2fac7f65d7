import type { BoostPackage } from '@wangian/contracts/boost.ts'
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

function formatDuration(hours: number): string {
  const [count, unit] = hours % DAY_HOURS === 0 ? [hours / DAY_HOURS, 'day'] : [hours, 'hour']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
