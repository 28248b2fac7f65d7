import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { comparePositions, LOG_START } from '@wangian/contracts/envelope.ts'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import { eventStreamName } from '@wangian/contracts/subjects.ts'
import { connectNats, type NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repositoryRoot } from '../local/config.ts'
import { type System, startSystem } from '../local/system.ts'
import { type Market, marketAt, type Seat, type Trader } from '../rig/market.ts'
import { loggingServices, openReadModels, type ReadModels } from './read-models.ts'

const PAGE_EVERY_MS = 25
const BID_EVERY_MS = 100
const TALK_EVERY_MS = 400
/** Some are too low when they arrive. */
const BURST = 900
/** More than JetStream sends ahead to one consumer, so that the rest of them is in the stream only. */
const ACCEPTED_OF_BURST_MIN = 600

let system: System
let dataDir: string
let nats: NatsConnection
let manager: JetStreamManager
let market: Market
let models: ReadModels
let people: Record<'admin' | 'seller' | 'bidder' | 'rival' | 'faker' | 'leaver', Trader>
/** Bids are placed in the first one. */
let auctions: readonly [Lot, Lot]
let load: Load

interface Lot {
  readonly productId: number
  readonly auctionId: number
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-read-models-'))
  const identity = {
    AUTH_MAILER_AUTOCONFIRM: 'true',
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'first administrator',
  }
  system = await startSystem({ dataDir, buildsWeb: false, rateLimitFactor: 1_000_000, environment: { identity } })
  nats = await connectNats({ url: system.natsUrl, name: 'read-models-test' })
  manager = await jetstreamManager(nats, { checkAPI: false })
  models = await openReadModels(system, nats)
  market = marketAt(system.url)
  people = {
    admin: await market.signIn(identity.ADMIN_EMAIL, identity.ADMIN_PASSWORD),
    seller: await market.register('seller'),
    bidder: await market.register('bidder'),
    rival: await market.register('rival'),
    faker: await market.register('faker'),
    leaver: await market.register('leaver'),
  }
  auctions = [await market.openAuction(people.seller), await market.openAuction(people.faker)]
  await market.succeed('PUT', `/api/favorites/${auctions[0].productId}`, people.bidder.token)
  await models.untilHeard()
  load = await startLoad()
})

afterAll(async () => {
  await load?.stop()
  await models?.close()
  await nats?.close()
  await system?.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

interface Load {
  readonly seats: readonly Seat[]
  readonly pageCount: () => number
  /** Pages that did not answer 200 although their service was there. */
  readonly refused: readonly string[]
  /** Does something while these services are away, of which no page is asked. */
  without(away: readonly EventSource[], work: () => Promise<void>): Promise<void>
  /** Resolves when somebody has bid, written and listed again. */
  goesOn(): Promise<void>
  stop(): Promise<void>
}

/**
 * People who bid, write to each other and list, and guests who look at pages. Nobody changes a profile: what is told of people is what they are
 * when it is told, so that a rebuilt row may be ahead of what was heard.
 */
async function startLoad(): Promise<Load> {
  const { seller, bidder, rival } = people
  const [{ auctionId, productId }] = auctions
  const seats = await Promise.all([bidder, rival].map((person) => market.sitDown(person)))
  const pages: readonly (readonly [EventSource, string, string?])[] = [
    ['catalogue', '/api/products'],
    ['catalogue', `/api/products/${productId}`],
    ['catalogue', `/api/sellers/${seller.userId}`],
    ['catalogue', '/api/seller/summary', seller.token],
    ['auction', `/api/auctions/${auctionId}/bids`],
    ['auction', '/api/auctions?status=active'],
    ['messaging', '/api/messages/conversations', rival.token],
    ['identity', '/api/v1/auth/me', seller.token],
  ]
  const refused: string[] = []
  let away: readonly EventSource[] = []
  let pageCount = 0
  let isStopped = false
  let asking: Promise<void> = Promise.resolve()
  const ask = async (path: string, token?: string) => {
    const { status } = await market.call('GET', path, token).catch((error) => ({ status: String(error) }))
    pageCount += 1
    if (status !== 200) refused.push(`${path}: ${status}`)
  }
  const looking = (async () => {
    for (let index = 0; !isStopped; index += 1) {
      const [service, path, token] = pages[index % pages.length] ?? ['catalogue', '/api/products']
      if (!away.includes(service)) {
        asking = ask(path, token)
        await asking
      }
      await wait(PAGE_EVERY_MS)
    }
  })()
  const bidding = setInterval(() => {
    for (const seat of seats) seat.bid(auctionId, nextAmount())
  }, BID_EVERY_MS)
  const talking = setInterval(() => {
    seats[0]?.write(rival.userId, 'Is it still there?', productId)
    // While a service is away, some of it is refused.
    void market.list(seller).catch(() => {})
  }, TALK_EVERY_MS)
  return {
    seats,
    refused,
    pageCount: () => pageCount,
    async without(services, work) {
      away = services
      await asking
      await work()
      away = []
    },
    async goesOn() {
      const before = await models.logEnds()
      await eventually(async () => {
        const now = await models.logEnds()
        for (const type of ['auction BidPlaced', 'messaging MessageSent', 'catalogue ListingCreated'])
          expect(comparePositions(now.get(type) ?? LOG_START, before.get(type) ?? LOG_START), type).toBeGreaterThan(0)
      }).catch((error: unknown) => {
        throw new Error(`nothing more came of the load: ${describeSeats(seats)}; ${describeProcesses()}`, {
          cause: error,
        })
      })
    },
    async stop() {
      isStopped = true
      clearInterval(bidding)
      clearInterval(talking)
      await looking
      for (const seat of seats) seat.leave()
    },
  }
}

/** What they were told last, for the message of a failure. */
function describeSeats(seats: readonly Seat[]): string {
  const last = seats.map(
    (seat) => `${seat.isOpen() ? 'open' : 'closed'} after ${JSON.stringify(seat.frames.slice(-3))}`,
  )
  return last.join(', ')
}

function describeProcesses(): string {
  return [...system.services.values()].map(({ name, restarts }) => `${name} restarted ${restarts} times`).join(', ')
}

let amount = 10
function nextAmount(): number {
  amount += 1
  return amount
}

/** What was heard up to now is in the tables as the logs say, nothing was put aside, and all pages were served. */
async function expectTablesAsLogsSay(): Promise<void> {
  await load.goesOn()
  await models.untilHeard()
  expect(await models.rebuildAll()).toEqual([])
  expect(load.pageCount()).toBeGreaterThan(pagesSeen)
  pagesSeen = load.pageCount()
  expect(load.refused).toEqual([])
}
let pagesSeen = 0

async function countBids(): Promise<number> {
  return Number(await models.pools.auction.oneFirst(sql.unsafe`select count(*) from events where type = 'BidPlaced'`))
}

/** The seller's profile says something else from now on. */
async function introduce(bio: string): Promise<void> {
  const { userId, token } = people.seller
  await market.succeed('PATCH', `/api/user/${userId}`, token, { bio })
}

/** So many bids at once, that JetStream does not send all of them to somebody who reads none. */
async function placeBurst(): Promise<void> {
  const before = await countBids()
  for (let count = 0; count < BURST; count += 1) load.seats[count % 2]?.bid(auctions[0].auctionId, nextAmount())
  await eventually(async () => expect(await countBids()).toBeGreaterThan(before + ACCEPTED_OF_BURST_MIN))
}

/** Does something while these processes are stopped. */
async function whileStopped(names: readonly string[], away: readonly EventSource[], work: () => Promise<void>) {
  const handles = names.map((name) => system.services.get(name))
  await load.without(away, async () => {
    await Promise.all(handles.map((handle) => handle?.stop()))
    await work()
    await Promise.all(handles.map((handle) => handle?.start()))
  })
}

const purgeStreams = () =>
  Promise.all(loggingServices.map((service) => manager.streams.purge(eventStreamName(service))))

describe('every read model equals a rebuilt one, while people go on', () => {
  it('after the store of JetStream was lost', async () => {
    await load.goesOn()
    await system.nats?.stop()
    await introduce('after the store was lost')
    rmSync(system.nats?.storeDirectory ?? '', { recursive: true })
    await system.nats?.start()
    await expectTablesAsLogsSay()
  })

  it('after messages were dropped before they were sent', async () => {
    const catalogue = system.services.get('catalogue')
    await load.without(['catalogue'], async () => {
      catalogue?.pause()
      await introduce('while catalogue reads nothing')
      await placeBurst()
      const stream = eventStreamName('auction')
      const { state } = await manager.streams.info(stream)
      for (let seq = state.last_seq - 60; seq < state.last_seq; seq += 3)
        await manager.streams.deleteMessage(stream, seq)
      catalogue?.resume()
      await eventually(async () => (await market.call('GET', '/api/products')).status === 200)
    })
    await expectTablesAsLogsSay()
  })

  it('after messages came twice', async () => {
    for (const service of loggingServices) {
      const stream = eventStreamName(service)
      const { state } = await manager.streams.info(stream)
      // Nothing was told yet of a service that has nothing to do here: numbers begin at one.
      const first = Math.max(1, state.first_seq, state.last_seq - 100)
      for (let seq = state.last_seq; seq >= first; seq -= 1) {
        const message = await manager.streams.getMessage(stream, { seq })
        if (message !== null) nats.publish(message.subject, message.data)
      }
    }
    await expectTablesAsLogsSay()
  })

  it('after the streams were purged while a service was away', async () => {
    const { admin, faker, leaver, seller } = people
    await whileStopped(['catalogue', 'messaging'], ['catalogue', 'messaging'], async () => {
      const ban = { userId: faker.userId, isBanned: true, actorId: admin.userId, reason: 'Fakes', requestId: 'test' }
      await request(nats, 'identity', identityRequests.setBanned, ban)
      await introduce('while two are away')
      await placeBurst()
      await purgeStreams()
    })
    // Who reads of auctions is answered by another process.
    await whileStopped(['auction-1'], [], async () => {
      await market.list(seller)
      await market.closeAccount(leaver)
      await purgeStreams()
    })
    await expectTablesAsLogsSay()
    expect((await market.call('GET', `/api/products/${auctions[1].productId}`)).status).toBe(404)
    expect((await market.call('GET', `/api/sellers/${leaver.userId}`)).status).toBe(404)
    expect((await market.call('GET', `/api/sellers/${seller.userId}`)).body.bio).toBe('while two are away')
  })
})

describe('npm run rebuild', () => {
  it('mends the tables of all services while people go on', async () => {
    const { auction, catalogue, identity, messaging } = models.pools
    const [, { auctionId, productId }] = auctions
    const before = await listKnownPeople()
    await messaging.query(sql.unsafe`delete from known_people`)
    await messaging.query(sql.unsafe`delete from products`)
    await messaging.query(sql.unsafe`delete from conversations`)
    await catalogue.query(sql.unsafe`update product_days set bids = bids + 7, messages = 0`)
    await catalogue.query(sql.unsafe`update known_people set username = 'nobody', bio = 'nothing'`)
    await catalogue.query(sql.unsafe`update products set name = 'nothing' where id = ${productId}`)
    await auction.query(sql.unsafe`delete from listings`)
    await auction.query(sql.unsafe`update auction_terms set ends_at = now() where id = ${auctionId}`)
    await identity.query(sql.unsafe`update users set is_admin = not is_admin`)
    expect(await listKnownPeople()).not.toEqual(before)
    const said = (await Promise.all(loggingServices.map(runRebuildCommand))).join()
    for (const table of [
      'known_people',
      'products',
      'conversations',
      'product_days',
      'listings',
      'auction_terms',
      'users',
    ])
      expect(said).toMatch(new RegExp(`\\b${table} \\([1-9]\\d* rows were otherwise\\)`))
    expect(await listKnownPeople()).toEqual(before)
    await expectTablesAsLogsSay()
  })

  it('changes nothing when nothing is wrong', async () => {
    await load.stop()
    await models.untilHeard()
    const before = await models.dump()
    for (const table of ['catalogue.product_days', 'messaging.messages', 'auction.listings', 'identity.users'])
      expect(before[table]?.join(''), table).not.toBe('')
    expect(await models.rebuildAll()).toEqual([])
    expect(await models.dump()).toEqual(before)
    console.log(`read models: ${load.pageCount()} pages were served, ${await countBids()} bids accepted`)
  })
})

/** @returns what `npm run rebuild -- <service>` said */
async function runRebuildCommand(service: EventSource): Promise<string> {
  const child = spawn(process.execPath, [join(repositoryRoot, 'infra/local/rebuild.ts'), service], {
    env: { ...process.env, DATA_DIR: dataDir },
  })
  let said = ''
  for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (said += text))
  const [code] = await once(child, 'close')
  expect(code, said).toBe(0)
  return said
}

/** What the load does not change of people. */
async function listKnownPeople(): Promise<readonly unknown[]> {
  const known = sql.unsafe`
    select user_id, username, is_seller, is_banned, is_closed from known_people order by user_id`
  return Promise.all([models.pools.catalogue.any(known), models.pools.messaging.any(known)])
}
