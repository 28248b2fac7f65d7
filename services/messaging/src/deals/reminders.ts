import { randomUUID } from 'node:crypto'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { continueDeal } from './commands.ts'
import { findDeal, listDueReminders } from './deal-store.ts'
import { remindAfterHours } from './domain.ts'

const DUE_AT_ONCE_MAX = 200

/** Reminds whoever is waited for. What was due while nobody was there is sent now. @returns how many were sent */
export async function sendReminders(pool: DatabasePool, nowMs: number): Promise<number> {
  const due = await listDueReminders(pool, { nowMs, afterHours: remindAfterHours, limit: DUE_AT_ONCE_MAX })
  let sent = 0
  for (const { transactionId, step, reminder } of due) {
    const parties = await findDeal(pool, transactionId)
    if (parties === null) continue
    const command = { type: 'RemindDeal', step, reminder, at: new Date(nowMs).toISOString() } as const
    const asked = { transactionId, parties, command }
    const metadata = { actorId: null, correlationId: randomUUID(), causationId: null }
    const events = await pool.transaction((transaction) => continueDeal(transaction, asked, metadata))
    sent += events.length
  }
  return sent
}
