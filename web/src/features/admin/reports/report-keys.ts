import type { AdminReport, ReportDecision } from '@wangian/contracts/reports.ts'
import { paths } from '../../../paths.ts'

/** What a key does on a report. */
export type Step =
  | { readonly kind: 'go'; readonly id: number }
  | { readonly kind: 'decide'; readonly decision: ReportDecision }
  | { readonly kind: 'open' }

/** The keys of the queue, as they are listed. */
export const keysOf = {
  next: ['J', '↓'],
  previous: ['K', '↑'],
  uphold: ['U'],
  dismiss: ['D'],
  open: ['Enter'],
} as const

/** What `key` does on one of the reports `ids`, `null` for a key that does nothing. */
export function stepOf(
  key: string,
  ids: readonly number[],
  { id, status }: Pick<AdminReport, 'id' | 'status'>,
): Step | null {
  const place = ids.indexOf(id)
  const go = (to: number | undefined): Step => ({ kind: 'go', id: to ?? id })
  switch (key.length === 1 ? key.toLowerCase() : key) {
    case 'j':
    case 'ArrowDown':
      return go(ids[place + 1])
    case 'k':
    case 'ArrowUp':
      return go(ids[place - 1])
    case 'u':
      return status === 'open' ? { kind: 'decide', decision: 'upheld' } : null
    case 'd':
      return status === 'open' ? { kind: 'decide', decision: 'dismissed' } : null
    case 'Enter':
      return { kind: 'open' }
    default:
      return null
  }
}

/** Where what is reported can be looked at: a message at its sender, a review at its order. */
export function reportedPath({
  kind,
  targetId,
  reported,
}: Pick<AdminReport, 'kind' | 'targetId' | 'reported'>): string {
  switch (kind) {
    case 'listing':
      return paths.adminListing(targetId)
    case 'review':
      return paths.adminOrder(targetId)
    case 'person':
    case 'message':
      return paths.adminUser(reported.id)
    default: {
      const unknown: never = kind
      return unknown
    }
  }
}
