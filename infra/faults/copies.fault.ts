import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type System, startSystem } from '../local/system.ts'
import { type Market, marketAt, type Seat, type Trader } from '../rig/market.ts'

const PAUSE_MS = 20
const DONE_WITHIN_MS = 20_000
const services = ['identity', 'catalogue', 'messaging', 'boost', 'admin', 'auction-pages'] as const

let system: System
let dataDir: string
let market: Market
let seller: Trader
let buyer: Trader
let admin: Trader
let seat: Seat
let productId: number
let auctionId: number
/** What the services have said of it: a refusal does not tell why. */
const complaints: string[] = []
/** What everybody must be able to read all the time. */
let reads: readonly (readonly [path: string, token?: string])[]

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-copies-'))
  // Administrators need no second factor where the accounts are those of the demo.
  const environment = { identity: { AUTH_MAILER_AUTOCONFIRM: 'true', SEED: 'demo' } }
  const log = (source: string, line: string) => {
    if (/"level":"(warn|error|fatal)"/.test(line)) complaints.push(`${source}: ${line}`)
  }
  system = await startSystem({ dataDir, buildsWeb: false, copies: 2, rateLimitFactor: 1_000_000, environment, log })
  market = marketAt(system.url)
  admin = await market.signIn('admin@wangian.test', 'demo-admin')
  seller = await market.register('seller')
  buyer = await market.register('buyer')
  seat = await market.sitDown(buyer)
  productId = await market.list(seller)
  ;({ auctionId } = await market.openAuction(seller))
  reads = [
    ['/api/v1/auth/me', buyer.token],
    [`/api/products/${productId}`],
    [`/api/auctions/${auctionId}`],
    ['/api/messages', buyer.token],
    ['/api/boost/packages'],
    ['/api/admin/users', admin.token],
  ]
  await eventually(async () => {
    for (const [path, token] of reads) await market.succeed('GET', path, token)
  })
})

afterAll(async () => {
  seat?.leave()
  await system?.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

/** Reads everything again and again until it is told to stop. @returns what was refused */
function keepReading(): () => Promise<readonly string[]> {
  const refused: string[] = []
  let isDone = false
  const running = reads.map(async ([path, token]) => {
    while (!isDone) {
      const askedAtMs = performance.now()
      const { status, text } = await market.call('GET', path, token)
      const tookMs = Math.round(performance.now() - askedAtMs)
      if (status !== 200) refused.push(`${path}: ${status} after ${tookMs} ms, ${text}`)
      await wait(PAUSE_MS)
    }
  })
  return async () => {
    isDone = true
    await Promise.all(running)
    return refused
  }
}

describe('two copies of each service', () => {
  it.each(services)('nobody who reads is refused while one of %s is killed and comes back', async (name) => {
    const victim = system.services.get(name)
    if (victim === undefined) throw new Error(`there is no ${name}`)
    complaints.length = 0
    const stop = keepReading()
    await victim.kill()
    // A command that is under way in the one that dies is refused; whoever asks again succeeds at the other.
    const again = (work: () => Promise<unknown>) => eventually(work, { timeoutMs: DONE_WITHIN_MS })
    await again(() => market.succeed('PATCH', `/api/user/${seller.userId}`, seller.token, { bio: `without ${name}` }))
    await again(() => market.list(seller, { name: `Listed without ${name}` }))
    seat.write(seller.userId, `Hello without ${name}`, productId)
    await victim.whenReady()
    expect(await stop(), complaints.join('\n')).toEqual([])
  })

  it('have everything once that was done meanwhile', async () => {
    await eventually(
      async () => {
        const messages: { content: string }[] = await market.succeed('GET', '/api/messages?limit=50', seller.token)
        const contents = messages.map(({ content }) => content).sort()
        expect(contents).toEqual(services.map((name) => `Hello without ${name}`).sort())
        const shop = await market.succeed('GET', `/api/sellers/${seller.userId}`)
        expect(JSON.stringify(shop)).toContain('without auction-pages')
      },
      { timeoutMs: DONE_WITHIN_MS },
    )
  })

  it('go on through the other gateway when one is killed', async () => {
    const other = marketAt(system.services.get('gateway-2')?.url ?? '')
    const gateway = system.services.get('gateway')
    await gateway?.kill()
    await other.succeed('GET', `/api/products/${productId}`)
    const next = await other.sitDown(seller)
    next.write(buyer.userId, 'By the other way', productId)
    await next.heard('message_sent')
    next.leave()
    await gateway?.whenReady()
    await market.succeed('GET', `/api/products/${productId}`)
  })
})
