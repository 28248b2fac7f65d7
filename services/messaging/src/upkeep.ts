import { startExclusiveJob } from '@wangian/kit/database/exclusive-job.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import type { ServiceContext } from '@wangian/kit/service/start-service.ts'
import type { Config } from './config.ts'
import { discardTexts } from './conversations/erased-texts.ts'
import { sendReminders } from './deals/reminders.ts'
import { type Attachments, discardUnsent, openAttachments } from './files/file-routes.ts'
import { goOnTelling } from './notices/announcements.ts'
import { tellOfEnding } from './notices/ending.ts'
import { createTeller, discardOldNotices, type Teller } from './notices/teller.ts'
import { forgetEndedSessions } from './push/ended-sessions.ts'

const EVERY_MS = 60_000
/** How late those hear of something who are not among the first that are told. */
const TELL_EVERY_MS = 2_000
const ASK_FOR_SESSIONS_EVERY_MS = 60 * 60_000

/**
 * Does {@link keepUp} at once and then every minute, tells many people what is announced, and forgets the browsers of ended sessions, in one process at a
 * time, and opens what it and the routes keep files in.
 */
export function startUpkeep(context: ServiceContext<Config>): {
  readonly attachments: Attachments
  stop(): Promise<void>
} {
  const { locks, pool, nats, onAppended, log } = context
  const attachments = openAttachments(context)
  const teller = createTeller(nats)
  const job = startExclusiveJob({
    locks,
    job: 'upkeep',
    everyMs: EVERY_MS,
    log,
    work: async (signal) => {
      if ((await keepUp({ pool, attachments, teller, log, signal }, Date.now())) > 0) onAppended()
    },
  })
  const telling = startExclusiveJob({
    locks,
    job: 'announcements',
    everyMs: TELL_EVERY_MS,
    log,
    work: (signal) => goOnTelling({ pool, nats, tell: teller.tell, signal }),
  })
  const forgetting = startExclusiveJob({
    locks,
    job: 'ended sessions',
    everyMs: ASK_FOR_SESSIONS_EVERY_MS,
    log,
    work: async () => {
      try {
        await forgetEndedSessions({ pool, nats })
        return undefined
      } catch (error) {
        // Identity may be started a moment after us.
        log.warn({ err: error }, 'cannot ask which sessions have ended')
        return EVERY_MS
      }
    },
  })
  return {
    attachments,
    async stop() {
      await Promise.all([job.stop(), telling.stop(), forgetting.stop()])
    },
  }
}

/**
 * Reminds of deals, tells of auctions that are about to end, and removes the texts and files that a crash or an erasure has left and notices that are old. What fails is logged and done the next time.
 * @returns how many reminders were sent
 */
export async function keepUp(
  {
    pool,
    attachments,
    teller,
    log,
    signal,
  }: {
    readonly pool: DatabasePool
    readonly attachments: Attachments
    readonly teller: Teller
    readonly log: Logger
    /** Ends what may take long between two statements; what is left is done the next time. */
    readonly signal?: AbortSignal
  },
  nowMs: number,
): Promise<number> {
  const later = (task: string) => (error: unknown) => {
    log.warn({ err: error, task }, 'a task is left for the next time')
    return 0
  }
  const sent = await sendReminders(pool, nowMs).catch(later('reminders'))
  await tellOfEnding(pool, teller, nowMs).catch(later('endings'))
  // The files of what nobody can read any more go with the others.
  await discardTexts(pool, signal).catch(later('texts'))
  await discardUnsent({ pool, attachments, signal }).catch(later('files'))
  await discardOldNotices(pool, nowMs, signal).catch(later('notices'))
  return sent
}
