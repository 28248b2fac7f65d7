import { randomUUID } from 'node:crypto'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { remindOf } from './commands.ts'
import { listDueReminders } from './deal-store.ts'
import { remindAfterHours } from './domain.ts'

const DUE_AT_ONCE_MAX = 200
/** In one transaction, for whose time the people of these deals cannot write to each other. */
const TOGETHER_MAX = 20

/** Reminds whoever is waited for. What was due while nobody was there is sent now. @returns how many were sent */
export async function sendReminders(pool: DatabasePool, nowMs: number): Promise<number> {
  const due = await listDueReminders(pool, { nowMs, afterHours: remindAfterHours, limit: DUE_AT_ONCE_MAX })
  const at = new Date(nowMs).toISOString()
  let sent = 0
  for (let index = 0; index < due.length; index += TOGETHER_MAX) {
    const together = due.slice(index, index + TOGETHER_MAX)
    const metadata = { actorId: null, correlationId: randomUUID(), causationId: null }
    sent += await pool.transaction((transaction) => remindOf(transaction, together, at, metadata))
  }
  return sent
}
