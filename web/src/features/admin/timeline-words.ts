import { AdminAction, type TimelineEntry } from '@wangian/contracts/admin.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import { i18n } from '../../i18n/i18n.ts'
import type { Translate } from '../../i18n/translate.ts'
import { formatDateTime } from '../../lib/date-time.ts'
import { statusWords } from './activity-words.ts'

type NameOf = (id: number) => string | null

/** What has happened, as a sentence. `nameOf` says what somebody is called, `null` where that is not known. */
export function sentenceOf({ type, data }: TimelineEntry, nameOf: NameOf, t: Translate): string {
  // What tells events of one type apart.
  const kind = data['step'] ?? data['by'] ?? data['reason']
  const key = [`${type} ${String(kind)}`, type].find((each) => i18n.exists(`admin.timeline.${each}`))
  if (key === undefined) return humanised(type)
  // Which facts a sentence names is its own to say: they are not known to the types.
  const say = t as unknown as (key: string, facts: Readonly<Record<string, string>>) => string
  return say(`admin.timeline.${key}`, factsOf(data, nameOf, t))
}

/** Their reason is one of a few codes, of which their sentences are made. */
const codedTypes: ReadonlySet<string> = new Set(['ListingReleased', 'ListingReturned'])

/** Why it was done, in somebody's words; a code is none. */
export function reasonIn({ type, data }: TimelineEntry): string | null {
  if (codedTypes.has(type)) return null
  const admin = data['admin']
  const given = typeof admin === 'object' && admin !== null && 'reason' in admin ? admin.reason : data['reason']
  return typeof given === 'string' && given !== '' ? given : null
}

/** The facts of an event as sentences name them: `amountSen` as `amount`, and whose `buyerId` it is as `buyer`. */
function factsOf(data: TimelineEntry['data'], nameOf: NameOf, t: Translate): Record<string, string> {
  const facts: Record<string, string> = {}
  for (const [field, value] of Object.entries(data)) {
    if (typeof value === 'number' && field.endsWith('Id')) {
      facts[field.slice(0, -2)] = nameOf(value) ?? t('admin.timelineUser', { id: value })
    }
    if (typeof value === 'number' && /^(amount|total|price)Sen$/.test(field)) {
      facts['amount'] = formatRinggit(ringgitFromSen(value))
    }
    if (typeof value === 'number') facts[field] = String(value)
    // By its field, as a seller may name a listing like one, or nearly so.
    if (typeof value === 'string') facts[field] = /(At|Until)$/.test(field) ? formatDateTime(value) : value
  }
  if (typeof data['status'] === 'string') facts['status'] = statusWords(data['status'], t).toLowerCase()
  const action = AdminAction.safeParse(data['action']).data
  return { ...facts, actionTaken: action ? t(`admin.action.${action}`).toLowerCase() : '' }
}

/** `StockLow` as `Stock low`: for what is newer than these words. */
function humanised(type: string): string {
  return type.replace(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
}
