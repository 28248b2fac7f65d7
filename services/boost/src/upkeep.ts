import { randomUUID } from 'node:crypto'
import { startExclusiveJob } from '@wangian/kit/database/exclusive-job.ts'
import type { Locks } from '@wangian/kit/database/exclusive-session.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { pastFailures } from '@wangian/kit/past-failures.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { listOverdue } from './orders/order-store.ts'
import { runOrder } from './orders/run-order.ts'
import { type DueBill, deleteChecks, listDueBills, setCheckFailed, setChecks } from './payment/payment-store.ts'
import { askIfPossible, type PaymentProvider } from './payment/provider.ts'
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
/** Nobody can pay a bill after that, so what is asked for in vain until then is left. */
const BILL_LIFE_MS = 30 * 24 * 60 * MINUTE_MS

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
 * Settles what was paid and never told, finds out how it was paid, and ends orders that nobody has paid in time. What was due while nobody was there is done now.
 * @returns how many orders have changed
 */
export async function keepUp(keeping: KeepingUp, nowMs: number): Promise<number> {
  const { pool, provider, signal } = keeping
  const found = provider === null ? 0 : await reconcile({ ...keeping, provider }, nowMs)
  let ended = 0
  const at = new Date(nowMs).toISOString()
  const expire = async (orderId: string) => {
    const cause = { actorId: null, correlationId: randomUUID(), causationId: null }
    const { events } = await runOrder(pool, orderId, { type: 'ExpireOrder', at }, cause)
    ended += events.length
  }
  await pastFailures(await listOverdue(pool, at, AT_ONCE_MAX), expire, signal)
  return found + ended
}

async function reconcile(
  { pool, provider, log, signal }: KeepingUp & { readonly provider: PaymentProvider },
  nowMs: number,
): Promise<number> {
  const before = (ms: number) => new Date(nowMs - ms).toISOString()
  const due = { untilByChecks: CHECK_AFTER_MS.map(before), failedUntil: before(RETRY_AFTER_MS), at: before(0) }
  let changed = 0
  let failuresInARow = 0
  for (const bill of await listDueBills(pool, due, AT_ONCE_MAX)) {
    if (signal?.aborted) break
    const { billId } = bill
    try {
      if (await check({ pool, provider, log }, bill, nowMs)) changed += 1
    } catch (error) {
      if (!(error instanceof Rejection)) {
        log.warn({ err: error, billId }, 'a bill could not be asked for')
        await setCheckFailed(pool, billId, new Date(nowMs).toISOString())
        failuresInARow += 1
        if (failuresInARow === FAILURES_IN_A_ROW_MAX) break
        continue
      }
    }
    failuresInARow = 0
    await setChecks(pool, billId, nowMs, CHECK_AFTER_MS)
  }
  const done = { checks: CHECK_AFTER_MS.length, failedOfUntil: before(BILL_LIFE_MS) }
  await deleteChecks(pool, done, CHECKS_DELETED_MAX)
  return changed
}

/** @returns whether its order has changed */
async function check(
  { pool, provider, log }: KeepingUp & { readonly provider: PaymentProvider },
  { billId, orderId, isPaid, isOver }: DueBill,
  nowMs: number,
): Promise<boolean> {
  const cause = { correlationId: randomUUID(), causationId: null }
  if (isPaid) {
    // When it was paid, the provider could not be asked, or did not know yet.
    const channel = await askIfPossible(log, provider, (asked) => asked.findChannel(billId))
    if (channel === null) return false
    const command = { type: 'RecordChannel', channel, at: new Date(nowMs).toISOString() } as const
    const { events } = await runOrder(pool, orderId, command, { ...cause, actorId: null })
    return events.length > 0
  }
  const notice = await provider.findBill(billId)
  if (notice?.isPaid) {
    return takeNotice({ pool, collectionId: provider.collectionId, log }, notice, { nowMs, ...cause })
  }
  // It could not be deleted when its order ended, or the order ends just now.
  if (isOver && notice !== null && !notice.isDeleted) await provider.deleteBill(billId)
  return false
}
