import type { Notice, NoticeKind } from '@wangian/contracts/notices.ts'
import type { PushMessage } from '@wangian/contracts/push.ts'
import { createBell, pause, untilTick } from '@wangian/kit/bell.ts'
import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { counter } from '@wangian/kit/service/metrics.ts'
import { Outage } from '@wangian/kit/service/outage.ts'
import { findNotices, lockNotices, type NoticeRow } from '../notices/notice-store.ts'
import { presentNotice } from '../notices/presenter.ts'
import { listStandings } from '../people-store.ts'
import type { Delivered, Delivery } from './push-delivery.ts'
import {
  deletePushSubscriptionsOfSessions,
  deletePushSubscriptionWithId,
  deleteSettledPushes,
  dropPush,
  listDueServices,
  putOffPush,
  settlePush,
  type TakenPush,
  takePushes,
} from './push-store.ts'

/** How long the sender waits for what; tests wait less. */
export const pushTimings = {
  pollMs: 1_000,
  /** Longer than a delivery may take: only a sender that has died loses what it took. */
  leaseMs: 60_000,
  /** After the first refusal; each further one waits four times as long. */
  retryDelayMs: 30_000,
  tidyIntervalMs: 60_000,
}

const AT_ONCE_MAX = 8
/** The last comes after three quarters of an hour. */
const TRIES_MAX = 5

/** What somebody has to do something about soon. */
const urgentKinds: ReadonlySet<NoticeKind> = new Set(['outbid', 'auction-ending', 'auction-won', 'message'])

export interface PushSender {
  /** This session has ended, and with it what is pushed to its browser. */
  sessionEnded(sessionId: string): void
  stop(): Promise<void>
}

interface SenderState {
  readonly pool: DatabasePool
  readonly deliver: (delivery: Delivery) => Promise<Delivered>
  readonly log: Logger
  readonly timings: typeof pushTimings
  readonly stopping: AbortSignal
}

/**
 * Pushes what is queued with the notices, at least once: a second time only when the sender dies between the service's yes and ours, and then under the
 * same tag. Each push service has a line of its own, so a slow one keeps nobody else's from their way. Any number of senders may run.
 */
export function startPushSender(options: {
  readonly pool: DatabasePool
  readonly deliver: (delivery: Delivery) => Promise<Delivered>
  readonly log: Logger
  readonly timings?: typeof pushTimings
}): PushSender {
  const { timings = pushTimings } = options
  const stop = new AbortController()
  const state: SenderState = { ...options, timings, stopping: stop.signal }
  const bell = createBell()
  const endedSessions = new Set<string>()
  const lines = new Map<string, Promise<void>>()
  const outage = new Outage(options.log, 'the database has nothing for us to push')

  async function look(): Promise<void> {
    await forgetSessions(state.pool, endedSessions)
    for (const service of await listDueServices(state.pool)) {
      if (lines.has(service)) continue
      const line = sendAll(state, service)
        .catch((error) => outage.note(error))
        .finally(() => lines.delete(service))
      lines.set(service, line)
    }
  }

  async function run(): Promise<void> {
    let tidiedAtMs = Number.NEGATIVE_INFINITY
    while (!stop.signal.aborted) {
      try {
        await look()
        if (performance.now() - tidiedAtMs > timings.tidyIntervalMs) {
          await deleteSettledPushes(state.pool)
          tidiedAtMs = performance.now()
        }
        outage.end()
      } catch (error) {
        outage.note(error)
      }
      await bell.wait(untilTick(timings.pollMs), stop.signal)
    }
  }
  const running = run()

  return {
    sessionEnded(sessionId) {
      endedSessions.add(sessionId)
      bell.ring()
    },
    async stop() {
      stop.abort()
      await running
      // What is on its way ends within seconds; what has not by then is taken again by the next sender.
      const isOver = new AbortController()
      await Promise.race([Promise.all(lines.values()), pause(STOP_TIMEOUT_MS, isOver.signal)])
      isOver.abort()
    },
  }
}

const STOP_TIMEOUT_MS = 3_000

/** One transaction at a time takes rows of several browsers, those who write notices included. */
function forget(pool: DatabasePool, work: (transaction: Transaction) => Promise<void>): Promise<void> {
  return pool.transaction(async (transaction) => {
    await lockNotices(transaction)
    await work(transaction)
  })
}

/** Takes out of `ended` what it has forgotten. */
export async function forgetSessions(pool: DatabasePool, ended: Set<string>): Promise<void> {
  if (ended.size === 0) return
  const sessionIds = [...ended]
  await forget(pool, (transaction) => deletePushSubscriptionsOfSessions(transaction, sessionIds))
  for (const sessionId of sessionIds) ended.delete(sessionId)
}

function forgetBrowser(pool: DatabasePool, { subscriptionId }: TakenPush): Promise<void> {
  return forget(pool, (transaction) => deletePushSubscriptionWithId(transaction, subscriptionId))
}

/** Everything that is due of one push service. */
async function sendAll(state: SenderState, service: string): Promise<void> {
  const { pool, timings, stopping } = state
  while (!stopping.aborted) {
    const taken = await takePushes(pool, { service, limit: AT_ONCE_MAX, leaseMs: timings.leaseMs })
    if (taken.length === 0) return
    const notices = await findNotices(
      pool,
      taken.map(({ noticeId }) => noticeId),
    )
    const absent = await absentOf(pool, taken)
    await Promise.all(
      taken.map((push) => {
        if (absent.has(push.userId)) return forgetBrowser(pool, push)
        const notice = notices.find(({ id }) => id === push.noticeId)
        // Read meanwhile, or replaced by what was told next, or of somebody who is blocked.
        if (notice === undefined || notice.isRead) return dropPush(pool, push)
        return send(state, service, push, notice)
      }),
    )
  }
}

/** Those who are banned or have left. Their sessions have ended, too; this is for the case that nobody heard of it. */
async function absentOf(pool: DatabasePool, taken: readonly TakenPush[]): Promise<ReadonlySet<number>> {
  const standings = await listStandings(pool, [...new Set(taken.map(({ userId }) => userId))])
  return new Set(standings.filter(({ isBanned, isClosed }) => isBanned || isClosed).map(({ userId }) => userId))
}

async function send(state: SenderState, service: string, push: TakenPush, row: NoticeRow): Promise<void> {
  const { pool, deliver, log, timings } = state
  const { endpoint, p256dh, auth, language, tries } = push
  const message: PushMessage = { language, notice: withoutPicture(presentNotice(row)) }
  try {
    const isUrgent = urgentKinds.has(row.kind)
    const outcome = await deliver({ endpoint, p256dh, auth, payload: JSON.stringify(message), key: row.key, isUrgent })
    pushes.inc({ service, outcome })
    if (outcome === 'gone') await forgetBrowser(pool, push)
    else await settlePush(pool, push)
  } catch (error) {
    const isLast = tries + 1 >= TRIES_MAX
    pushes.inc({ service, outcome: isLast ? 'given-up' : 'put-off' })
    // An endpoint is a secret, so nothing is said of whose it is.
    log.info({ err: error, service, tries: tries + 1 }, 'a notice could not be pushed')
    if (isLast) await dropPush(pool, push)
    else await putOffPush(pool, push, timings.retryDelayMs * 4 ** tries)
  }
}

/** Push services take 4 kB, and the address that a seller gives of a picture may be longer. No browser is shown one. */
function withoutPicture(notice: Notice): Notice {
  return { ...notice, product: notice.product && { ...notice.product, imageUrl: null } }
}

const pushes = counter({
  name: 'wangian_pushes_total',
  help: 'Notices handed to push services, by what became of them',
  labelNames: ['service', 'outcome'],
})
