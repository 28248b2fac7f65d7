import type { createTransport as CreateTransport } from 'nodemailer'
import { oneLine } from './mail-text.ts'

export interface DeliverySettings {
  /** `smtp://host:port` or `smtps://user:password@host`. */
  readonly smtpUrl: string
  /** E.g. `Wangian <no-reply@wangian.test>`. */
  readonly from: string
  readonly timings: {
    readonly connectTimeoutMs: number
    readonly silenceTimeoutMs: number
    readonly sendTimeoutMs: number
  }
  /** Ends what is being sent. */
  readonly giveUp: AbortSignal
  /** Loads what sends mails; tests have it fail. */
  readonly load?: () => Promise<{ readonly createTransport: typeof CreateTransport }>
}

export interface Letter {
  readonly id: string
  readonly recipient: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly queued_at: string
}

/** Why a mail was not taken. */
export interface DeliveryFailure {
  /**
   * Whether this mail is refused for good, or only for now, or whether the server cannot be used at all: out of reach, wrong
   * password, our own address not allowed.
   */
  readonly fault: 'refused' | 'mail' | 'server'
  /** What may be logged: the server's words are not among it, for they may name the address. */
  readonly facts: Readonly<Record<string, string | number | undefined>>
  /** Everything, for the row. */
  readonly reason: string
}

const REASON_LENGTH_MAX = 500
/** The server closes the connection, whatever it was about. */
const SERVICE_CLOSING = 421

/** @returns a function that hands a mail to the server, and throws what {@link failureOf} understands */
export function createDelivery({
  smtpUrl,
  from,
  timings,
  giveUp,
  load = () => import('nodemailer'),
}: DeliverySettings): (letter: Letter) => Promise<void> {
  // Loaded with the first mail: until then it would only hold 10 MB.
  const open = async () => {
    const { createTransport } = await load()
    return createTransport({
      url: smtpUrl,
      connectionTimeout: timings.connectTimeoutMs,
      greetingTimeout: timings.connectTimeoutMs,
      dnsTimeout: timings.connectTimeoutMs,
      socketTimeout: timings.silenceTimeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
  let opened: ReturnType<typeof open> | undefined
  const domain = /@([^\s>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
  return async (letter) => {
    opened ??= open().catch((error: unknown) => {
      // It may have been for want of files or memory: the next mail tries again.
      opened = undefined
      throw error
    })
    const transport = await opened
    await transport.sendMail({
      from,
      // As an object it is one address, whatever it looks like.
      to: { name: '', address: letter.recipient },
      subject: letter.subject,
      text: letter.text,
      html: letter.html,
      // The same at every try, so that a mailbox can tell that it is one mail.
      messageId: `<${letter.id}@${domain}>`,
      date: new Date(letter.queued_at),
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: AbortSignal.any([giveUp, AbortSignal.timeout(timings.sendTimeoutMs)]),
    })
  }
}

/** What the error of a delivery means. */
export function failureOf(error: unknown): DeliveryFailure {
  const { code, command, response, responseCode, message } = error as SmtpError
  return {
    fault: faultOf(error as SmtpError),
    // A command is a verb, and what follows it may be an address.
    facts: { code, responseCode, command: command?.split(' ')[0] },
    reason: oneLine([code, response ?? message].filter(Boolean).join(': ')).slice(0, REASON_LENGTH_MAX),
  }
}

interface SmtpError extends Error {
  readonly code?: string
  readonly command?: string
  readonly response?: string
  readonly responseCode?: number
  /** Whether the server would say the same again. */
  readonly permanent?: boolean
}

function faultOf({ code, command = '', responseCode, permanent }: SmtpError): DeliveryFailure['fault'] {
  // The library itself will not send it.
  if (responseCode === undefined) return code === 'EENVELOPE' || code === 'EMESSAGE' ? 'refused' : 'server'
  if (!/^(RCPT|DATA)/.test(command) || responseCode === SERVICE_CLOSING) return 'server'
  return permanent === true ? 'refused' : 'mail'
}
