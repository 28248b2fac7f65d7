import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

export interface MailServer {
  readonly url: string
  readonly port: number
  /** What it has read, whether it took it or not. */
  readonly received: { readonly recipients: readonly string[]; readonly mail: Email; readonly raw: string }[]
  stop(): Promise<void>
}

/** Refuses with this SMTP answer, e.g. 550. */
export class Refusal extends Error {
  readonly responseCode: number
  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

/** A mail server that does what a test says: each step may wait, or throw a {@link Refusal}. */
export async function startMailServer(
  steps: {
    readonly onSender?: () => Promise<void> | void
    readonly onRecipient?: (address: string) => Promise<void> | void
    readonly onMessage?: (recipients: readonly string[]) => Promise<void> | void
    readonly port?: number
  } = {},
): Promise<MailServer> {
  const received: MailServer['received'] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onMailFrom: (_address, _session, done) => settle(async () => steps.onSender?.(), done),
    onRcptTo: ({ address }, _session, done) => settle(async () => steps.onRecipient?.(address), done),
    onData(stream, session, done) {
      settle(async () => {
        const chunks: Buffer[] = []
        for await (const chunk of stream) chunks.push(chunk as Buffer)
        const raw = Buffer.concat(chunks)
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        received.push({ recipients, raw: raw.toString(), mail: await PostalMime.parse(raw) })
        await steps.onMessage?.(recipients)
      }, done)
    },
  })
  // Clients are killed in the middle.
  server.on('error', () => {})
  server.listen(steps.port ?? 0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    received,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function settle(step: () => Promise<void>, done: (error?: Error | null) => void): void {
  step().then(
    () => done(),
    (error: Error) => done(error),
  )
}
