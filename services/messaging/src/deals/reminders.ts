import { randomUUID } from 'node:crypto'
import { createBell } from '@wangian/kit/bell.ts'
import { keepExclusiveSession } from '@wangian/kit/database/exclusive-session.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { type Logger, silentLogger } from '@wangian/kit/service/logger.ts'
import { nextMessageId } from '../store.ts'
import { continueDeal } from './commands.ts'
import { findDeal, listDueReminders } from './deal-store.ts'
import { remindAfterHours } from './domain.ts'

const LOOK_EVERY_MS = 60_000
const DUE_AT_ONCE_MAX = 200

interface Reminding {
  readonly pool: DatabasePool
  /** Called after something was appended to the log. */
  readonly onAppended: () => void
  readonly log?: Logger
}

/** Reminds whoever is waited for, in one process at a time. What was due while nobody was there is sent at the start. */
export function startReminders({
  databaseUrl,
  log = silentLogger,
  ...reminding
}: Reminding & { readonly databaseUrl: string }): { stop(): Promise<void> } {
  const bell = createBell()
  return keepExclusiveSession({
    url: databaseUrl,
    lock: 'deal-reminders',
    applicationName: 'messaging-deal-reminders',
    log,
    work: async ({ signal }) => {
      while (!signal.aborted) {
        await sendReminders(reminding, Date.now()).catch((error: unknown) =>
          log.warn({ err: error }, 'cannot remind of deals, trying again'),
        )
        await bell.wait(LOOK_EVERY_MS, signal)
      }
    },
  })
}

/** @returns how many were sent */
export async function sendReminders({ pool, onAppended }: Reminding, nowMs: number): Promise<number> {
  const due = await listDueReminders(pool, { nowMs, afterHours: remindAfterHours, limit: DUE_AT_ONCE_MAX })
  let sent = 0
  for (const { transactionId, step, reminder } of due) {
    const parties = await findDeal(pool, transactionId)
    if (parties === null) continue
    const command = { type: 'RemindDeal', step, reminder, at: new Date(nowMs).toISOString() } as const
    const asked = { transactionId, parties, command, messageId: await nextMessageId(pool) }
    const metadata = { actorId: null, correlationId: randomUUID(), causationId: null }
    const events = await pool.transaction((transaction) => continueDeal(transaction, asked, metadata))
    sent += events.length
  }
  if (sent > 0) onAppended()
  return sent
}
