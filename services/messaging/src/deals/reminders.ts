import { randomUUID } from 'node:crypto'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { isUnavailability } from '@wangian/kit/errors.ts'
import { remindOf } from './commands.ts'
import { type DueRow, listDueReminders } from './deal-store.ts'
import { remindAfterHours } from './domain.ts'

const DUE_AT_ONCE_MAX = 200
/** In one transaction, for whose time the people of these deals cannot write to each other. */
const TOGETHER_MAX = 20

/**
 * Reminds whoever is waited for. What was due while nobody was there is sent now.
 * @returns how many were sent
 * @throws what went wrong with one of them, when the others are sent
 */
export async function sendReminders(pool: DatabasePool, nowMs: number): Promise<number> {
  const at = new Date(nowMs).toISOString()
  let sent = 0
  const failures: unknown[] = []
  async function remind(together: readonly DueRow[]): Promise<void> {
    const metadata = { actorId: null, correlationId: randomUUID(), causationId: null }
    try {
      sent += await pool.transaction((transaction) => remindOf(transaction, together, at, metadata))
    } catch (error) {
      if (isUnavailability(error)) throw error
      // One of them is at fault: each for itself shows which.
      if (together.length === 1) failures.push(error)
      else for (const one of together) await remind([one])
    }
  }
  const due = await listDueReminders(pool, { nowMs, afterHours: remindAfterHours, limit: DUE_AT_ONCE_MAX })
  for (let index = 0; index < due.length; index += TOGETHER_MAX) await remind(due.slice(index, index + TOGETHER_MAX))
  if (failures.length > 0) throw failures[0]
  return sent
}
