import type { Order, OrderStatus } from '@wangian/contracts/messaging.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { Status } from '../../ui/Status.tsx'
import type { Side } from './orders.ts'

const tones = {
  pending: 'warn',
  processing: 'ok',
  shipped: 'ok',
  delivered: 'ok',
  cancelled: 'live',
} as const satisfies Record<OrderStatus, string>

/** How an order stands, as a word. */
export function OrderStanding({ order: { status } }: { order: Order }) {
  const { t } = useTranslation()
  return <Status tone={tones[status]}>{t(`orders.states.${status}`)}</Status>
}

/** What comes next and who does it, or how it ended. */
export function useNextStep({ waiting, rating, buyer, seller }: Order, side: Side): string | null {
  const { t } = useTranslation()
  if (waiting === null) return rating === null ? null : t('orders.reviewed', { rating })
  const other = side === 'bought' ? seller : buyer
  if (isWaitingFor(waiting, side)) return t(`orders.mine.${waiting.actionType}`)
  return t(`orders.theirs.${waiting.actionType}`, { name: other.username ?? t('person.deleted') })
}

export function isWaitingFor(waiting: Order['waiting'], side: Side): boolean {
  return waiting?.for === (side === 'bought' ? 'buyer' : 'seller')
}
