// npm run test:production
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { findFreePort } from '@wangian/kit/free-port.ts'
import { inheritedEnvironment, repositoryRoot } from '../local/config.ts'
import { startMailCatcher } from '../local/mail-catcher/mail-catcher.ts'
import { type Market, marketAt } from '../rig/market.ts'
import { expectAuction, signUp } from './journey.ts'
import { startTlsProxy } from './tls-proxy.ts'

/*
 * A start for production, as an operator makes it: `npm start` behind a proxy that ends TLS, with a mail server of its own. What is refused
 * without configuration, and that people can do everything at the public address.
 */

const READY_WITHIN_MS = 5 * 60_000
/** So often one address may ask for the way to another site (`oauth-routes.ts` of identity). */
const VISITS_A_MINUTE = 60
const directory = mkdtempSync(join(tmpdir(), 'wangian-production-'))
// Postgres and the workers of nginx are others when we are root.
chmodSync(directory, 0o755)
const [port, publicPort] = [await findFreePort(), await findFreePort()]
const publicUrl = `https://localhost:${publicPort}`
const mails = await startMailCatcher({ directory: join(directory, 'mails') })
const proxy = await startTlsProxy({ directory, port: publicPort, to: `http://127.0.0.1:${port}` })
const { certificate } = proxy
setDefaultCACertificates([...getCACertificates('default'), certificate])

/** Everything that a start for production needs. */
const complete = {
  NODE_ENV: 'production',
  DATA_DIR: join(directory, 'data'),
  PORT: String(port),
  PUBLIC_URL: publicUrl,
  SMTP_URL: mails.smtpUrl,
  TRUSTED_PROXIES: '127.0.0.1',
  FACEBOOK_APP_ID: '4711',
  FACEBOOK_APP_SECRET: 'a secret of this test',
}

try {
  await expectRefusals()
  const system = start(complete)
  try {
    await system.isReady
    say('is ready')
    const site = { publicUrl, market: marketAt(publicUrl), mailTo, say }
    await expectNothingOfDevelopment(site.market)
    const [seller, buyer] = [await signUp(site, 'rani'), await signUp(site, 'azlan')]
    await expectAuction(site, seller, buyer)
    await expectFacebook()
    await expectPeopleAreCounted()
  } finally {
    await system.stop()
  }
  say('production is as it should be')
} finally {
  await proxy.stop()
  await mails.stop()
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
}

function say(line: string): void {
  console.log(`${Math.round(performance.now() / 1000)} s  ${line}`)
}

async function mailTo(email: string): Promise<string | undefined> {
  const answer = await fetch(`${mails.inboxUrl}/messages?to=${encodeURIComponent(email)}`)
  const [mail] = (await answer.json()) as { text: string }[]
  return mail?.text
}

/** `npm start` in this environment, without what this one has set for it. */
function start(environment: Readonly<Record<string, string | undefined>>) {
  const child = spawn(process.execPath, ['infra/local/start.ts'], {
    cwd: repositoryRoot,
    env: { ...inheritedEnvironment(), LOG_LEVEL: undefined, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const isReady = Promise.withResolvers<void>()
  isReady.promise.catch(() => {})
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      lines.push(line)
      if (line.startsWith('Wangian is ready')) isReady.resolve()
    })
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  void ended.then(() => isReady.reject(new Error(`the start ended:\n${lines.join('\n')}`)))
  setTimeout(() => isReady.reject(new Error('it is not ready')), READY_WITHIN_MS).unref()
  return {
    lines,
    isReady: isReady.promise,
    ended,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function expectRefusals(): Promise<void> {
  const refusals: readonly (readonly [string, Readonly<Record<string, string | undefined>>])[] = [
    ['PUBLIC_URL is missing: set it to the address that people use', { PUBLIC_URL: undefined }],
    ['PUBLIC_URL: must begin with https://', { PUBLIC_URL: 'http://wangian.example.com' }],
    ['SMTP_URL is missing: set it to your mail server', { SMTP_URL: undefined }],
    ['SEED: must not be demo', { SEED: 'demo' }],
    ['RATE_LIMIT_FACTOR: must be 1', { RATE_LIMIT_FACTOR: '20' }],
    ['NATS_URL: needs a user and a password', { NATS_URL: 'nats://127.0.0.1:4222' }],
    ['DATABASE_URL: has a password that everybody knows', { DATABASE_URL: 'postgres://postgres:postgres@127.0.0.1/w' }],
    ['HOST=0.0.0.0 opens this system to others: set NODE_ENV=production', { NODE_ENV: undefined, HOST: '0.0.0.0' }],
  ]
  for (const [sentence, change] of refusals) {
    const refused = start({ ...complete, ...change })
    assert.equal(await refused.ended, 1, sentence)
    assert.ok(
      refused.lines.some((line) => line.includes(sentence)),
      `${sentence}, but it said:\n${refused.lines.join('\n')}`,
    )
    say(`refused: ${sentence}`)
  }
}

async function expectNothingOfDevelopment(market: Market): Promise<void> {
  const home = await fetch(publicUrl)
  assert.equal(home.status, 200)
  assert.match(home.headers.get('strict-transport-security') ?? '', /max-age=\d{8}/)
  assert.deepEqual(await market.succeed('GET', '/api/products'), [])
  for (const path of ['/dev/inbox', '/dev/inbox/messages']) assert.equal((await market.call('GET', path)).status, 404)
  const demo = { email: 'admin@wangian.test', password: 'demo-admin' }
  assert.equal((await market.call('POST', '/auth/v1/token?grant_type=password', undefined, demo)).status, 400)
  say('no demo, no mailbox, HSTS')
}

async function expectFacebook(): Promise<void> {
  const { status, headers } = await ask(
    '/auth/v1/authorize?provider=facebook&code_challenge_method=s256&code_challenge='.concat('a'.repeat(43)),
  )
  assert.equal(status, 302)
  const dialog = new URL(headers['location'] ?? '')
  assert.equal(dialog.origin, 'https://www.facebook.com')
  assert.equal(dialog.searchParams.get('redirect_uri'), `${publicUrl}/auth/v1/callback`)
  assert.match(String(headers['set-cookie']), /; Secure/)
  say(`Facebook's address is told to come back to ${dialog.searchParams.get('redirect_uri')}`)
}

/** Limits count those who ask and not the proxy, and nobody takes on another's address. */
async function expectPeopleAreCounted(): Promise<void> {
  const path = '/auth/v1/authorize?provider=facebook'
  const statusFrom = async (localAddress: string, headers = {}) => (await ask(path, { localAddress, headers })).status
  // At once, and not one after the other: on a busy machine that takes longer than the minute which they count for.
  await Promise.all(Array.from({ length: VISITS_A_MINUTE }, () => statusFrom('127.0.0.3')))
  assert.equal(await statusFrom('127.0.0.3'), 429)
  assert.equal(await statusFrom('127.0.0.3', { 'x-forwarded-for': '203.0.113.9' }), 429)
  assert.notEqual(await statusFrom('127.0.0.4'), 429)
  say('one address is refused for asking too often, another is not')
}

/** One request, from an address of this machine. */
function ask(path: string, options: RequestOptions = {}) {
  return new Promise<{ status: number | undefined; headers: Record<string, string | undefined> }>((resolve, reject) => {
    const asking = request(`${publicUrl}${path}`, { ...options, ca: certificate, agent: false }, (response) => {
      response.resume()
      response.once('end', () =>
        resolve({ status: response.statusCode, headers: response.headers as Record<string, string> }),
      )
    })
    asking.once('error', reject)
    asking.end()
  })
}
