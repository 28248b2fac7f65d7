import { randomUUID } from 'node:crypto'
import { sql } from '@wangian/kit/database/postgres.ts'
import { Failure } from '@wangian/kit/errors.ts'
import { storeInBucket } from '@wangian/kit/files/bucket-storage.ts'
import { queueMail, startMailSender } from '@wangian/kit/mail/mail.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { testServers } from '@wangian/kit/testing/config.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { createTestDatabase } from '@wangian/kit/testing/test-database.ts'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { newestMailIn } from '../rig/mailpit.ts'

const { smtpUrl, mails, bucket } = testServers()

async function mailTo(email: string): Promise<string | undefined> {
  if ('mailpitUrl' in mails) return newestMailIn(mails.mailpitUrl, email)
  const answer = await fetch(`${mails.inboxUrl}/messages?to=${encodeURIComponent(email)}`)
  const [mail] = z.array(z.object({ text: z.string() })).parse(await answer.json())
  return mail?.text
}

it('a mail goes from the queue in Postgres to the mail catcher', async () => {
  const database = await createTestDatabase({ service: 'identity' })
  const from = 'Wangian <no-reply@wangian.test>'
  const sender = startMailSender({ pool: database.pool, smtpUrl, from, log: silentLogger })
  const to = `${randomUUID()}@wangian.test`
  const text = 'Your code: 123456\n'
  await database.pool.transaction((transaction) =>
    queueMail(transaction, { to, subject: 'Köstlich ✓', text, html: `<p>${text}</p>`, kind: 'test' }),
  )
  expect(await eventually(async () => (await mailTo(to)) ?? false)).toContain(text.trim())
  const isEmpty = async () => (await database.pool.any(sql.unsafe`select from mails`)).length === 0
  await eventually(isEmpty)
  await sender.stop()
  await database.drop()
})

it('pictures are kept in the object storage, in a bucket that is made once', async () => {
  const storage = storeInBucket({ ...bucket, bucket: `pictures-${randomUUID()}` }, 'images')
  await expect(storage.check()).rejects.toThrow('404')
  await storage.ensure()
  await storage.ensure()
  await storage.check()
  const [key, other] = [randomUUID(), randomUUID()]
  const bytes = Buffer.from([0, 255, 10, 13])
  for (const variant of ['full.webp', '480.webp']) await storage.write(key, variant, bytes)
  await storage.write(other, 'full.webp', bytes)
  expect(await storage.read(key, 'full.webp')).toEqual(bytes)
  await storage.remove(key)
  expect(await storage.read(key, 'full.webp')).toBeNull()
  expect(await storage.read(key, '480.webp')).toBeNull()
  expect(await storage.read(other, 'full.webp')).toEqual(bytes)
  const stranger = storeInBucket({ ...bucket, accessKeyId: 'stranger' }, 'images')
  await expect(stranger.read(other, 'full.webp')).rejects.toThrow(Failure)
})
