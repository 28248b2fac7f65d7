import { createHash } from 'node:crypto'
import { routesByService } from '@wangian/contracts/routes.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveApiDocs } from './api-docs.ts'
import { type App, createApp } from './http.ts'
import { openApiDocument } from './openapi.ts'

const site = { title: 'Wangian', routes: routesByService }

describe('the documentation', () => {
  let app: App
  beforeAll(() => {
    app = createApp({ name: 'gateway' })
    serveApiDocs(app, { path: '/api/docs', ...site })
  })
  afterAll(() => app.close())

  it('is there for programs', async () => {
    const response = await app.inject('/api/docs/json')
    expect(response.json()).toEqual(JSON.parse(JSON.stringify(await openApiDocument(site))))
  })

  it('is there for people, with everything from this origin', async () => {
    const moved = await app.inject('/api/docs')
    expect(moved.headers.location).toBe('/api/docs/')
    const page = await app.inject('/api/docs/')
    const [, source = ''] = /<script src="([^"]*)"/.exec(page.body) ?? []
    const script = await app.inject(new URL(source, 'http://localhost/api/docs/').pathname)
    expect(script.headers['content-type']).toMatch(/^application\/javascript/)
    expect(page.body).not.toMatch(/https?:\/\//)
  })

  it('lets run no script but its own', async () => {
    const page = await app.inject('/api/docs/')
    const policy = String(page.headers['content-security-policy'])
    const [, inline = ''] = /<script type="text\/javascript">([\s\S]*?)<\/script>/.exec(page.body) ?? []
    expect(inline).toContain('createApiReference')
    expect(policy).toContain(`script-src 'self' 'sha256-${createHash('sha256').update(inline).digest('base64')}';`)
    expect(policy).toContain("default-src 'none'")
  })

  it('answers what it has not as everything else does', async () => {
    const nothing = await app.inject('/api/docs/nothing.js')
    expect(nothing.statusCode).toBe(404)
    expect(nothing.json()).toMatchObject({ code: 'not-found', message: 'Not found' })
  })

  it('leaves other answers alone', async () => {
    expect((await app.inject('/livez')).headers).not.toHaveProperty('content-security-policy')
  })
})
