import type { AddressInfo } from 'node:net'
import { createApp } from '@wangian/kit/http/http.ts'
import { type Logger, silentLogger } from '@wangian/kit/service/logger.ts'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server'
import { addInboxPages } from './inbox-pages.ts'
import { openMailFolder } from './mail-folder.ts'

export interface MailCatcher {
  /** For SMTP_URL. */
  readonly smtpUrl: string
  /** The page; `<inboxUrl>/messages?to=<address>` has the same as JSON. */
  readonly inboxUrl: string
  stop(): Promise<void>
}

const MESSAGE_MAX_BYTES = 1024 * 1024
const HOST = '127.0.0.1'

/**
 * A mail server that delivers to nobody: what it takes over SMTP it shows on a page. For development and tests; it listens on this
 * machine only and asks nobody who they are.
 * @param options.smtpPort free ones when not given
 * @param options.directory where messages are kept over restarts, the newest 500
 */
export async function startMailCatcher(options: {
  readonly directory: string
  readonly smtpPort?: number
  readonly httpPort?: number
  readonly log?: Logger
}): Promise<MailCatcher> {
  const { log = silentLogger } = options
  const folder = await openMailFolder(options.directory)
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    authOptional: true,
    size: MESSAGE_MAX_BYTES,
    disableReverseLookup: true,
    onData(stream, session, done) {
      // Whom it goes to is what the envelope says, whatever the letter says.
      const to = session.envelope.rcptTo.map(({ address }) => address).join(', ')
      read(stream)
        .then((mail) => folder.add({ to, ...mail }))
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
    async stop() {
      await Promise.all([new Promise<void>((resolve) => smtp.close(() => resolve())), app.close()])
    },
  }
}

async function read(stream: SMTPServerDataStream) {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  if (stream.sizeExceeded) throw Object.assign(new Error('the message is too large'), { responseCode: 552 })
  const { from, subject, text, html } = await PostalMime.parse(Buffer.concat(chunks))
  return {
    from: from?.address === undefined ? '' : from.name ? `${from.name} <${from.address}>` : from.address,
    subject: subject ?? '',
    date: new Date().toISOString(),
    text: text?.trimEnd() ?? '',
    html: html?.trimEnd() ?? '',
  }
}
