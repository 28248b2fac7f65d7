import { type Bell, createBell, untilTick } from '../bell.ts'
import type { DatabasePool, Executor } from '../database/postgres.ts'
import { invariant } from '../invariant.ts'
import { newEventId } from '../log/event-store.ts'
import { type Logger, silentLogger } from '../service/logger.ts'
import { counter, gauge } from '../service/metrics.ts'
import { createDelivery, failureOf } from './mail-delivery.ts'
import {
  countMails,
  deleteMail,
  insertMail,
  parkMail,
  purgeParkedMails,
  putOffMail,
  type TakenMail,
  takeMails,
} from './mail-store.ts'
import { oneLine } from './mail-text.ts'

export interface Mail {
  /** One address and nothing else. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** What mail it is, e.g. `verify-email`: for logs and metrics, which never say to whom. */
  readonly kind: string
  /** Whose mail it is, for their erasure. */
  readonly personId?: number
}

export interface MailSender {
  /** There may be something new: look now instead of at the next poll. */
  nudge(): void
  /** Finishes what it is sending, within seconds. */
  stop(): Promise<void>
}

/** How long the sender waits for what; tests wait less. */
export const mailTimings = {
  pollMs: 1_000,
  connectTimeoutMs: 5_000,
  /** How long the server may say nothing. */
  silenceTimeoutMs: 10_000,
  sendTimeoutMs: 20_000,
  /** Longer than a send may take: only a sender that has died loses what it took. */
  leaseMs: 30_000,
  stopTimeoutMs: 3_000,
  /** After the first refusal of one mail; each further one waits twice as long. */
  retryDelayMinMs: 30_000,
  retryDelayMaxMs: 3_600_000,
  /** While the server is away; short, for somebody waits for a code. */
  outageDelayMinMs: 1_000,
  outageDelayMaxMs: 30_000,
  /** After which a mail is given up. */
  retriesDurationMs: 24 * 3_600_000,
  tidyIntervalMs: 10_000,
}
const SENDS_MAX = 4
const PARKED_DAYS = 7

/**
 * Queues a mail in the caller's transaction: it is sent when that has committed, and only then. An append comes before it, as
 * before every write.
 */
export async function queueMail(transaction: Executor, mail: Mail): Promise<void> {
  invariant(/^[^\s@<>,;:"\\()[\]]+@[^\s@<>,;:"\\()[\]]+$/.test(mail.to), 'a mail goes to one plain address')
  invariant(/^[a-z][a-z0-9-]*$/.test(mail.kind), 'a kind of mail is a name such as verify-email')
  await insertMail(transaction, {
    id: newEventId(),
    kind: mail.kind,
    personId: mail.personId ?? null,
    recipient: mail.to,
    subject: oneLine(mail.subject),
    text: mail.text,
    html: mail.html,
  })
}

/**
 * Sends what is queued in the schema's `mails`, by SMTP. Any number of senders may run. A mail goes out at least once, and normally
 * exactly once: a second time only when a sender dies between the server's yes and the deletion of the row, and then with the same
 * Message-ID. While the server is away mails wait; one that is refused for now is tried again for a day; one that is refused for good
 * is parked.
 * @param options.smtpUrl `smtp://host:port` or `smtps://user:password@host`; without one mails wait until there is one
 * @param options.from what mails come from, e.g. `Wangian <no-reply@wangian.test>`
 */
export function startMailSender(options: {
  readonly pool: DatabasePool
  readonly smtpUrl: string | undefined
  readonly from: string
  readonly log?: Logger
  readonly timings?: typeof mailTimings
}): MailSender {
  const { pool, smtpUrl, from, log = silentLogger, timings = mailTimings } = options
  if (smtpUrl === undefined) {
    log.warn('SMTP_URL is not set: mails wait until it is')
    return { nudge: () => {}, stop: async () => {} }
  }
  const bell = createBell()
  const stopping = new AbortController()
  const giveUp = new AbortController()
  const deliver = createDelivery({ smtpUrl, from, timings, giveUp: giveUp.signal })
  const state: SenderState = {
    pool,
    bell,
    log,
    timings,
    deliver,
    givenUp: giveUp.signal,
    taken: new Set(),
    failures: 0,
  }
  const running = run(state, stopping.signal)
  return {
    nudge: () => bell.ring(),
    async stop() {
      stopping.abort()
      const timer = setTimeout(() => giveUp.abort(), timings.stopTimeoutMs)
      await running
      clearTimeout(timer)
    },
  }
}

interface SenderState {
  readonly pool: DatabasePool
  readonly bell: Bell
  readonly log: Logger
  readonly timings: typeof mailTimings
  readonly deliver: (mail: TakenMail) => Promise<void>
  /** Aborted when stopping has waited long enough for what is being sent. */
  readonly givenUp: AbortSignal
  /** What the server took and the database still has: it must not be sent again. */
  readonly taken: Set<string>
  /** How often in a row the server could not be used. */
  failures: number
}

async function run(state: SenderState, stopping: AbortSignal): Promise<void> {
  const { bell, log, timings } = state
  let isDatabaseLost = false
  let tidiedAtMs = Number.NEGATIVE_INFINITY
  while (!stopping.aborted) {
    try {
      if (performance.now() - tidiedAtMs > timings.tidyIntervalMs) {
        await tidy(state)
        tidiedAtMs = performance.now()
      }
      const waitMs = await sendSome(state)
      isDatabaseLost = false
      if (waitMs > 0) await bell.wait(waitMs, stopping)
    } catch (error) {
      if (!isDatabaseLost) log.warn({ err: error }, 'the database has no mails for us, they wait')
      isDatabaseLost = true
      await bell.wait(timings.pollMs, stopping)
    }
  }
}

/** @returns how long to wait before the next look */
async function sendSome(state: SenderState): Promise<number> {
  const { pool, timings } = state
  await forgetTaken(state)
  const failuresBefore = state.failures
  // One is enough to find out whether the server is back.
  const limit = failuresBefore > 0 ? 1 : SENDS_MAX
  const mails = await takeMails(pool, limit, timings.leaseMs)
  const outcomes = await Promise.allSettled(mails.map((mail) => send(state, mail)))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  if (state.failures > failuresBefore) return outageDelayMs(state)
  return mails.length < limit ? untilTick(timings.pollMs) : 0
}

async function send(state: SenderState, mail: TakenMail): Promise<void> {
  const { log, taken } = state
  try {
    await state.deliver(mail)
  } catch (error) {
    await putAside(state, mail, error)
    return
  }
  taken.add(mail.id)
  metrics.sent.inc({ kind: mail.kind })
  if (state.failures > 0) log.info('the mail server takes mails again')
  state.failures = 0
  await forgetTaken(state)
}

async function forgetTaken({ pool, taken }: SenderState): Promise<void> {
  for (const id of taken) {
    await deleteMail(pool, id)
    taken.delete(id)
  }
}

async function putAside(state: SenderState, mail: TakenMail, error: unknown): Promise<void> {
  const { pool, log, timings } = state
  const { id, kind } = mail
  if (state.givenUp.aborted) return putOffMail(pool, { id, error: null, isTry: false, delayMs: 0 })

  const { fault, facts, reason } = failureOf(error)
  metrics.failed.inc({ kind })
  if (fault === 'server') {
    state.failures += 1
    // Once per outage; the tries until it is over say nothing new.
    if (state.failures === 1) log.warn(facts, 'the mail server cannot be used, mails wait')
  }
  const isTooOld = Date.now() - Date.parse(mail.queued_at) > timings.retriesDurationMs
  if (fault === 'refused' || isTooOld) {
    metrics.parked.inc({ kind })
    log.error({ mailId: id, kind, ...facts }, 'a mail could not be sent, it is parked')
    await parkMail(pool, { id, error: reason })
    return
  }
  const delayMs =
    fault === 'server'
      ? outageDelayMs(state)
      : Math.min(timings.retryDelayMinMs * 2 ** mail.tries, timings.retryDelayMaxMs)
  await putOffMail(pool, { id, error: reason, isTry: fault === 'mail', delayMs })
}

function outageDelayMs({ failures, timings }: SenderState): number {
  return Math.min(timings.outageDelayMinMs * 2 ** (failures - 1), timings.outageDelayMaxMs)
}

async function tidy({ pool }: SenderState): Promise<void> {
  await purgeParkedMails(pool, PARKED_DAYS)
  const { waiting, parked } = await countMails(pool)
  metrics.mails.set({ state: 'queued' }, waiting)
  metrics.mails.set({ state: 'parked' }, parked)
}

const metrics = {
  sent: counter({ name: 'wangian_mails_sent_total', help: 'Mails the server took', labelNames: ['kind'] }),
  failed: counter({ name: 'wangian_mails_failed_total', help: 'Tries to send that failed', labelNames: ['kind'] }),
  parked: counter({ name: 'wangian_mails_parked_total', help: 'Mails that were given up', labelNames: ['kind'] }),
  mails: gauge({ name: 'wangian_mails', help: 'Mails that are queued, and parked ones', labelNames: ['state'] }),
}
