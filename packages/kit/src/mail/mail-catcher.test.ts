import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sendMail } from '../testing/send-mail.ts'
import { type MailCatcher, startMailCatcher } from './mail-catcher.ts'

let directory: string
const catchers: MailCatcher[] = []
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'wangian-mails-'))
})
afterEach(async () => {
  await Promise.all(catchers.splice(0).map((catcher) => catcher.stop()))
  await rm(directory, { recursive: true, force: true })
})

async function start(options: Parameters<typeof startMailCatcher>[0] = {}): Promise<MailCatcher> {
  const catcher = await startMailCatcher(options)
  catchers.push(catcher)
  return catcher
}

async function get(address: string): Promise<string> {
  const answer = await fetch(address)
  expect(answer.status).toBe(200)
  return answer.text()
}

describe('a mail catcher', () => {
  it('shows what it took, newest first, and by address', async () => {
    const { smtpUrl, inboxUrl, messages } = await start()
    await sendMail(smtpUrl, { to: 'bala@wangian.test', subject: 'First', text: 'one', html: '<b>one</b>' })
    await sendMail(smtpUrl, { to: 'mei@wangian.test', subject: 'Second ✓', text: 'two' })
    const list = JSON.parse(await get(`${inboxUrl}/messages`))
    expect(list).toEqual(messages())
    expect(list).toMatchObject([
      { to: 'mei@wangian.test', subject: 'Second ✓', text: 'two', html: '' },
      { to: 'bala@wangian.test', subject: 'First', text: 'one', html: '<b>one</b>' },
    ])
    expect(Date.now() - Date.parse(list[0].date)).toBeLessThan(60_000)
    const byAddress = JSON.parse(await get(`${inboxUrl}/messages?to=BALA@wangian.test`))
    expect(byAddress).toEqual([list[1]])
    expect(JSON.parse(await get(`${inboxUrl}/messages?to=ala@wangian.test`))).toEqual([])
  })

  it('goes by the envelope, so that a blind copy is seen, too', async () => {
    const { smtpUrl, messages } = await start()
    await sendMail(smtpUrl, { to: 'bala@wangian.test', bcc: 'mei@wangian.test', subject: 'Both', text: 'x' })
    expect(messages('mei@wangian.test')).toEqual(messages('bala@wangian.test'))
    expect(messages('mei@wangian.test')).toMatchObject([{ to: 'bala@wangian.test, mei@wangian.test' }])
  })

  it('keeps mails over a restart, the newest 500, whatever else lies there', async () => {
    const names = Array.from({ length: 501 }, (_, index) => String(index + 1).padStart(12, '0'))
    for (const name of names) await writeFile(join(directory, `${name}-x.json`), JSON.stringify(mailOf(Number(name))))
    await writeFile(join(directory, '000000000300-y.json'), 'no mail')
    const first = await start({ directory })
    expect(first.messages()).toHaveLength(500)
    await sendMail(first.smtpUrl, { to: 'bala@wangian.test', subject: 'Newest', text: 'x' })
    expect(first.messages()).toHaveLength(500)
    await first.stop()
    const second = await start({ directory })
    expect(second.messages().map(({ subject }) => subject)).toEqual(first.messages().map(({ subject }) => subject))
    expect([second.messages()[0]?.subject, second.messages()[499]?.subject]).toEqual(['Newest', 'Mail 3'])
    expect((await readdir(directory)).filter((name) => name.endsWith('.json'))).toHaveLength(501)
  })

  it('refuses what is too large, and goes on', async () => {
    const { smtpUrl, messages } = await start()
    await expect(sendMail(smtpUrl, { to: 'a@wangian.test', text: 'x'.repeat(1_100_000) })).rejects.toThrow(/552|size/i)
    await sendMail(smtpUrl, { to: 'a@wangian.test', subject: 'Small', text: 'x' })
    expect(messages().map(({ subject }) => subject)).toEqual(['Small'])
  })
})

describe('the page', () => {
  it('lists mails and shows the newest, or the one that was chosen, or the one before a filter', async () => {
    const { smtpUrl, inboxUrl, messages } = await start()
    expect(await get(inboxUrl)).toContain('No mails yet')
    await sendMail(smtpUrl, { to: 'bala@wangian.test', subject: 'First', html: '<p>one</p>' })
    await sendMail(smtpUrl, { to: 'mei@wangian.test', subject: 'Second', html: '<p>two</p>' })
    const [second, first] = messages()
    expect(await get(inboxUrl)).toMatch(new RegExp(`<iframe[^>]*src="/dev/inbox/messages/${second?.id}/html"`))
    expect(await get(`${inboxUrl}/${first?.id}`)).toContain(`src="/dev/inbox/messages/${first?.id}/html"`)
    const filtered = await get(`${inboxUrl}?to=bala@wangian.test`)
    expect(filtered).not.toContain('Second')
    expect(await get(`${inboxUrl}?to=nobody@wangian.test`)).toContain('No mail to nobody@wangian.test yet')
    expect(JSON.parse(await get(`${inboxUrl}/newest`))).toEqual({ id: second?.id })
    expect(JSON.parse(await get(`${inboxUrl}/newest?to=bala@wangian.test`))).toEqual({ id: first?.id })
  })

  it('makes the addresses in a text links', async () => {
    const { smtpUrl, inboxUrl } = await start()
    await sendMail(smtpUrl, { to: 'a@wangian.test', subject: 'x', text: 'Open http://localhost:8080/a?b=1&c=2 now' })
    expect(await get(inboxUrl)).toContain(
      '<a href="http://localhost:8080/a?b=1&amp;c=2" target="_blank" rel="noreferrer">',
    )
  })

  it('opens the links of a mail beside itself', async () => {
    const { smtpUrl, inboxUrl, messages } = await start()
    await sendMail(smtpUrl, {
      to: 'a@wangian.test',
      html: '<!doctype html><html><head lang="en"><title>x</title></head></html>',
    })
    await sendMail(smtpUrl, { to: 'a@wangian.test', html: '<p>x</p>' })
    const [bare, whole] = await Promise.all(messages().map(({ id }) => get(`${inboxUrl}/messages/${id}/html`)))
    expect(whole).toContain('<head lang="en"><base target="_blank">')
    expect(bare).toContain('<base target="_blank"><p>x</p>')
  })

  it('lets no markup through', async () => {
    const { smtpUrl, inboxUrl } = await start()
    const hostile = `<script>alert(1)</script>"'>`
    const text = `${hostile} http://x.test/"onclick=alert(1) http://x.test/'x`
    await sendMail(smtpUrl, {
      from: { name: hostile, address: 'a@wangian.test' },
      to: 'a@wangian.test',
      subject: hostile,
      text,
    })
    for (const address of [inboxUrl, `${inboxUrl}?to=${encodeURIComponent(hostile)}`]) {
      const page = await get(address)
      expect(page).toContain('&lt;script&gt;')
      expect(page).not.toMatch(/<script>|"onclick|href="[^"]*'/)
    }
  })

  it.each(['/nothing', '/0190d8a0-0000-7000-8000-000000000001', '/messages/nothing/html'])(
    'has nothing at %s',
    async (path) => {
      const { inboxUrl } = await start()
      expect((await fetch(`${inboxUrl}${path}`)).status).toBe(404)
    },
  )
})

function mailOf(number: number) {
  const id = `0190d8a0-0000-7000-8000-${String(number).padStart(12, '0')}`
  const at = '2026-11-21T08:00:00.000Z'
  return { id, to: 'old@wangian.test', from: '', subject: `Mail ${number}`, date: at, text: '', html: '' }
}
