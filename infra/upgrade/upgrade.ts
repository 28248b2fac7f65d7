// npm run test:upgrade -- <git ref>
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import { connectNats, type NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { findFreePort } from '@wangian/kit/free-port.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { openReadModels } from '../faults/read-models.ts'
import { inheritedEnvironment, repositoryRoot } from '../local/config.ts'
import { loadNatsPasswords, natsUrlFor, startNats } from '../local/servers/nats.ts'
import { databaseServices, mainScript, type ServiceName } from '../local/services.ts'
import { type SystemOptions, startSystem } from '../local/system.ts'
import { type Answer, type Market, marketAt, type Trader } from '../rig/market.ts'

/*
 * Upgrades from the version of a git ref to this one: a data directory as `npm start` of that version has left it, and a running system whose
 * services are replaced one by one, in several orders. Nothing may be lost, and the tables must be what a rebuild makes of the logs.
 */

const SETTLED_MS = 3_000
const READY_WITHIN_MS = 10 * 60_000
const THERE_WITHIN_MS = 60_000
const AUCTION_MS = 4_000
const settings = { AUTH_MAILER_AUTOCONFIRM: 'true', RATE_LIMIT_FACTOR: '1000000' }
const orders: readonly (readonly ServiceName[])[] = [
  ['auction', 'catalogue', 'messaging', 'boost', 'identity', 'admin', 'gateway'],
  ['admin', 'identity', 'boost', 'messaging', 'catalogue', 'auction', 'gateway'],
]

const [ref] = process.argv.slice(2)
if (ref === undefined) {
  console.error('npm run test:upgrade -- <git ref>')
  process.exit(2)
}
const oldRoot = mkdtempSync(join(tmpdir(), 'wangian-old-'))
const dataDirs: string[] = []
try {
  for (const args of [
    ['clone', '--quiet', '--shared', '--no-checkout', repositoryRoot, oldRoot],
    ['-C', oldRoot, 'checkout', '--quiet', '--detach', ref],
  ])
    assert.equal(spawnSync('git', args, { stdio: 'inherit' }).status, 0)
  await upgradeDataDirectory()
  for (const order of orders) await upgradeOneByOne(order)
  say('nothing was lost')
} finally {
  for (const directory of [oldRoot, ...dataDirs]) rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
}

function say(line: string): void {
  console.log(`${Math.round(performance.now() / 1000)} s  ${line}`)
}

function newDataDirectory(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'wangian-upgrade-'))
  dataDirs.push(dataDir)
  return dataDir
}

/** The old version's own `npm start`, with the demo, then this version's on what it has left. */
async function upgradeDataDirectory(): Promise<void> {
  const dataDir = newDataDirectory()
  const port = await findFreePort()
  say(`installing and starting ${ref} …`)
  const old = spawn('node', ['infra/local/with-node24.mjs', 'infra/local/start.ts'], {
    cwd: oldRoot,
    env: { ...inheritedEnvironment(), ...settings, DATA_DIR: dataDir, PORT: String(port), SEED: 'demo' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const isReady = Promise.withResolvers<void>()
  createInterface(old.stdout).on('line', (line) => {
    console.log(`old: ${line}`)
    if (line.startsWith('Wangian is ready')) isReady.resolve()
  })
  const ended = once(old, 'exit')
  void ended.then(() => isReady.reject(new Error('the old version ended')))
  setTimeout(() => isReady.reject(new Error('the old version is not ready')), READY_WITHIN_MS).unref()
  await isReady.promise
  const natsPort = /^port: (\d+)$/m.exec(readFileSync(join(dataDir, 'nats', 'nats-server.conf'), 'utf8'))?.[1]
  // A version from before there were users asks for no password, and takes this one.
  const natsUrl = natsUrlFor('operator', loadNatsPasswords(dataDir), Number(natsPort))
  const nats = await connectNats({ url: natsUrl, name: 'upgrade' })
  const market = marketAt(`http://localhost:${port}`)
  const before = await makeMarket(market, nats, dataDir)
  await nats.close()
  old.kill('SIGTERM')
  await ended
  say('starting this version on its data …')
  const system = await start({ dataDir, port })
  try {
    await expectNothingLost(system, market, before, dataDir)
  } finally {
    await system.stop()
  }
}

/** A running system of the old version, of which one service after the other is replaced while people go on. */
async function upgradeOneByOne(order: readonly ServiceName[]): Promise<void> {
  const dataDir = newDataDirectory()
  // What the old version does not have yet.
  const isNew = new Set<ServiceName>(databaseServices.filter((service) => !mainScript(oldRoot, service)))
  const rootOf = (service: ServiceName) => (isNew.has(service) ? repositoryRoot : oldRoot)
  say(`starting ${ref}, to be replaced one by one: ${order.join(', ')} …`)
  // What each version may say there is not what is tested here.
  const server = await startNats({ dataDir: newDataDirectory() })
  const system = await start({ dataDir, rootOf, natsUrl: server.url })
  try {
    const market = marketAt(system.url)
    const before = await makeMarket(market, system.nats, dataDir)
    const day = await beginDay(market)
    for (const service of order) {
      isNew.add(service)
      const handles = [...system.services.values()].filter((handle) => handle.service === service)
      await Promise.all(handles.map((handle) => handle.restart()))
      const refused = await day.goOn(service)
      say(`${service} is new${refused.length > 0 ? `; meanwhile refused: ${refused.join(', ')}` : ''}`)
    }
    assert.deepEqual(await day.goOn('everything'), [], 'refused when everything is new')
    await day.expectKept(() => readMails(dataDir))
    await expectNothingLost(system, market, before, dataDir)
  } finally {
    await system.stop()
    await server.stop()
  }
}

async function start(options: Pick<SystemOptions, 'dataDir' | 'port' | 'rootOf' | 'natsUrl'>) {
  const environment = { '*': settings, identity: { SEED: 'demo' } }
  const log = (source: string, line: string) => {
    if (/"level":"(error|fatal)"|ended with|was ended/.test(line)) console.log(`${source}: ${line}`)
  }
  const { nats: _, stop: stopAll, ...system } = await startSystem({ ...options, buildsWeb: false, environment, log })
  const nats = await connectNats({ url: system.natsUrl, name: 'upgrade' })
  const stop = async () => {
    await nats.close()
    await stopAll()
  }
  return { ...system, nats, stop }
}

type Visit = readonly [path: string, person?: Trader]
interface Before {
  readonly visits: readonly Visit[]
  readonly answers: readonly Answer[]
  readonly mails: ReadonlyMap<string, number>
}

/** A small market with something of everything. @returns what it shows */
async function makeMarket(market: Market, nats: NatsConnection, dataDir: string): Promise<Before> {
  const names = ['seller', 'bidder', 'rival', 'faker', 'leaver'] as const
  const registered = await Promise.all(names.map((name) => market.register(`upgrade.${name}`)))
  const [seller, bidder, rival, faker, leaver] = registered as [Trader, Trader, Trader, Trader, Trader]
  const admin = await market.signIn('admin@wangian.test', 'demo-admin')
  const profile = { bio: 'Old bottles.', shopName: 'Old & Co', location: 'Ipoh' }
  await market.succeed('PATCH', `/api/user/${seller.userId}`, seller.token, profile)
  const lots = [
    await market.openAuction(seller, { name: 'Running' }),
    await market.openAuction(faker, { name: 'Hidden' }),
    await market.openAuction(leaver, { name: 'Left' }),
    await market.openAuction(seller, { name: 'Sold', endsInMs: AUCTION_MS }),
  ]
  const [running, hidden, left, sold] = lots.map(({ auctionId }) => auctionId)
  const shelf = await market.list(seller, { name: 'On the shelf' })
  const removed = await market.list(seller, { name: 'Removed' })
  for (const product of [shelf, removed]) await market.succeed('PUT', `/api/favorites/${product}`, bidder.token)
  for (const product of [shelf, shelf]) await market.succeed('POST', `/api/products/${product}/views`, rival.token, {})
  const seats = await Promise.all([bidder, rival].map((person) => market.sitDown(person)))
  for (let amount = 11; amount < 21; amount += 1)
    for (const auction of [running, hidden, left, sold]) seats[amount % 2]?.bid(auction ?? 0, amount)
  seats[0]?.write(seller.userId, 'Is it still there?', shelf)
  seats[0]?.write(rival.userId, 'What was removed?', removed)
  await eventually(() => seats[0]?.frames.filter(({ type }) => type === 'message_sent').length === 2)
  await eventually(() => seats.flatMap(({ frames }) => frames.filter(({ type }) => type === 'bidAccepted')).length > 20)
  for (const seat of seats) seat.leave()
  await market.succeed('DELETE', `/api/products/${removed}`, seller.token)
  const ban = { userId: faker.userId, isBanned: true, actorId: admin.userId, reason: 'Fakes', requestId: 'upgrade' }
  await request(nats, 'identity', identityRequests.setBanned, ban)
  await market.closeAccount(leaver)

  const products = [shelf, removed, ...lots.map(({ productId }) => productId)]
  const visits: Visit[] = [
    ...products.map((id): Visit => [`/api/products/${id}`]),
    ...lots.flatMap(({ auctionId: id }): Visit[] => [[`/api/auctions/${id}`, bidder], [`/api/auctions/${id}/bids`]]),
    ...[seller, faker, leaver].map(({ userId }): Visit => [`/api/sellers/${userId}`]),
    ...['summary', 'products', 'analytics'].map((page): Visit => [`/api/seller/${page}`, seller]),
    ['/api/products?q=shelf'],
    ['/api/favorites', bidder],
    ...[seller, bidder, rival].flatMap((person): Visit[] => [
      ['/api/messages/conversations', person],
      ['/api/messages', person],
      ['/api/v1/auth/me', person],
    ]),
  ]
  await wait(AUCTION_MS)
  let answers = await visitAll(market, visits)
  await eventually(
    async () => {
      const known = answers
      await wait(SETTLED_MS)
      answers = await visitAll(market, visits)
      assert.deepEqual(answers, known)
      const mails = [...(await readMails(dataDir)).keys()].filter((mail) => mail.includes('Sold'))
      assert.equal(mails.length, 2, `seller and winner have a mail: ${mails}`)
    },
    { timeoutMs: THERE_WITHIN_MS },
  )
  return { visits, answers, mails: await readMails(dataDir) }
}

async function visitAll(market: Market, visits: readonly Visit[]): Promise<Answer[]> {
  const answers = await Promise.all(visits.map(([path, person]) => market.call('GET', path, person?.token)))
  return JSON.parse(
    JSON.stringify(answers, (key, value) =>
      /^(serverTime|requestId|text|averagePrice)$/.test(key) ? undefined : withSameMeaning(value),
    ),
  )
}

/**
 * A listing without what means something else than in an earlier version: the price of an auction's (which averages are made of, too, and of which
 * the boost flow does not say that it is one), and the stock of one that is reserved. What was bid, and that it is reserved, is compared in any case.
 */
function withSameMeaning(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('is_featured' in value) return { ...value, price: undefined }
  if (!('listingType' in value)) return value
  const isReserved = 'status' in value && value.status === 'pending'
  return {
    ...value,
    ...(value.listingType === 'auction' && { price: undefined }),
    ...(isReserved && { stockQuantity: undefined }),
  }
}

/** How many mails each has got, by address and subject. */
async function readMails(dataDir: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  const directory = join(dataDir, 'mails')
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.json'))) {
    const { to, subject } = JSON.parse(readFileSync(join(directory, file), 'utf8'))
    counts.set(`${to}: ${subject}`, (counts.get(`${to}: ${subject}`) ?? 0) + 1)
  }
  return counts
}

/** What goes on in the meantime: other people than before list, bid, win and write. */
async function beginDay(market: Market) {
  const [seller, bidder] = [await market.register('day.seller'), await market.register('day.bidder')]
  const listed: number[] = []
  const won: string[] = []
  let messageCount = 0
  return {
    /** @returns what was refused */
    async goOn(name: string): Promise<string[]> {
      const refused: string[] = []
      const attempt = (what: string, work: () => Promise<unknown>) =>
        work().catch((error: Error) => refused.push(`${what} (${error.message.slice(0, 80)})`))
      await attempt('a profile', () =>
        market.succeed('PATCH', `/api/user/${seller.userId}`, seller.token, { bio: `until ${name}` }),
      )
      await attempt('a listing', async () => listed.push(await market.list(seller, { name: `Listed with ${name}` })))
      await attempt('a deletion', async () => {
        const productId = await market.list(seller, { name: `Deleted with ${name}` })
        await market.succeed('DELETE', `/api/products/${productId}`, seller.token)
      })
      const seat = await market.sitDown(bidder)
      const heard = (type: string) => eventually(() => seat.frames.some((frame) => frame.type === type))
      await attempt('an auction', async () => {
        const { auctionId } = await market.openAuction(seller, { name: `Won with ${name}`, endsInMs: 2 * AUCTION_MS })
        seat.bid(auctionId, 20)
        await attempt('a bid', () => heard('bidAccepted').then(() => won.push(`Won with ${name}`)))
      })
      await attempt('a message', () => {
        seat.write(seller.userId, `Hello from ${name}`, listed[0])
        return heard('message_sent').then(() => (messageCount += 1))
      })
      seat.leave()
      return refused
    },
    /** That everything that was accepted is there. */
    async expectKept(readMailsNow: () => Promise<ReadonlyMap<string, number>>): Promise<void> {
      await eventually(
        async () => {
          for (const id of listed) assert.equal((await market.call('GET', `/api/products/${id}`)).status, 200)
          const shop = await market.succeed('GET', `/api/sellers/${seller.userId}`)
          assert.match(JSON.stringify(shop), /until everything/)
          const messages = await market.succeed('GET', `/api/messages?limit=50`, seller.token)
          assert.equal(
            messages.filter(({ content }: { content: string }) => /^Hello/.test(content)).length,
            messageCount,
          )
          const mails = [...(await readMailsNow())].filter(([mail]) => mail.includes('Won with'))
          assert.deepEqual(
            mails.filter(([, count]) => count > 1),
            [],
          )
          for (const name of won) assert.equal(mails.filter(([mail]) => mail.includes(name)).length, 2, name)
        },
        { timeoutMs: THERE_WITHIN_MS },
      )
    },
  }
}

/** Everything is as before, once what was missed is read; a rebuild changes nothing, and nobody gets a mail again. */
async function expectNothingLost(
  system: Awaited<ReturnType<typeof start>>,
  market: Market,
  before: Before,
  dataDir: string,
): Promise<void> {
  const models = await openReadModels(system, system.nats)
  try {
    await models.untilHeard()
    const expectAsBefore = async () => {
      const answers = await visitAll(market, before.visits)
      for (const [index, [path]] of before.visits.entries())
        assert.partialDeepStrictEqual(answers[index], before.answers[index], path)
    }
    await eventually(expectAsBefore, { timeoutMs: THERE_WITHIN_MS })
    assert.deepEqual(await models.rebuildAll(), [], 'a rebuild changed')
    await expectAsBefore()
    const again = [...(await readMails(dataDir))].filter(([mail, count]) => count > (before.mails.get(mail) ?? 1))
    assert.deepEqual(again, [], 'mails came again')
    say(`${before.visits.length} pages are as before, a rebuild changes nothing, no mail came again`)
  } finally {
    await models.close()
  }
}
