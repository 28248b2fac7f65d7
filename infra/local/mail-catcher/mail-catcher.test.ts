import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sendMail } from '@wangian/kit/testing/send-mail.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type MailCatcher, startMailCatcher } from './mail-catcher.ts'
import type { CaughtMail } from './mail-folder.ts'

let directory: string
let catcher: MailCatcher
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'wangian-mails-'))
  catcher = await startMailCatcher({ directory })
})
afterEach(async () => {
  await catcher.stop()
  await rm(directory, { recursive: true, force: true })
})

async function restart(): Promise<void> {
  await catcher.stop()
  catcher = await startMailCatcher({ directory })
}

const send = (mail: Parameters<typeof sendMail>[1]) => sendMail(catcher.smtpUrl, mail)

async function get(path: string): Promise<string> {
  const answer = await fetch(`${catcher.inboxUrl}${path}`)
  expect(answer.status).toBe(200)
  return answer.text()
}

async function messages(to = ''): Promise<readonly CaughtMail[]> {
  return JSON.parse(await get(`/messages?to=${encodeURIComponent(to)}`))
}

describe('a mail catcher', () => {
  it('shows what it took, newest first, and by address', async () => {
    await send({ to: 'bala@wangian.test', subject: 'First', text: 'one', html: '<b>one</b>' })
    await send({ to: 'mei@wangian.test', subject: 'Second ✓', text: 'two' })
    const list = await messages()
    expect(list).toMatchObject([
      { to: 'mei@wangian.test', subject: 'Second ✓', text: 'two', html: '' },
      { to: 'bala@wangian.test', subject: 'First', text: 'one', html: '<b>one</b>' },
    ])
    expect(Date.now() - Date.parse(list[0]?.date ?? '')).toBeLessThan(60_000)
    expect(await messages('BALA@wangian.test')).toEqual([list[1]])
    expect(await messages('ala@wangian.test')).toEqual([])
  })

  it('goes by the envelope, so that a blind copy is seen, too', async () => {
    await send({ to: 'bala@wangian.test', bcc: 'mei@wangian.test', subject: 'Both', text: 'x' })
    expect(await messages('mei@wangian.test')).toEqual(await messages('bala@wangian.test'))
    expect(await messages('mei@wangian.test')).toMatchObject([{ to: 'bala@wangian.test, mei@wangian.test' }])
  })

  it('keeps mails over a restart, the newest 500, whatever else lies there', async () => {
    const names = Array.from({ length: 501 }, (_, index) => String(index + 1).padStart(12, '0'))
    // The first copies put an id of its own behind the number.
    for (const name of names) await writeFile(join(directory, `${name}-x.json`), JSON.stringify(mailOf(Number(name))))
    await writeFile(join(directory, '000000000300-y.json'), 'no mail')
    await restart()
    expect(await messages()).toHaveLength(500)
    await send({ to: 'bala@wangian.test', subject: 'Newest', text: 'x' })
    const before = await messages()
    expect(before).toHaveLength(500)
    await restart()
    expect(await messages()).toEqual(before)
    expect([before[0]?.subject, before[499]?.subject]).toEqual(['Newest', 'Mail 3'])
    expect((await readdir(directory)).filter((name) => name.endsWith('.json'))).toHaveLength(501)
  })

  it('refuses what is too large, and goes on', async () => {
    await expect(send({ to: 'a@wangian.test', text: 'x'.repeat(1_100_000) })).rejects.toThrow(/552|size/i)
    await send({ to: 'a@wangian.test', subject: 'Small', text: 'x' })
    expect((await messages()).map(({ subject }) => subject)).toEqual(['Small'])
  })
})

describe('the inbox', () => {
  it('lists mails, all or to an address', async () => {
    expect(await get('')).toContain('No mails yet')
    await send({ to: 'bala@wangian.test', subject: 'First', text: 'one' })
    await send({ to: 'mei@wangian.test', subject: 'Second', text: 'two' })
    expect(await get('')).toMatch(/Second[\s\S]*First/)
    expect(await get('?to=bala@wangian.test')).not.toContain('Second')
    expect(await get('?to=nobody@wangian.test')).toContain('No mail to nobody@wangian.test yet')
  })

  it('shows a mail as HTML and as text, in which addresses are links', async () => {
    const text = 'Open http://localhost:8080/a?b=1&c=2 now'
    await send({ to: 'bala@wangian.test', subject: 'Both', text, html: '<p>one</p>' })
    await send({ to: 'bala@wangian.test', subject: 'Text', text })
    const [second, first] = await messages()
    const link = '<a href="http://localhost:8080/a?b=1&amp;c=2" target="_blank" rel="noreferrer">'
    expect(await get(`/${first?.id}`)).toContain(`src="/dev/inbox/messages/${first?.id}/html"`)
    expect(await get(`/${first?.id}`)).toContain(link)
    expect(await get(`/${second?.id}`)).toContain(link)
    expect(await get(`/${second?.id}`)).not.toContain('<iframe')
  })

  it('shows a mail in a frame of its own only, in which no script runs', async () => {
    await send({ to: 'bala@wangian.test', html: '<p>one</p>' })
    const [mail] = await messages()
    const policyOf = async (path: string) =>
      (await fetch(`${catcher.inboxUrl}${path}`)).headers.get('content-security-policy')
    expect(await policyOf('')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(await policyOf(`/${mail?.id}`)).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    const policy = await policyOf(`/messages/${mail?.id}/html`)
    expect(policy).toMatch(/^sandbox allow-popups.*frame-ancestors 'self'$/)
    expect(policy).not.toMatch(/allow-scripts|allow-same-origin/)
  })

  it('opens the links of a mail beside itself', async () => {
    const html = '<!doctype html><html><head lang="en"><title>x</title></head></html>'
    await send({ to: 'a@wangian.test', html })
    await send({ to: 'a@wangian.test', html: '<p>x</p>' })
    const [bare, whole] = await Promise.all((await messages()).map(({ id }) => get(`/messages/${id}/html`)))
    expect(whole).toContain('<head lang="en"><base target="_blank">')
    expect(bare).toContain('<base target="_blank"><p>x</p>')
  })

  it('lets no markup through', async () => {
    const hostile = `<script>alert(1)</script>"'>`
    const text = `${hostile} http://x.test/"onclick=alert(1) http://x.test/'x`
    await send({ from: { name: hostile, address: 'a@wangian.test' }, to: 'a@wangian.test', subject: hostile, text })
    const [mail] = await messages()
    for (const path of ['', `?to=${encodeURIComponent(hostile)}`, `/${mail?.id}`]) {
      const page = await get(path)
      expect(page).toContain('&lt;script&gt;')
      expect(page).not.toMatch(/<script>|"onclick|href="[^"]*'/)
    }
  })

  it.each(['/nothing', '/000000000001', '/messages/nothing/html'])('has nothing at %s', async (path) => {
    expect((await fetch(`${catcher.inboxUrl}${path}`)).status).toBe(404)
  })
})

function mailOf(number: number) {
  const at = '2026-11-21T08:00:00.000Z'
  return { to: 'old@wangian.test', from: '', subject: `Mail ${number}`, date: at, text: '', html: '' }
}
