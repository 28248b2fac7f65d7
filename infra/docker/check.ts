// npm run test:containers
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { inheritedEnvironment, repositoryRoot } from '../local/config.ts'
import { findFreePort } from '../local/ports.ts'
import { expectAuction, type PublicSite, signUp } from '../production/journey.ts'
import { marketAt, type Seat, type Trader } from '../rig/market.ts'

/*
 * The containers of docker-compose.yml on the Docker engine of this machine, from nothing: built, started with secrets of their own, used at the
 * public port, scaled while somebody bids, and hurt. No acknowledged bid may be lost. Everything that it made is removed afterwards.
 */

const STARTED_WITHIN_MS = 5 * 60_000
const HEALED_WITHIN_MS = 3 * 60_000
/** Below what one person may bid. */
const BID_EVERY_MS = 250
/** How long a bid may wait for its answer before it is sent again, with its own id. */
const ANSWER_TIMEOUT_MS = 3000

const directory = mkdtempSync(join(tmpdir(), 'wangian-containers-'))
const [httpsPort, httpPort, mailPort] = [await findFreePort(), await findFreePort(), await findFreePort()]
const publicUrl = `https://localhost:${httpsPort}`
const project = `wangian-check-${process.pid}`
const variables = {
  PUBLIC_URL: publicUrl,
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
  const site: PublicSite = { publicUrl, market, mailTo, say }
  const [seller, buyer] = [await signUp(site, 'rani'), await signUp(site, 'azlan')]
  const auctionId = await expectAuction(site, seller, buyer)
  const bidding = keepBidding(site, buyer, auctionId)
  await scale(3, 2)
  for (const name of ['auction', 'gateway', 'nats', 'postgres']) await hurt(name)
  await scale(1, 1)
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
  setDefaultCACertificates([...getCACertificates('default'), certificate])
  await compose('up', '--detach')
  await untilReady(STARTED_WITHIN_MS)
  const answer = await fetch(`http://localhost:${httpPort}/products`, { redirect: 'manual' })
  assert.equal(answer.headers.get('location'), `${publicUrl}/products`)
  say(`ready at ${publicUrl}`)
}

/** Resolves when people can use it. */
async function untilReady(timeoutMs: number): Promise<void> {
  await eventually(async () => assert.equal((await fetch(`${publicUrl}/api/products`)).status, 200), { timeoutMs })
}

async function mailTo(email: string): Promise<string | undefined> {
  const api = `http://localhost:${mailPort}/api/v1`
  const found = await fetch(`${api}/search?query=${encodeURIComponent(`to:"${email}"`)}`)
  const [newest] = ((await found.json()) as { messages: { ID: string }[] }).messages
  if (newest === undefined) return undefined
  return ((await (await fetch(`${api}/message/${newest.ID}`)).json()) as { Text: string }).Text
}

/** So many owners and gateways, all of them healthy. */
async function scale(owners: number, gateways: number): Promise<void> {
  await compose('up', '--detach', '--no-recreate', '--scale', `auction=${owners}`, '--scale', `gateway=${gateways}`)
  await untilHealthy('auction', owners)
  await untilHealthy('gateway', gateways)
  say(`auction=${owners} gateway=${gateways}`)
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

/** Bids one ringgit more, again and again; a bid without an answer is sent again with its own id. */
function keepBidding({ market }: PublicSite, buyer: Trader, auctionId: number) {
  const stopping = new AbortController()
  const acknowledged: number[] = []
  let silenceMaxMs = 0
  let seat: Seat | undefined

  async function answerTo(bid: { readonly bidId: string; readonly amount: number }): Promise<boolean> {
    if (!seat?.isOpen()) seat = await market.sitDown(buyer)
    const { frames, send } = seat
    const from = frames.length
    send({ type: 'placeBid', auctionId, userId: buyer.userId, ...bid })
    const answer = await eventually(
      () => frames.slice(from).find((frame) => (frame as { bidId?: string }).bidId === bid.bidId) ?? false,
      { timeoutMs: ANSWER_TIMEOUT_MS },
    )
    if (answer.type === 'bidAccepted') return true
    assert.match(answer.code ?? '', /^(unavailable|busy|outcome-unknown|rate-limited)$/)
    return false
  }

  async function bidOn(): Promise<void> {
    for (let amount = 13; !stopping.signal.aborted; amount++) {
      const bid = { bidId: randomUUID(), amount }
      const sinceMs = performance.now()
      // While the way to the owner is cut, asking fails in many ways; what counts is how long.
      while (!(await answerTo(bid).catch(() => false))) {
        assert.ok(performance.now() - sinceMs < HEALED_WITHIN_MS, `no answer to the bid of ${amount}`)
        if (seat?.isOpen()) seat.leave()
        await wait(BID_EVERY_MS)
      }
      silenceMaxMs = Math.max(silenceMaxMs, Math.round(performance.now() - sinceMs))
      acknowledged.push(amount)
      await wait(BID_EVERY_MS)
    }
    seat?.leave()
  }

  const done = bidOn()
  done.catch(() => {})
  return {
    async stop() {
      stopping.abort()
      await done
      return { acknowledged, silenceMaxMs }
    },
  }
}

/** The history has each bid that was acknowledged, once. */
async function expectBids({ market }: PublicSite, auctionId: number, acknowledged: readonly number[]): Promise<void> {
  const amounts: number[] = []
  let next: string | undefined = `/api/auctions/${auctionId}/bids?limit=100`
  while (next !== undefined) {
    const answer: Response = await fetch(`${publicUrl}${next}`)
    for (const bid of (await answer.json()) as { amount: number }[]) amounts.push(bid.amount)
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]?.replace(publicUrl, '')
  }
  assert.deepEqual(amounts.reverse(), [12, ...acknowledged])
  const { auction } = { auction: await market.succeed('GET', `/api/auctions/${auctionId}`) }
  assert.equal(auction.currentBid, acknowledged.at(-1))
}
