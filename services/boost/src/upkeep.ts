import { randomUUID } from 'node:crypto'
import { startExclusiveJob } from '@wangian/kit/database/exclusive-job.ts'
import type { Locks } from '@wangian/kit/database/exclusive-session.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { listOverdue } from './orders/order-store.ts'
import { runOrder } from './orders/run-order.ts'
import { deleteChecks, listDueBills, setCheckFailed, setChecks } from './payment/payment-store.ts'
import type { PaymentProvider } from './payment/provider.ts'
import { takeNotice } from './payment/settlement.ts'

const EVERY_MS = 10_000
/** Far below what the provider answers in five minutes. */
const AT_ONCE_MAX = 20
const MINUTE_MS = 60_000
/** More than a start can find due at once, less than others would wait for. */
const CHECKS_DELETED_MAX = 1_000
/** After so long the provider is asked for a bill of which it has not said that it is paid. */
const CHECK_AFTER_MS = [10 * MINUTE_MS, 60 * MINUTE_MS, 24 * 60 * MINUTE_MS]
/** The first may be a bill of which the provider cannot tell; after so many in a row the provider is away. */
const FAILURES_IN_A_ROW_MAX = 3
const RETRY_AFTER_MS = MINUTE_MS

interface KeepingUp {
  readonly pool: DatabasePool
  readonly provider: PaymentProvider | null
  readonly log: Logger
  /** Ends it after the bill or the order under way; what is left is done the next time. */
  readonly signal?: AbortSignal
}

/** Does {@link keepUp} again and again, in one process at a time. */
export function startUpkeep({
  locks,
  onAppended,
  ...keeping
}: KeepingUp & { readonly locks: Locks; readonly onAppended: () => void }): { stop(): Promise<void> } {
  return startExclusiveJob({
    locks,
    job: 'upkeep',
    everyMs: EVERY_MS,
    log: keeping.log,
    work: async (signal) => {
      if ((await keepUp({ ...keeping, signal }, Date.now())) > 0) onAppended()
    },
  })
}

/**
 * Settles what was paid and never told, and ends orders that nobody has paid in time. What was due while nobody was there is done now.
 * @returns how many orders have changed
 */
export async function keepUp(keeping: KeepingUp, nowMs: number): Promise<number> {
  const { pool, provider, signal } = keeping
  const settled = provider === null ? 0 : await reconcile({ ...keeping, provider }, nowMs)
  let ended = 0
  const at = new Date(nowMs).toISOString()
  for (const orderId of await listOverdue(pool, at, AT_ONCE_MAX)) {
    if (signal?.aborted) break
    const cause = { actorId: null, correlationId: randomUUID(), causationId: null }
    const { events } = await runOrder(pool, orderId, { type: 'ExpireOrder', at }, cause)
    ended += events.length
  }
  return settled + ended
}

async function reconcile(
  { pool, provider, log, signal }: KeepingUp & { readonly provider: PaymentProvider },
  nowMs: number,
): Promise<number> {
  const before = (ms: number) => new Date(nowMs - ms).toISOString()
  const due = { untilByChecks: CHECK_AFTER_MS.map(before), failedUntil: before(RETRY_AFTER_MS), at: before(0) }
  let settled = 0
  let failuresInARow = 0
  const bills = await listDueBills(pool, due, AT_ONCE_MAX)
  for (const { billId, isOver } of bills) {
    if (signal?.aborted) break
    try {
      const notice = await provider.findBill(billId)
      if (notice?.isPaid) {
        const settling = { pool, collectionId: provider.collectionId, log }
        const hasChanged = await takeNotice(settling, notice, { nowMs, correlationId: randomUUID(), causationId: null })
        if (hasChanged) settled += 1
      } else if (isOver && notice !== null && !notice.isDeleted) {
        // It could not be deleted when its order ended, or the order ends just now.
        await provider.deleteBill(billId)
      }
    } catch (error) {
      if (!(error instanceof Rejection)) {
        log.warn({ err: error, billId }, 'a bill could not be asked for')
        await setCheckFailed(pool, billId, new Date(nowMs).toISOString())
        failuresInARow += 1
        if (failuresInARow === FAILURES_IN_A_ROW_MAX) return settled
        continue
      }
    }
    failuresInARow = 0
    await setChecks(pool, billId, nowMs, CHECK_AFTER_MS)
  }
  if (bills.length > 0) await deleteChecks(pool, CHECK_AFTER_MS.length, CHECKS_DELETED_MAX)
  return settled
}
