// npm run test:containers
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { parseArgs } from 'node:util'
import { findFreePort } from '@wangian/kit/free-port.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { k6Search } from '../load/config.ts'
import { findK6 } from '../load/k6-binary.ts'
import { inheritedEnvironment, repositoryRoot } from '../local/config.ts'
import { expectAuction, type PublicSite, signUp } from '../production/journey.ts'
import { newestMailIn } from '../rig/mailpit.ts'
import { marketAt, type Trader } from '../rig/market.ts'
import { expectBids, keepBidding } from './bidding.ts'

/*
 * The containers of docker-compose.yml on the Docker engine of this machine, from nothing: built, started with secrets of their own, used at the
 * public port, scaled while somebody bids, and hurt. No acknowledged bid may be lost. Everything that it made is removed afterwards.
 * With `-- --minutes 5` k6 bids at the public port for so long, and one container is killed each minute.
 */

const STARTED_WITHIN_MS = 5 * 60_000
const HEALED_WITHIN_MS = 3 * 60_000
const MINUTE_MS = 60_000
/** The load balancer looks every two seconds. */
const LOOKED_TWICE_MS = 5000
const LOOK_EVERY_MS = 500
/** Seldom enough for all pages together to stay below what one address may ask. */
const READ_EVERY_MS = 1000
/** Whose copies answer who reads, by what they are asked for. */
const copied = ['identity', 'catalogue', 'auction-pages', 'messaging', 'boost', 'admin'] as const
/** What is killed under load, again and again in this order. */
const victims = ['auction', 'gateway', 'nats', 'postgres'] as const
/** Bidders of k6, within what production allows one address. */
const load = { BIDDERS: '10', AUCTIONS: '5', RATE: '20' } as const

const { values: asked } = parseArgs({ options: { minutes: { type: 'string', default: '0' } } })
const minutes = Number(asked.minutes)
if (!(minutes >= 0)) {
  console.error('Usage: npm run test:containers [-- --minutes N]')
  process.exit(2)
}

const directory = mkdtempSync(join(tmpdir(), 'wangian-containers-'))
const [httpsPort, httpPort, mailPort] = [await findFreePort(), await findFreePort(), await findFreePort()]
const publicUrl = `https://localhost:${httpsPort}`
const mailpitUrl = `http://localhost:${mailPort}`
const certificateFile = join(directory, 'certificate.pem')
const project = `wangian-check-${process.pid}`
const variables = {
  // As operators write it, too.
  PUBLIC_URL: `${publicUrl}/`,
  HTTPS_PORT: String(httpsPort),
  HTTP_PORT: String(httpPort),
  MAIL_PORT: String(mailPort),
  WANGIAN_VERSION: project,
}

const engine = await run('docker', ['version', '--format', '{{.Server.Version}}']).catch((error: Error) => error)
if (engine instanceof Error) {
  console.error(`There is no Docker engine that answers: ${engine.message}`)
  process.exit(1)
}
const hasCompose2 = await run('docker', ['compose', 'version']).then(
  () => true,
  () => false,
)
say(`Docker ${engine.trim()}, Compose ${hasCompose2 ? 'as its plugin' : 'by docker-compose'}`)

try {
  await bringUp()
  const market = marketAt(publicUrl)
  const site: PublicSite = { publicUrl, market, mailTo: (email) => newestMailIn(mailpitUrl, email), say }
  const [seller, buyer] = [await signUp(site, 'rani'), await signUp(site, 'azlan')]
  const auctionId = await expectAuction(site, seller, buyer)
  const signIn = () => market.signIn('azlan@example.com')
  const bidding = keepBidding(site, signIn, auctionId)
  const once = Object.fromEntries([...copied, 'auction', 'gateway'].map((name) => [name, 1]))
  await scale({ ...once, auction: 3, gateway: 2 })
  if (minutes > 0) await loadAndHurt()
  else for (const name of victims) await hurt(name)
  await scale({ ...once, ...Object.fromEntries(copied.map((name) => [name, 2])) })
  await hurtCopies(await signIn(), auctionId)
  await scale(once)
  const { acknowledged, silenceMaxMs } = await bidding.stop()
  await expectBids(site, auctionId, acknowledged)
  say(`${acknowledged.length} bids acknowledged and none lost; the longest wait for an answer was ${silenceMaxMs} ms`)
} catch (error) {
  console.error(await compose('ps').catch(() => ''))
  console.error(await compose('logs', '--no-color', '--tail=20').catch(() => ''))
  throw error
} finally {
  await compose('down', '--volumes', '--timeout', '10').catch((error: Error) => say(error.message))
  await run('docker', ['image', 'rm', `wangian:${project}`]).catch((error: Error) => say(error.message))
  rmSync(directory, { recursive: true, force: true })
}

function say(line: string): void {
  console.log(`${Math.round(performance.now() / 1000)} s  ${line}`)
}

/** Runs a program to its end. @throws with its own words when it fails */
async function run(program: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...inheritedEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [said, problems, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${problems.trim().slice(-2000)}`)
  return said
}

function compose(...args: readonly string[]): Promise<string> {
  const [program, first] = hasCompose2 ? ['docker', ['compose']] : ['docker-compose', []]
  return run(program, [...first, '--project-name', project, ...args], variables)
}

async function bringUp(): Promise<void> {
  const image = ['--tag', `wangian:${project}`, '--file', join(repositoryRoot, 'infra/docker/Dockerfile')]
  await run('docker', ['build', ...image, repositoryRoot])
  say('the image is built')
  for (const path of ['docker-compose.yml', 'infra/docker/haproxy.cfg']) {
    cpSync(join(repositoryRoot, path), join(directory, path))
  }
  await compose('run', '--rm', 'secrets')
  const certificate = readFileSync(join(directory, 'secrets/load-balancer/tls.pem'), 'utf8')
  writeFileSync(certificateFile, certificate)
  setDefaultCACertificates([...getCACertificates('default'), certificate])
  await compose('up', '--detach')
  await untilReady(STARTED_WITHIN_MS)
  const answer = await fetch(`http://localhost:${httpPort}/products`, { redirect: 'manual' })
  assert.equal(answer.headers.get('location'), `${publicUrl}/products`)
  say(`ready at ${publicUrl}`)
}

/** Resolves when people can use it, and still can when the load balancer has looked at every gateway twice. */
async function untilReady(timeoutMs: number): Promise<void> {
  let sinceMs = Number.POSITIVE_INFINITY
  await eventually(
    async () => {
      // Seldom enough for what one address may ask.
      await wait(LOOK_EVERY_MS)
      const answer = await fetch(`${publicUrl}/api/categories`).catch(() => undefined)
      await answer?.body?.cancel()
      sinceMs = answer?.status === 200 ? Math.min(sinceMs, performance.now()) : Number.POSITIVE_INFINITY
      assert.ok(performance.now() - sinceMs > LOOKED_TWICE_MS)
    },
    { timeoutMs },
  )
}

/** So many of each, all of them healthy. */
async function scale(counts: Readonly<Record<string, number>>): Promise<void> {
  const wanted = Object.entries(counts)
  const scales = wanted.flatMap(([name, count]) => ['--scale', `${name}=${count}`])
  await compose('up', '--detach', '--no-recreate', ...scales)
  for (const [name, count] of wanted) await untilHealthy(name, count)
  say(wanted.map(([name, count]) => `${name}=${count}`).join(' '))
}

async function untilHealthy(name: string, count: number): Promise<void> {
  await eventually(
    async () => {
      const ids = await containersOf(name)
      const states = await run('docker', ['inspect', '--format', '{{.State.Health.Status}}', ...ids])
      assert.deepEqual(states.trim().split('\n'), Array(count).fill('healthy'))
    },
    { timeoutMs: HEALED_WITHIN_MS },
  )
}

async function containersOf(name: string): Promise<string[]> {
  return (await compose('ps', '--quiet', name)).trim().split('\n')
}

/** Kills the first process of a container, as a crash would, and waits until Docker has started it again and it is healthy. */
async function hurt(name: string): Promise<void> {
  const ids = await containersOf(name)
  const [id = ''] = ids
  const look = (format: string) => run('docker', ['inspect', '--format', format, id])
  const [pid, before] = [(await look('{{.State.Pid}}')).trim(), await look('{{.RestartCount}}')]
  // By the engine itself it would count as stopped by hand, and nobody would start it again.
  const killer = ['run', '--rm', '--pid=host', '--user=root', '--entrypoint=bash', `wangian:${project}`]
  await run('docker', [...killer, '-c', `kill -KILL ${pid}`])
  await eventually(async () => assert.notEqual(await look('{{.RestartCount}}'), before), {
    timeoutMs: HEALED_WITHIN_MS,
  })
  await untilHealthy(name, ids.length)
  await untilReady(HEALED_WITHIN_MS)
  say(`one of ${name} was killed and is back`)
}

/** Kills one of two copies of each service while everybody reads, of whom nobody may be refused. */
async function hurtCopies(reader: Trader, auctionId: number): Promise<void> {
  const paths: readonly (readonly [path: string, token?: string])[] = [
    ['/'],
    ['/api/v1/auth/me', reader.token],
    ['/api/products'],
    [`/api/auctions/${auctionId}`],
    ['/api/messages', reader.token],
    ['/api/boost/packages'],
  ]
  const refused: string[] = []
  const stopping = new AbortController()
  const reading = paths.map(async ([path, token]) => {
    while (!stopping.signal.aborted) {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const said = await fetch(`${publicUrl}${path}`, { headers }).then(
        async (answer) => [answer.status, await answer.text()] as const,
        (error: Error) => [0, `${error.message}: ${error.cause}`] as const,
      )
      if (said[0] !== 200) refused.push(`${path}: ${said.join(' ').slice(0, 200)}`)
      await wait(READ_EVERY_MS)
    }
  })
  try {
    for (const name of copied) await hurt(name)
  } finally {
    stopping.abort()
    await Promise.all(reading)
  }
  assert.deepEqual(refused, [])
  say('nobody who read was refused meanwhile')
}

/** k6 bids at the public port while one container is killed each minute. What was acknowledged must be stored. */
async function loadAndHurt(): Promise<void> {
  // Built where it is missing, which takes minutes: nothing would bid during them.
  await findK6(k6Search(), say)
  const script = join(repositoryRoot, 'infra/load/run.ts')
  const k6 = spawn(process.execPath, [script, 'many-auctions', '--minutes', String(minutes)], {
    env: {
      ...inheritedEnvironment(),
      ...load,
      BASE_URL: publicUrl,
      MAILPIT_URL: mailpitUrl,
      DISTURBED: '1',
      NODE_EXTRA_CA_CERTS: certificateFile,
      // For k6, which is written in Go.
      SSL_CERT_FILE: certificateFile,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = once(k6, 'exit')
  const startedAtMs = performance.now()
  for (let minute = 0; minute < minutes; minute++) {
    // Healing takes some of the minute.
    const restMs = startedAtMs + (minute + 1) * MINUTE_MS - performance.now()
    await Promise.race([wait(Math.max(0, restMs)), ended])
    if (k6.exitCode !== null || k6.signalCode !== null) break
    await hurt(victims[minute % victims.length] ?? victims[0])
  }
  const [code] = await ended
  assert.equal(code, 0, 'what k6 was promised is not what is stored')
  say(`k6 has bid for ${minutes} minutes, and what was acknowledged is stored`)
}
