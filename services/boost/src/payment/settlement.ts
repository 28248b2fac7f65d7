import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { counter } from '@wangian/kit/service/metrics.ts'
import { findOrderOfBill } from '../orders/order-store.ts'
import { type Cause, runOrder } from '../orders/run-order.ts'
import { type AlertKind, alertKinds, saveAlert } from './payment-store.ts'
import type { BillNotice } from './provider.ts'

export interface Settling {
  readonly pool: DatabasePool
  /** What our bills belong to. */
  readonly collectionId: string
  readonly log: Logger
}

const alerts = counter({
  name: 'wangian_boost_payment_alerts_total',
  help: 'What the payment provider has signed and fits no order',
  labelNames: ['kind'],
  known: alertKinds.map((kind) => ({ kind })),
})

const payments = counter({
  name: 'wangian_boost_payments_total',
  help: 'Bills that have changed their order: paid, or failed',
  labelNames: ['result'],
  known: [{ result: 'paid' }, { result: 'failed' }],
})

/**
 * Takes what the provider says of a bill: one that is paid settles its order, once; one that failed frees its products, and one that is
 * not decided changes nothing. Nobody is asked.
 * @returns whether anything changed
 * @throws Rejection('payment-mismatch') when it fits no order; somebody has to look at that
 */
export async function takeNotice(
  { pool, collectionId, log }: Settling,
  notice: BillNotice,
  { nowMs, ...cause }: Omit<Cause, 'actorId'> & { readonly nowMs: number },
): Promise<boolean> {
  const alert = async (kind: AlertKind): Promise<never> => {
    alerts.inc({ kind })
    log.error(
      { kind, billId: notice.billId, paidSen: notice.paidSen },
      'a payment fits no order: somebody has to look at it',
    )
    await saveAlert(pool, kind, notice)
    throw new Rejection('payment-mismatch')
  }
  if (notice.isUnreadable) return alert('unreadable')
  if (notice.collectionId !== collectionId) return alert('wrong-collection')
  const orderId = await findOrderOfBill(pool, notice.billId)
  if (orderId === null) return alert('unknown-bill')
  if (!notice.isPaid && notice.isUndecided) return false
  const at = new Date(nowMs).toISOString()
  const { billId, paidSen, transactionId } = notice
  const command = notice.isPaid
    ? ({ type: 'SettleOrder', billId, paidSen, transactionId, paidAt: notice.paidAt ?? at, at } as const)
    : ({ type: 'DeclineOrder', at } as const)
  try {
    const { events } = await runOrder(pool, orderId, command, { ...cause, actorId: null })
    if (events.length > 0) payments.inc({ result: notice.isPaid ? 'paid' : 'failed' })
    return events.length > 0
  } catch (error) {
    if (error instanceof Rejection && error.code === 'payment-mismatch') return alert('wrong-amount')
    throw error
  }
}
