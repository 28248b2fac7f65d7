import type { AddressInfo } from 'node:net'
import { startMailSender } from '@wangian/kit/mail/mail.ts'
import { type MailServer, startMailServer } from '@wangian/kit/testing/mail-server.ts'
import { vi } from 'vitest'
import type { AppDependencies } from '../app.ts'
import { createTestIdentity, type TestIdentity } from './test-identity.ts'

export interface ReadMail {
  readonly subject: string
  readonly text: string
  /** Where its button leads. */
  readonly link: URL
  /** The token in the link, empty in mails that prove nothing. */
  readonly token: string
  /** What is to be typed instead; empty likewise. */
  readonly code: string
}

export interface MailedIdentity {
  readonly identity: TestIdentity
  /** Where the service listens. */
  readonly serviceUrl: string
  /** All mails to an address, newest first, as soon as there are so many. */
  mailsTo(address: string, count: number): Promise<readonly ReadMail[]>
  /** The newest mail to an address, as soon as there are so many. */
  mailTo(address: string, count?: number): Promise<ReadMail>
  stop(): Promise<void>
}

/** The service over HTTP, waiting for confirmations, with mails that are sent by SMTP and caught. */
export async function createMailedIdentity(options: Partial<AppDependencies> = {}): Promise<MailedIdentity> {
  const server = await startMailServer()
  let nudge = () => {}
  const identity = await createTestIdentity({ isAutoconfirmed: false, onAppended: () => nudge(), ...options })
  const { pool } = identity.database
  const sender = startMailSender({ pool, smtpUrl: server.url, from: 'Wangian <no-reply@wangian.test>' })
  nudge = () => sender.nudge()
  await identity.app.listen({ host: '127.0.0.1', port: 0 })
  const mailsTo = (address: string, count: number) =>
    vi.waitFor(
      () => {
        const mails = server.received.filter(({ recipients }) => recipients.includes(address)).reverse()
        if (mails.length < count) throw new Error(`${mails.length} of ${count} mails to ${address}`)
        return mails.map(({ mail }) => read(mail))
      },
      { timeout: 5000, interval: 20 },
    )
  return {
    identity,
    serviceUrl: `http://127.0.0.1:${(identity.app.server.address() as AddressInfo).port}`,
    mailsTo,
    async mailTo(address, count = 1) {
      const [newest] = await mailsTo(address, count)
      if (newest === undefined) throw new Error(`no mail to ${address}`)
      return newest
    },
    async stop() {
      await sender.stop()
      await identity.stop()
      await server.stop()
    },
  }
}

function read({ subject = '', text = '' }: MailServer['received'][number]['mail']): ReadMail {
  const link = new URL(/^https?:\/\/\S+$/m.exec(text)?.[0] ?? 'https://no.link')
  const token = link.searchParams.get('token_hash') ?? ''
  return { subject, text, link, token, code: /code: (\d{6})$/m.exec(text)?.[1] ?? '' }
}
