import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type MailSender, queueMail, startMailSender } from './mail.ts'
import { type MailCatcher, startMailCatcher } from './mail-catcher.ts'
import { mailLayout } from './mail-layout.ts'
import { eventually } from './testing/eventually.ts'
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts'

const from = 'Wangian <no-reply@wangian.test>'
let database: TestDatabase
let catcher: MailCatcher
const senders: MailSender[] = []
beforeEach(async () => {
  catcher = await startMailCatcher()
  database = await createTestDatabase({ service: 'identity' })
})
afterEach(async () => {
  await Promise.all(senders.splice(0).map((sender) => sender.stop()))
  await catcher.stop()
  await database.drop()
})

describe('a queued mail', () => {
  it('arrives', async () => {
    const mail = mailLayout({ title: 'Hello', paragraphs: ['Welcome & enjoy'], footer: 'Bye' })
    await database.pool.transaction((transaction) =>
      queueMail(transaction, { to: 'bala@wangian.test', subject: 'Hello', kind: 'test', ...mail }),
    )
    senders.push(startMailSender({ pool: database.pool, smtpUrl: catcher.smtpUrl, from }))
    const [caught] = await eventually(() => catcher.messages('bala@wangian.test').length > 0 && catcher.messages())
    expect(caught).toMatchObject({ to: 'bala@wangian.test', from, subject: 'Hello' })
    expect(caught?.html).toContain('Welcome &amp; enjoy')
  })
})
