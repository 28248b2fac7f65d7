import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server'
import { createApp } from '../http/http.ts'
import { type Logger, silentLogger } from '../service/logger.ts'
import { type CaughtMail, openMailFolder } from './mail-catcher-folder.ts'
import { addInboxPages } from './mail-catcher-pages.ts'

export type { CaughtMail } from './mail-catcher-folder.ts'

export interface MailCatcher {
  /** For SMTP_URL. */
  readonly smtpUrl: string
  /** The page; `<inboxUrl>/messages?to=<address>` has the same as JSON. */
  readonly inboxUrl: string
  /** Newest first; all of them, or those to an address. */
  messages(to?: string): readonly CaughtMail[]
  stop(): Promise<void>
}

const MESSAGE_MAX_BYTES = 1024 * 1024
const HOST = '127.0.0.1'

/**
 * A mail server that delivers to nobody: what it takes over SMTP it shows on a page. For development and tests; it listens on this
 * machine only and asks nobody who they are.
 * @param options.smtpPort free ones when not given
 * @param options.directory where messages are kept over restarts, the newest 500; in memory only when not given
 */
export async function startMailCatcher(
  options: {
    readonly smtpPort?: number
    readonly httpPort?: number
    readonly directory?: string
    readonly log?: Logger
  } = {},
): Promise<MailCatcher> {
  const { log = silentLogger } = options
  const folder = await openMailFolder(options.directory)
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    authOptional: true,
    size: MESSAGE_MAX_BYTES,
    disableReverseLookup: true,
    onData(stream, session, done) {
      const recipients = session.envelope.rcptTo.map(({ address }) => address)
      read(stream, recipients)
        .then((mail) => folder.add(mail))
        .then(
          () => done(),
          (error: Error) => {
            log.error({ err: error }, 'a mail could not be kept')
            done(error)
          },
        )
    },
  })
  // A client that breaks off is no trouble of ours.
  smtp.on('error', (error) => log.debug({ err: error }, 'a mail connection broke'))
  await new Promise<void>((resolve, reject) => {
    smtp.server.once('error', reject)
    smtp.listen(options.smtpPort ?? 0, HOST, () => resolve())
  })

  const app = createApp({ name: 'mail-catcher', logger: log })
  addInboxPages(app, folder)
  await app.listen({ host: HOST, port: options.httpPort ?? 0 })
  return {
    smtpUrl: `smtp://${HOST}:${(smtp.server.address() as AddressInfo).port}`,
    inboxUrl: `http://${HOST}:${(app.server.address() as AddressInfo).port}/dev/inbox`,
    messages: (to) => folder.list(to),
    async stop() {
      await Promise.all([new Promise<void>((resolve) => smtp.close(() => resolve())), app.close()])
    },
  }
}

async function read(stream: SMTPServerDataStream, recipients: readonly string[]): Promise<CaughtMail> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  if (stream.sizeExceeded) throw Object.assign(new Error('the message is too large'), { responseCode: 552 })
  const { from, subject, text, html } = await PostalMime.parse(Buffer.concat(chunks))
  return {
    id: randomUUID(),
    // Whom it goes to is what the envelope says, whatever the letter says.
    to: recipients.join(', '),
    from: from?.address === undefined ? '' : from.name ? `${from.name} <${from.address}>` : from.address,
    subject: subject ?? '',
    date: new Date().toISOString(),
    text: text?.trimEnd() ?? '',
    html: html?.trimEnd() ?? '',
  }
}
