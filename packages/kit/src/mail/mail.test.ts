import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sql } from '../database/postgres.ts'
import { findFreePort } from '../free-port.ts'
import { createLogger } from '../service/logger.ts'
import { registry } from '../service/metrics.ts'
import { eventually } from '../testing/eventually.ts'
import { type MailServer, Refusal, startMailServer } from '../testing/mail-server.ts'
import { pagesRead } from '../testing/pages-read.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { type Mail, type MailSender, mailTimings, queueMail, startMailSender } from './mail.ts'
import { deleteMailsOf, purgeParkedMails, takeMails } from './mail-store.ts'

const from = 'Wangian <no-reply@wangian.test>'
const secret = 'Zk3xPq0fS9uVt1yR5mNwB7cH'
const hello: Mail = {
  to: 'bala@wangian.test',
  subject: 'Hello',
  text: `Hello\n\nhttp://localhost:8080/auth/verify?token_hash=${secret}&type=signup`,
  html: `<p>Hello ${secret}</p>`,
  kind: 'test',
}
const brisk: typeof mailTimings = {
  ...mailTimings,
  pollMs: 50,
  retryDelayMinMs: 50,
  outageDelayMinMs: 20,
  outageDelayMaxMs: 100,
}

let database: TestDatabase
let logged: string[]
const servers: MailServer[] = []
const senders: MailSender[] = []
beforeAll(async () => {
  database = await createTestDatabase({ service: 'identity' })
})
afterAll(() => database.drop())
beforeEach(() => {
  logged = []
})
afterEach(async () => {
  await Promise.all(senders.splice(0).map((sender) => sender.stop()))
  await Promise.all(servers.splice(0).map((server) => server.stop()))
  await database.pool.query(sql.unsafe`delete from mails`)
})

async function serve(steps: Parameters<typeof startMailServer>[0] = {}): Promise<MailServer> {
  const server = await startMailServer(steps)
  servers.push(server)
  return server
}

function send(smtpUrl: string | undefined, timings: Partial<typeof mailTimings> = {}): MailSender {
  const log = createLogger({ name: 'test', level: 'trace', stream: { write: (line) => logged.push(line) } })
  const sender = startMailSender({ pool: database.pool, smtpUrl, from, log, timings: { ...brisk, ...timings } })
  senders.push(sender)
  return sender
}

function queue(mail: Partial<Mail> = {}): Promise<void> {
  return database.pool.transaction((transaction) => queueMail(transaction, { ...hello, ...mail }))
}

const Row = z.object({ recipient: z.string(), tries: z.number(), error: z.string().nullable(), is_parked: z.boolean() })
function rows() {
  return database.pool.any(sql.type(Row)`
    select recipient, tries, error, parked_at is not null as is_parked from mails order by recipient`)
}
const queueIsEmpty = async () => (await rows()).length === 0

function logLines(message: string) {
  return logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message)
}

describe('a queued mail', () => {
  it('is sent as it is, once, and forgotten', async () => {
    const server = await serve()
    await queue({ to: 'bala@wangian.test', subject: 'Köstlich ✓', personId: 7 })
    send(server.url)
    await eventually(queueIsEmpty)
    expect(server.received).toHaveLength(1)
    const [{ recipients, mail, raw } = { recipients: [], mail: null, raw: '' }] = server.received
    expect(recipients).toEqual(['bala@wangian.test'])
    expect(mail).toMatchObject({
      from: { name: 'Wangian', address: 'no-reply@wangian.test' },
      to: [{ name: '', address: 'bala@wangian.test' }],
      subject: 'Köstlich ✓',
      text: `${hello.text}\n`,
      html: `${hello.html}\n`,
    })
    expect(mail?.messageId).toMatch(/^<[0-9a-f-]{36}@wangian\.test>$/)
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  })

  it('is not sent when its transaction is rolled back', async () => {
    const server = await serve()
    send(server.url)
    const failing = database.pool.transaction(async (transaction) => {
      await queueMail(transaction, { ...hello, to: 'nobody@wangian.test' })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await queue()
    await eventually(queueIsEmpty)
    expect(server.received.map(({ recipients }) => recipients)).toEqual([['bala@wangian.test']])
  })

  it('is sent at once after a nudge', async () => {
    const server = await serve()
    const sender = send(server.url, { pollMs: 60_000 })
    await queue()
    sender.nudge()
    await eventually(() => server.received.length === 1)
  })

  it('waits while there is no mail server to send it with', async () => {
    send(undefined)
    expect(logLines('SMTP_URL is not set: mails wait until it is')).toHaveLength(1)
    await queue()
    expect(await rows()).toHaveLength(1)
  })
})

describe('a hostile mail', () => {
  it('cannot add a header by its subject', async () => {
    const server = await serve()
    await queue({ subject: 'Hello\r\nBcc: mei@wangian.test\r\n\r\n<b>body</b>\u2028x' })
    send(server.url)
    await eventually(queueIsEmpty)
    const [{ recipients, mail } = { recipients: [], mail: null }] = server.received
    expect(recipients).toEqual(['bala@wangian.test'])
    expect(mail?.subject).toBe('Hello Bcc: mei@wangian.test <b>body</b> x')
    expect(mail?.headers.map(({ key }) => key)).not.toContain('bcc')
  })

  it.each([
    'bala@wangian.test, mei@wangian.test',
    'bala@wangian.test\r\nBcc: mei@wangian.test',
    'Bala <bala@wangian.test>',
    'bala@wangian.test>\r\nRCPT TO:<mei@wangian.test',
    'team: bala@wangian.test;',
    'bala',
    'bala@mei@wangian.test',
    '',
  ])('is not queued for %j', async (to) => {
    await expect(queue({ to })).rejects.toThrow('one plain address')
    expect(await rows()).toEqual([])
  })
})

describe('a mail that the server does not take', () => {
  it.each([
    ['the address', { onRecipient: () => refuse(550, 'no such user <bala@wangian.test>') }],
    ['the message', { onMessage: () => refuse(554, 'bala@wangian.test does not like it') }],
  ])('is parked when %s is refused for good, and holds up nobody', async (_name, refusing) => {
    let isRefusing = true
    const steps = Object.entries(refusing).map(([step, refusal]) => [step, () => (isRefusing ? refusal() : undefined)])
    const server = await serve(Object.fromEntries(steps))
    await queue()
    send(server.url)
    await eventually(async () => (await rows())[0]?.is_parked === true)
    expect(await rows()).toMatchObject([{ tries: 1, error: expect.stringContaining('bala@wangian.test') }])
    const [line] = logLines('a mail could not be sent, it is parked')
    expect(line).toMatchObject({ level: 'error', kind: 'test', responseCode: expect.any(Number) })
    isRefusing = false
    await queue({ to: 'mei@wangian.test' })
    await eventually(async () => (await rows()).length === 1)
    expect(server.received.at(-1)?.recipients).toEqual(['mei@wangian.test'])
  })

  it('is tried again when it is refused for now, ever later', async () => {
    const triedAtMs: number[] = []
    const server = await serve({
      onRecipient() {
        triedAtMs.push(performance.now())
        if (triedAtMs.length < 4) refuse(451, 'greylisted')
      },
    })
    await queue()
    send(server.url, { retryDelayMinMs: 100, pollMs: 10 })
    await eventually(queueIsEmpty)
    const waits = triedAtMs.slice(1).map((atMs, index) => atMs - (triedAtMs[index] ?? 0))
    expect(waits).toHaveLength(3)
    for (const [index, leastMs] of [100, 200, 400].entries()) expect(waits[index]).toBeGreaterThanOrEqual(leastMs)
    expect(server.received).toHaveLength(1)
  })

  it('does not make others wait meanwhile', async () => {
    const server = await serve({
      onRecipient: (address) => (address.startsWith('bala') ? refuse(451, 'greylisted') : undefined),
    })
    await queue()
    send(server.url, { retryDelayMinMs: 3_600_000 })
    await eventually(async () => (await rows())[0]?.tries === 1)
    await queue({ to: 'mei@wangian.test' })
    await eventually(async () => (await rows()).length === 1)
    expect(server.received).toHaveLength(1)
  })

  it('is not looked at meanwhile', async () => {
    await queue({ to: 'mei@wangian.test' })
    await database.pool.query(sql.unsafe`
      insert into mails (id, kind, recipient, subject, text, html, due_at)
      select gen_random_uuid(), 'test', 'bala@wangian.test', '', '', '', now() + interval '1 hour' from generate_series(1, 20000)`)
    await database.pool.query(sql.unsafe`analyze mails`)
    const pages = await database.pool.transaction((transaction) =>
      pagesRead(transaction, ['mails'], async () => {
        expect(await takeMails(transaction, 10, 1000)).toMatchObject([{ recipient: 'mei@wangian.test' }])
      }),
    )
    expect(pages).toBeLessThan(50)
  })

  it('is parked after a day', async () => {
    const server = await serve({ onRecipient: () => refuse(451, 'not now') })
    await queue()
    await database.pool.query(sql.unsafe`update mails set queued_at = now() - interval '24 hours 1 minute'`)
    send(server.url)
    await eventually(async () => (await rows())[0]?.is_parked === true)
  })

  it('is deleted a week after it was parked', async () => {
    await queue()
    await queue({ to: 'mei@wangian.test' })
    await database.pool.query(sql.unsafe`
      update mails set parked_at = now() - interval '6 days' where recipient like 'mei%'`)
    await database.pool.query(sql.unsafe`
      update mails set parked_at = now() - interval '8 days' where recipient like 'bala%'`)
    expect(await purgeParkedMails(database.pool, 7)).toBe(1)
    expect(await rows()).toMatchObject([{ recipient: 'mei@wangian.test' }])
  })
})

describe('while the mail server is away', () => {
  it('mails wait and are all sent when it is back, without waiting for their turn', async () => {
    const port = await findFreePort()
    for (let number = 1; number <= 9; number += 1) await queue({ to: `person-${number}@wangian.test` })
    send(`smtp://127.0.0.1:${port}`)
    await eventually(() => logLines('the mail server cannot be used, mails wait').length === 1)
    await eventually(async () => (await rows()).some(({ error }) => error?.includes('ECONNREFUSED')))
    const back = await serve({ port })
    await eventually(queueIsEmpty)
    expect(new Set(back.received.map(({ recipients }) => recipients[0])).size).toBe(9)
    expect(back.received).toHaveLength(9)
    expect(logLines('the mail server cannot be used, mails wait')).toHaveLength(1)
    expect(logLines('the mail server takes mails again')).toHaveLength(1)
  })

  it.each([
    ['refuses our own address', { onSender: () => refuse(553, 'no-reply@wangian.test is not yours') }],
    ['closes', { onRecipient: () => refuse(421, 'closing') }],
  ])('which is also when it %s, no mail is parked', async (_name, steps) => {
    let isRefusing = true
    const [[step, refusal] = ['', () => {}]] = Object.entries(steps)
    const server = await serve({ [step]: () => (isRefusing ? refusal() : undefined) })
    await queue()
    send(server.url)
    await eventually(() => logLines('the mail server cannot be used, mails wait').length === 1)
    await eventually(async () => (await rows()).some(({ error }) => error !== null))
    expect(await rows()).toMatchObject([{ tries: 0, is_parked: false }])
    isRefusing = false
    await eventually(queueIsEmpty)
  })

  it('a server that says nothing is not waited for', async () => {
    const { promise: never, resolve } = Promise.withResolvers<void>()
    const server = await serve({ onRecipient: () => never })
    await queue()
    send(server.url, { sendTimeoutMs: 200 })
    await eventually(() => logLines('the mail server cannot be used, mails wait').length === 1)
    await senders.splice(0)[0]?.stop()
    resolve()
    expect(await rows()).toMatchObject([{ is_parked: false }])
  })
})

it('is not sent again when the database cannot be told that it was', async () => {
  const server = await serve()
  const { pool } = database
  await pool.query(sql.unsafe`
    create function refuse() returns trigger language plpgsql as 'begin raise exception ''not now''; end'`)
  await pool.query(sql.unsafe`create trigger refuse before delete on mails for each row execute function refuse()`)
  await queue()
  send(server.url, { leaseMs: 1_000 })
  await eventually(() => logLines('the database has no mails for us, they wait').length > 0)
  // Its time as a taken mail is over.
  await eventually(() =>
    pool.oneFirst(sql.type(z.object({ due: z.boolean() }))`select due_at < now() as due from mails`),
  )
  await pool.query(sql.unsafe`drop function refuse cascade`)
  await eventually(queueIsEmpty)
  expect(server.received).toHaveLength(1)
})

describe('several senders', () => {
  it('send each mail once', async () => {
    const server = await serve()
    for (let number = 0; number < 30; number += 1) await queue({ to: `person-${number}@wangian.test` })
    for (let number = 0; number < 3; number += 1) send(server.url)
    await eventually(queueIsEmpty)
    expect(server.received).toHaveLength(30)
    expect(new Set(server.received.map(({ mail }) => mail.messageId)).size).toBe(30)
  })
})

describe('a sender that is killed', () => {
  it.each([
    ['before the server has the mail', 'onRecipient' as const, 1],
    ['when the server has it and has not said so', 'onMessage' as const, 2],
  ])('%s leaves it to another, with the same Message-ID', async (_name, step, times) => {
    const arrived = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    let isFirst = true
    const server = await serve({
      [step]: async () => {
        if (!isFirst) return
        isFirst = false
        arrived.resolve()
        await answered.promise
      },
    })
    await queue()
    const victim = spawnSender(server.url)
    await arrived.promise
    // Another one looks already, and must not send what the victim has taken.
    send(server.url)
    victim.kill('SIGKILL')
    await once(victim, 'exit')
    answered.resolve()
    await eventually(queueIsEmpty)
    expect(server.received).toHaveLength(times)
    expect(new Set(server.received.map(({ mail }) => mail.messageId)).size).toBe(1)
  })
})

describe('a sender that is stopped', () => {
  it('finishes what it is sending', async () => {
    const arrived = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const server = await serve({
      onMessage: () => {
        arrived.resolve()
        return answered.promise
      },
    })
    await queue()
    const sender = send(server.url)
    await arrived.promise
    const stopped = sender.stop()
    answered.resolve()
    await stopped
    expect(await rows()).toEqual([])
    expect(server.received).toHaveLength(1)
  })

  it('does not wait for ever, and gives the mail back at once', async () => {
    const arrived = Promise.withResolvers<void>()
    const { promise: never, resolve } = Promise.withResolvers<void>()
    const server = await serve({
      onRecipient: () => {
        arrived.resolve()
        return never
      },
    })
    await queue()
    const sender = send(server.url, { stopTimeoutMs: 100, leaseMs: 3_600_000 })
    await arrived.promise
    await sender.stop()
    resolve()
    const next = await serve()
    send(next.url)
    await eventually(queueIsEmpty)
    expect(next.received).toHaveLength(1)
    expect(logged.join('')).not.toContain('cannot be used')
  })
})

it('tells logs and numbers how it goes, and never to whom or what', async () => {
  // Test files share modules: an earlier one may have labelled the process.
  registry.setDefaultLabels({})
  const server = await serve({
    onRecipient: (address) => {
      if (address.startsWith('bala')) refuse(550, `no such user ${address}`)
      if (address.startsWith('hafiz')) refuse(421, `too busy for ${address}`)
    },
  })
  await queue({ kind: 'log-test' })
  await queue({ kind: 'log-test', to: 'mei@wangian.test' })
  await queue({ kind: 'log-test', to: 'hafiz@wangian.test' })
  send(server.url, { tidyIntervalMs: 50 })
  await eventually(() => server.received.length === 1)
  await eventually(async () => (await rows()).some(({ is_parked }) => is_parked))
  await eventually(() => logLines('the mail server cannot be used, mails wait').length > 0)
  expect(logged.length).toBeGreaterThan(1)
  expect(logged.join('')).not.toMatch(/bala|mei@|hafiz|Hello/)
  expect(logged.join('')).not.toContain(secret)
  await eventually(async () => {
    const numbers = await registry.metrics()
    expect(numbers).toMatch(/wangian_mails_sent_total\{kind="log-test"\} 1/)
    expect(numbers).toMatch(/wangian_mails_parked_total\{kind="log-test"\} 1/)
    expect(numbers).toMatch(/wangian_mails_failed_total\{kind="log-test"\} [2-9]/)
    expect(numbers).toMatch(/wangian_mails\{state="queued"\} 1/)
    expect(numbers).toMatch(/wangian_mails\{state="parked"\} 1/)
    expect(numbers).not.toContain('wangian.test')
  })
})

it('deletes what waits for a person, by id and by address', async () => {
  await queue({ to: 'Old@wangian.test', personId: 7 })
  await queue({ to: 'Bala@wangian.test' })
  await queue({ to: 'mei@wangian.test', personId: 8 })
  await deleteMailsOf(database.pool, { personId: 7, address: 'bala@wangian.test' })
  expect(await rows()).toMatchObject([{ recipient: 'mei@wangian.test' }])
  await deleteMailsOf(database.pool, { personId: 8, address: null })
  expect(await rows()).toEqual([])
})

function refuse(responseCode: number, message: string): never {
  throw new Refusal(responseCode, message)
}

/** A sender in a process of its own. */
function spawnSender(smtpUrl: string) {
  const script = `
    import { startMailSender } from ${JSON.stringify(import.meta.resolve('./mail.ts'))}
    import { openPool } from ${JSON.stringify(import.meta.resolve('../database/postgres.ts'))}
    const pool = await openPool({ url: ${JSON.stringify(database.url)}, applicationName: 'victim' })
    startMailSender({ pool, smtpUrl: '${smtpUrl}', from: '${from}', timings: ${JSON.stringify({ ...brisk, leaseMs: 1_500 })} })`
  return spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'inherit' })
}
