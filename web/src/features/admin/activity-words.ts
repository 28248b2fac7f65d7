import type { AdminActivity } from '@wangian/contracts/admin.ts'
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
    return { field: fieldName(name, t), before: valueWords(before[name], t), after: valueWords(after[name], t) }
  })
}

const fields = ['isBanned', 'isAdmin', 'hasSecondFactor', 'status', 'state', 'decision'] as const

function fieldName(name: string, t: Translate): string {
  const known = fields.find((each) => each === name)
  return known ? t(`admin.fields.${known}`) : name
}

function valueWords(value: AdminActivity['before'][string] | undefined, t: Translate): string {
  if (value === undefined || value === null) return t('admin.none')
  if (typeof value === 'boolean') return t(value ? 'admin.yes' : 'admin.no')
  return String(value)
}
