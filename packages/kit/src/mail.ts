import { createTransport } from 'nodemailer'
import { type Bell, createBell } from './bell.ts'
import { newEventId } from './event-store.ts'
import { invariant } from './invariant.ts'
import { type Logger, silentLogger } from './log.ts'
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
import { counter, gauge } from './metrics.ts'
import type { DatabasePool, Executor } from './postgres.ts'

export interface Mail {
  /** One address and nothing else. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** What mail it is, e.g. `verify-email`: for logs and metrics, which never say to whom. */
  readonly kind: string
  readonly personId?: number
}

export interface MailSender {
  /** There may be something new: look now instead of at the next poll. */
  nudge(): void
  /** Finishes what it is sending, within seconds. */
  stop(): Promise<void>
}

const POLL_MS = 1_000
const SENDS_MAX = 4
const CONNECT_TIMEOUT_MS = 5_000
const SILENCE_TIMEOUT_MS = 10_000
const SEND_TIMEOUT_MS = 20_000
/** Longer than a send may take: only a sender that has died loses what it took. */
const LEASE_MS = 30_000
const STOP_TIMEOUT_MS = 3_000
/** After the first failure of one mail; each further one waits twice as long. */
const RETRY_DELAY_MIN_MS = 30_000
const RETRY_DELAY_MAX_MS = 3_600_000
/** While the mail server is away; short, for somebody waits for a code. */
const OUTAGE_DELAY_MIN_MS = 1_000
const OUTAGE_DELAY_MAX_MS = 30_000
const RETRIES_DURATION_MS = 24 * 3_600_000
const PARKED_DAYS = 7
const HOUSEKEEPING_INTERVAL_MS = 10_000
const ERROR_LENGTH_MAX = 500

/**
 * Queues a mail in the caller's transaction: it is sent when that commits, and only then.
 * An append must come before it, as before every write.
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
 * Sends what is queued in the schema's `mails`, by SMTP. Any number of senders may run; a mail goes out at least once, and
 * normally exactly once: again only when a sender dies between the server's yes and the deletion of the row, and then
 * with the same Message-ID. While the mail server is away mails wait.
 * @param options.smtpUrl `smtp://host:port` or `smtps://user:password@host`; without one mails wait until there is one
 * @param options.from what mails come from, e.g. `Wangian <no-reply@wangian.test>`
 */
export function startMailSender(options: {
  readonly pool: DatabasePool
  readonly smtpUrl: string | undefined
  readonly from: string
  readonly log?: Logger
}): MailSender {
  const { pool, smtpUrl, from, log = silentLogger } = options
  if (smtpUrl === undefined) {
    log.warn('SMTP_URL is not set: mails wait until it is')
    return { nudge: () => {}, stop: async () => {} }
  }
  const bell = createBell()
  const stopping = new AbortController()
  const giveUp = new AbortController()
  const state: SenderState = {
    pool,
    bell,
    log,
    deliver: deliverer(smtpUrl, from, giveUp.signal),
    givenUp: giveUp.signal,
    failures: 0,
  }
  const running = run(state, stopping.signal)
  return {
    nudge: () => bell.ring(),
    async stop() {
      stopping.abort()
      const timer = setTimeout(() => giveUp.abort(), STOP_TIMEOUT_MS)
      await running
      clearTimeout(timer)
    },
  }
}

interface SenderState {
  readonly pool: DatabasePool
  readonly bell: Bell
  readonly log: Logger
  readonly deliver: (mail: TakenMail) => Promise<void>
  /** Aborted when stopping has waited long enough for what is being sent. */
  readonly givenUp: AbortSignal
  /** How often in a row the mail server could not be used. */
  failures: number
}

async function run(state: SenderState, stopping: AbortSignal): Promise<void> {
  const { pool, bell, log } = state
  let isDatabaseLost = false
  let tidiedAtMs = Number.NEGATIVE_INFINITY
  while (!stopping.aborted) {
    try {
      if (performance.now() - tidiedAtMs > HOUSEKEEPING_INTERVAL_MS) {
        await tidy(pool)
        tidiedAtMs = performance.now()
      }
      const limit = state.failures > 0 ? 1 : SENDS_MAX
      const mails = await takeMails(pool, limit, LEASE_MS)
      const failuresBefore = state.failures
      await Promise.all(mails.map((mail) => send(state, mail)))
      isDatabaseLost = false
      if (state.failures > failuresBefore) await bell.wait(outageDelayMs(state.failures), stopping)
      else if (mails.length < limit) await bell.wait(POLL_MS, stopping)
    } catch (error) {
      if (!isDatabaseLost) log.warn({ err: error }, 'cannot look for mails')
      isDatabaseLost = true
      await bell.wait(POLL_MS, stopping)
    }
  }
}

async function send(state: SenderState, mail: TakenMail): Promise<void> {
  const { pool, log } = state
  const { id, kind } = mail
  try {
    await state.deliver(mail)
  } catch (error) {
    if (state.givenUp.aborted) return putOffMail(pool, { id, error: null, isTry: false, delayMs: 0 })
    metrics.failed.inc({ kind })
    await handleFailure(state, mail, error as SmtpError)
    return
  }
  metrics.sent.inc({ kind })
  if (state.failures > 0) log.info('the mail server takes mails again')
  state.failures = 0
  await deleteMail(pool, id)
}

async function handleFailure(state: SenderState, mail: TakenMail, error: SmtpError): Promise<void> {
  const { pool, log } = state
  const { id, kind, tries } = mail
  const fault = faultOf(error)
  // The server's words may name the address, so they stay in the row.
  const facts = { mailId: id, kind, code: error.code, responseCode: error.responseCode, command: commandOf(error) }
  const reason = describe(error)
  if (fault === 'server') {
    state.failures += 1
    if (state.failures === 1) log.warn(facts, 'the mail server cannot be used, mails wait')
  }
  const isTooOld = Date.now() - Date.parse(mail.queued_at) > RETRIES_DURATION_MS
  if (fault === 'refused' || isTooOld) {
    metrics.parked.inc({ kind })
    log.error(facts, 'a mail could not be sent, it is parked')
    await parkMail(pool, { id, error: reason })
    return
  }
  const isTry = fault === 'mail'
  const delayMs = isTry ? Math.min(RETRY_DELAY_MIN_MS * 2 ** tries, RETRY_DELAY_MAX_MS) : outageDelayMs(state.failures)
  await putOffMail(pool, { id, error: reason, isTry, delayMs })
}

interface SmtpError extends Error {
  readonly code?: string
  readonly command?: string
  readonly response?: string
  readonly responseCode?: number
  readonly permanent?: boolean
}

/**
 * Whether this mail is refused for good, or only for now, or whether the server cannot be used at all: out of reach, wrong
 * password, our sender address not allowed.
 */
function faultOf(error: SmtpError): 'refused' | 'mail' | 'server' {
  const { code, responseCode, permanent } = error
  if (responseCode === undefined) return code === 'EENVELOPE' || code === 'EMESSAGE' ? 'refused' : 'server'
  const isOfThisMail = /^(RCPT|DATA)/.test(error.command ?? '') && responseCode !== 421
  if (!isOfThisMail) return 'server'
  return permanent === true ? 'refused' : 'mail'
}

/** The verb without what follows it, which may be an address. */
function commandOf({ command }: SmtpError): string | undefined {
  return command?.split(' ')[0]
}

function describe(error: SmtpError): string {
  return oneLine([error.code, error.response ?? error.message].filter(Boolean).join(': ')).slice(0, ERROR_LENGTH_MAX)
}

function outageDelayMs(failures: number): number {
  return Math.min(OUTAGE_DELAY_MIN_MS * 2 ** (failures - 1), OUTAGE_DELAY_MAX_MS)
}

function deliverer(smtpUrl: string, from: string, giveUp: AbortSignal) {
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = /@([^\s>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
  return async (mail: TakenMail) => {
    await transport.sendMail({
      from,
      // As an object it is one address, whatever it looks like.
      to: { name: '', address: mail.recipient },
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      messageId: `<${mail.id}@${domain}>`,
      date: new Date(mail.queued_at),
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: AbortSignal.any([giveUp, AbortSignal.timeout(SEND_TIMEOUT_MS)]),
    })
  }
}

async function tidy(pool: DatabasePool): Promise<void> {
  await purgeParkedMails(pool, PARKED_DAYS)
  const { waiting, parked } = await countMails(pool)
  metrics.waiting.set({ state: 'queued' }, waiting)
  metrics.waiting.set({ state: 'parked' }, parked)
}

/** Line breaks would end a header; nobody needs the other control characters. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}

const metrics = {
  sent: counter({ name: 'wangian_mails_sent_total', help: 'Mails the server took', labelNames: ['kind'] }),
  failed: counter({ name: 'wangian_mails_failed_total', help: 'Tries to send that failed', labelNames: ['kind'] }),
  parked: counter({ name: 'wangian_mails_parked_total', help: 'Mails that were given up', labelNames: ['kind'] }),
  waiting: gauge({ name: 'wangian_mails', help: 'Mails queued, and parked ones', labelNames: ['state'] }),
}
