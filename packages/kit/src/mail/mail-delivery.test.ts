import { createTransport } from 'nodemailer'
import { expect, it, onTestFinished } from 'vitest'
import { startMailServer } from '../testing/mail-server.ts'
import { mailTimings } from './mail.ts'
import { createDelivery, failureOf } from './mail-delivery.ts'

it('loads what sends mails again when that has failed', async () => {
  const server = await startMailServer()
  onTestFinished(() => server.stop())
  let loads = 0
  const deliver = createDelivery({
    smtpUrl: server.url,
    from: 'no-reply@wangian.test',
    timings: mailTimings,
    giveUp: new AbortController().signal,
    load: async () => {
      loads += 1
      if (loads === 1) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' })
      return { createTransport }
    },
  })
  const letter = {
    id: '1',
    recipient: 'bala@wangian.test',
    subject: 'Hello',
    text: 'Hello',
    html: '<p>Hello</p>',
    queued_at: '2026-11-30T08:00:00.000Z',
  }
  const failure = await deliver(letter).catch(failureOf)
  // No fault of the mail, which waits.
  expect(failure).toMatchObject({ fault: 'server' })
  await deliver(letter)
  await deliver(letter)
  expect(server.received).toHaveLength(2)
  expect(loads).toBe(2)
})
