import type { App } from '@wangian/kit/http/http.ts'
import { type MailCatcher, startMailCatcher } from '@wangian/kit/mail/mail-catcher.ts'
import { sendMail } from '@wangian/kit/testing/send-mail.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from './app.ts'

const html = { accept: 'text/html,application/xhtml+xml' }
const here = ['http://127.0.0.1:9']
const options = {
  upstreams: { identity: here, catalogue: here, auction: here, messaging: here },
  webDist: undefined,
  rateLimitFactor: 1,
  isHttps: false,
  readiness: async () => ({ nats: true }),
}

let catcher: MailCatcher
let app: App
beforeAll(async () => {
  catcher = await startMailCatcher()
  app = await buildApp({ ...options, mailInboxUrl: new URL(catcher.inboxUrl).origin })
  await sendMail(catcher.smtpUrl, { to: 'bala@wangian.test', subject: 'Welcome', html: '<p>Hello</p>' })
})
afterAll(async () => {
  await app.close()
  await catcher.stop()
})

describe('the inbox of a local start', () => {
  it('is shown', async () => {
    const page = await app.inject({ url: '/dev/inbox', headers: html })
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.body).toContain('Welcome')
    const list = await app.inject({ url: '/dev/inbox/messages?to=bala@wangian.test' })
    expect(list.json()).toMatchObject([{ to: 'bala@wangian.test', subject: 'Welcome' }])
    expect((await app.inject({ url: '/dev/inbox/messages?to=mei@wangian.test' })).json()).toEqual([])
  })

  it('may show a mail inside itself, which nobody else may, and which may not run a script', async () => {
    const [mail] = catcher.messages()
    const shown = await app.inject({ url: `/dev/inbox/messages/${mail?.id}/html`, headers: html })
    expect(shown.body).toContain('<p>Hello</p>')
    expect(shown.headers['content-security-policy']).toMatch(/^sandbox allow-popups.*frame-ancestors 'self'$/)
    expect(shown.headers['content-security-policy']).not.toMatch(/allow-scripts|allow-same-origin/)
    const page = await app.inject({ url: '/dev/inbox', headers: html })
    expect(page.headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
  })

  it.each([
    '/dev/inbox/messages/0190d8a0-0000-7000-8000-000000000001/html',
    '/dev/inbox/nothing',
    '/dev/inbox/../../livez',
  ])('has nothing at %s', async (url) => {
    expect((await app.inject({ url })).statusCode).toBe(url.endsWith('livez') ? 200 : 404)
  })

  it('is only read', async () => {
    expect((await app.inject({ method: 'POST', url: '/dev/inbox' })).statusCode).toBe(405)
  })

  it('does not exist without a catcher', async () => {
    const without = await buildApp({ ...options, webDist: import.meta.dirname })
    for (const url of ['/dev/inbox', '/dev/inbox/messages']) {
      expect((await without.inject({ url, headers: html })).statusCode).toBe(404)
    }
    await without.close()
  })

  it('says so when the catcher is away', async () => {
    const alone = await buildApp({ ...options, mailInboxUrl: 'http://127.0.0.1:9' })
    expect((await alone.inject({ url: '/dev/inbox' })).statusCode).toBe(503)
    await alone.close()
  })
})
