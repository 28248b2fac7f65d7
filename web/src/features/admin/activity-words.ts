import type { AdminActivity } from '@wangian/contracts/admin.ts'
import { OrderStatus } from '@wangian/contracts/messaging.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import { ReportStatus } from '@wangian/contracts/reports.ts'
import type { Translate } from '../../i18n/translate.ts'
import { paths } from '../../paths.ts'

/** What an administrator has acted on, in words. */
export function targetName({ kind, id, name }: AdminActivity['target'], t: Translate): string {
  return name ?? t(`admin.target.${kind}`, { id })
}

/** Where all that is known of it is. */
export function targetPath({ kind, id }: AdminActivity['target']): string {
  switch (kind) {
    case 'user':
      return paths.adminUser(Number(id))
    case 'order':
      return paths.adminOrder(Number(id))
    case 'listing':
      return paths.adminListing(Number(id))
    case 'report':
      return paths.adminDashboard('reports')
    case 'case':
    case 'payment-alert':
      return paths.adminDashboard('payments')
    case 'event':
      return paths.adminDashboard('system')
    default: {
      const unknown: never = kind
      return unknown
    }
  }
}

/** A field that was changed, as it was and is. */
export interface Change {
  readonly field: string
  readonly before: string
  readonly after: string
}

/** What was changed, in words; what has stayed is left out. */
export function changesOf({ before, after }: Pick<AdminActivity, 'before' | 'after'>, t: Translate): Change[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    if (before[name] === after[name]) return []
    const wordsOf = (facts: AdminActivity['before']) => valueWords(name, facts[name], t)
    return { field: fieldName(name, t), before: wordsOf(before), after: wordsOf(after) }
  })
}

/** How an order or a report stands, in words; what is neither as it is. */
export function statusWords(status: string, t: Translate): string {
  const order = OrderStatus.safeParse(status).data
  if (order) return t(`admin.orderStatus.${order}`)
  const report = ReportStatus.safeParse(status).data
  return report ? t(`admin.reports.states.${report}`) : status
}

const fields = [
  'isBanned',
  'isAdmin',
  'hasSecondFactor',
  'isRemoved',
  'isRefunded',
  'isOpen',
  'amountSen',
  'status',
  'state',
  'decision',
] as const

function fieldName(name: string, t: Translate): string {
  const known = fields.find((each) => each === name)
  return known ? t(`admin.fields.${known}`) : name
}

function valueWords(name: string, value: AdminActivity['before'][string] | undefined, t: Translate): string {
  if (value === undefined || value === null) return t('admin.none')
  if (typeof value === 'boolean') return t(value ? 'admin.yes' : 'admin.no')
  if (typeof value === 'number') return name === 'amountSen' ? formatRinggit(ringgitFromSen(value)) : String(value)
  return name === 'status' ? statusWords(value, t) : value
}
