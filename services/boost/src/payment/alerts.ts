import type { BoostEvent } from '@wangian/contracts/events/boost.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import type { Decider } from '@wangian/kit/log/decider.ts'
import type { Asking, Ordering } from '../orders/ordering.ts'
import { type AlertRow, findAlert, setAlertClosed } from './payment-store.ts'

type Closed = Extract<BoostEvent, { type: 'PaymentAlertClosed' }>

/** An alert is closed once; whoever is second finds it closed. */
const alertDecider: Decider<'open' | 'closed', Closed, Closed> = {
  service: 'boost',
  initialState: 'open',
  decide: (closed, state) => (state === 'open' ? [closed] : []),
  evolve: () => 'closed',
}

/**
 * Notes how an administrator has dealt with a payment that fits no order, once.
 * @throws Rejection('not-found')
 */
export async function closeAlert(
  { pool, onAppended }: Pick<Ordering, 'pool' | 'onAppended'>,
  { alertId, reason }: { readonly alertId: number; readonly reason: string },
  { userId: actorId, requestId: correlationId, nowMs }: Asking,
): Promise<AlertRow> {
  if ((await findAlert(pool, alertId)) === null) throw new Rejection('not-found')
  const { events } = await runCommand({
    pool,
    decider: alertDecider,
    stream: `payment-alert-${alertId}`,
    command: { type: 'PaymentAlertClosed', data: { alertId, reason, closedAt: new Date(nowMs).toISOString() } },
    metadata: { actorId, correlationId, causationId: null, commandId: null },
    project: async (transaction, closed) => {
      for (const { data, metadata } of closed)
        await setAlertClosed(transaction, { ...data, closedBy: metadata.actorId })
    },
  })
  if (events.length > 0) onAppended()
  const alert = await findAlert(pool, alertId)
  if (alert === null) throw new Rejection('not-found')
  return alert
}
