import type { App } from '@wangian/kit/http/http.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { startTestServer, type TestServer } from '@wangian/kit/testing/test-server.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildApp } from './app.ts'

const html = { accept: 'text/html,application/xhtml+xml' }
const here = ['http://127.0.0.1:9']
const options = {
  upstreams: { identity: here, catalogue: here, auction: here, messaging: here, boost: here, admin: here },
  webDist: undefined,
  rateLimitFactor: 1,
  isHttps: false,
  readiness: async () => ({ nats: true }),
}

/** Answers with what it was asked, under headers that a page needs. */
let catcher: TestServer
let app: App
beforeAll(async () => {
  catcher = await startTestServer((request, response) =>
    response
      .setHeader('content-security-policy', "default-src 'none'")
      .setHeader('x-frame-options', 'SAMEORIGIN')
      .end(`${request.method} ${request.url}`),
  )
  app = await buildApp({ ...options, mailInboxUrl: catcher.url })
})
beforeEach(async () => {
  // A process that has only just loaded its code takes itself for overloaded.
  await eventually(async () => (await app.inject('/dev/inbox')).statusCode !== 503)
})
afterAll(async () => {
  await app.close()
  await catcher.stop()
})

describe('the inbox of a local start', () => {
  it.each(['/dev/inbox', '/dev/inbox?to=bala@wangian.test', '/dev/inbox/messages/000000000001/html'])(
    'is what the catcher has at %s, under its own headers',
    async (url) => {
      const shown = await app.inject({ url, headers: html })
      expect([shown.statusCode, shown.body]).toEqual([200, `GET ${url}`])
      expect(shown.headers['content-security-policy']).toBe("default-src 'none'")
      expect(shown.headers['x-frame-options']).toBe('SAMEORIGIN')
    },
  )

  it('is nothing beside itself', async () => {
    expect((await app.inject({ url: '/dev/inbox/../../livez' })).body).not.toContain('GET')
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
