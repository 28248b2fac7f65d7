// npm run test:rolling [-- --rounds 1]
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { picture, uploadForm } from '@wangian/kit/testing/pictures.ts'
import { type System, startSystem } from '../local/system.ts'
import { listing, type Market, marketAt, type Trader } from '../rig/market.ts'
import { type FrontDoor, openFrontDoor } from './front-door.ts'
import { keepAsking, keepBidding, keepWriting, Line, newRecord, Persistent, type Record } from './people.ts'

/*
 * Every process of a system with two copies of everything is told to stop (SIGTERM) and started anew, one after the other, while people read, list,
 * keep, upload, write, bid and watch. No request may be refused or lost; sockets are closed with 1012 and come back; a bid may be told to be tried
 * again, and none that was accepted is lost.
 */

const SETTLED_WITHIN_MS = 30_000
const RESTARTING = 1012
const OFTEN_MS = 40
const SOMETIMES_MS = 250
const fixed = { listingType: 'fixed' }
const { values: flags } = parseArgs({ options: { rounds: { type: 'string', default: '1' } } })

const dataDir = mkdtempSync(join(tmpdir(), 'wangian-rolling-'))
const environment = { '*': { AUTH_MAILER_AUTOCONFIRM: 'true' }, identity: { SEED: 'demo' } }
let system: System | undefined
try {
  const copies = 2
  const scale = { copies, auctionInstances: 2, rateLimitFactor: 1_000_000 }
  system = await startSystem({ dataDir, buildsWeb: false, environment, log: showTrouble, ...scale })
  await replaceEverything(system)
} finally {
  await system?.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
}

async function replaceEverything({ url, services }: System): Promise<void> {
  const gateways = [...services.values()].filter(({ service }) => service === 'gateway').map((handle) => handle.url)
  const market = marketAt(url)
  const record = newRecord()
  const door = openFrontDoor(gateways)
  const day = await beginDay({ market, door, record })
  try {
    for (let round = 0; round < Number(flags.rounds); round++) {
      for (const handle of services.values()) {
        const [before, startedAtMs] = [record.problems.length, performance.now()]
        const { pid } = handle
        await handle.restart()
        assert.notEqual(handle.pid, pid)
        // So that what it does with people who come back is seen, too.
        await day.somethingOfEverything()
        const tookS = ((performance.now() - startedAtMs) / 1000).toFixed(1)
        console.log(`${handle.name} is another process after ${tookS} s, problems: ${record.problems.length - before}`)
      }
    }
    await day.expectKept()
  } finally {
    await day.end()
    door.close()
  }
  report(record)
  assert.deepEqual(record.problems, [])
  assert.deepEqual([...record.closeCodes.keys()], [RESTARTING])
}

/** People who do what people do, until the end. */
async function beginDay({ market, door, record }: { market: Market; door: FrontDoor; record: Record }) {
  const names = ['roll.seller', 'roll.buyer', 'roll.bidder', 'roll.rival', 'roll.writer'] as const
  const [seller, buyer, bidder, rival, writer] = (await Promise.all(names.map((name) => market.register(name)))) as [
    Trader,
    Trader,
    Trader,
    Trader,
    Trader,
  ]
  const productId = await market.list(seller)
  const lots = [await market.openAuction(seller), await market.openAuction(seller)]
  const [first, second] = lots.map(({ auctionId }) => auctionId) as [number, number]
  const admin = await market.signIn('admin@wangian.test', 'demo-admin')
  const reads: readonly (readonly [path: string, token?: string])[] = [
    ['/api/categories'],
    ['/api/products?limit=24'],
    [`/api/products/${productId}`],
    [`/api/sellers/${seller.userId}`],
    [`/api/auctions/${first}`],
    [`/api/auctions/${first}/bids`],
    ['/api/v1/auth/me', buyer.token],
    ['/api/messages/conversations', buyer.token],
    ['/api/boost/packages'],
    ['/api/admin/users', admin.token],
  ]
  await eventually(async () => {
    for (const [path, token] of reads) await market.succeed('GET', path, token)
  })

  let isOver = false
  const during = { door, record, isOver: () => isOver }
  const listed: number[] = []
  const { payload, headers } = uploadForm(await picture())
  const form = new Blob([new Uint8Array(payload)], { type: headers['content-type'] })
  let { refreshToken } = writer.provider
  const asking = [
    ...reads.map(([path, token]) =>
      keepAsking(during, { what: 'a read', pauseMs: OFTEN_MS }, (call) => call('GET', path, token)),
    ),
    keepAsking(during, { what: 'a listing', pauseMs: SOMETIMES_MS }, async (call, number) => {
      const { body } = await call('POST', '/api/products', seller.token, {
        ...listing,
        ...fixed,
        name: `Rolling ${number}`,
      })
      if (body?.id !== undefined) listed.push(body.id)
    }),
    keepAsking(during, { what: 'a favourite', pauseMs: OFTEN_MS }, (call, number) =>
      call(number % 2 === 0 ? 'PUT' : 'DELETE', `/api/favorites/${productId}`, buyer.token),
    ),
    keepAsking(during, { what: 'a profile', pauseMs: SOMETIMES_MS }, (call, number) =>
      call('PATCH', `/api/user/${buyer.userId}`, buyer.token, { bio: `The ${number}th` }),
    ),
    keepAsking(during, { what: 'an upload', pauseMs: SOMETIMES_MS }, (call) =>
      call('POST', '/api/user/avatar', buyer.token, form),
    ),
    keepAsking(during, { what: 'a session', pauseMs: SOMETIMES_MS }, async (call) => {
      const given = { refresh_token: refreshToken }
      const { body } = await call('POST', '/auth/v1/token?grant_type=refresh_token', undefined, given)
      refreshToken = body?.refresh_token ?? refreshToken
    }),
  ]

  const accepted = new Map<string, number>()
  const minima = new Map([first, second].map((auctionId) => [auctionId, { amount: 11 }]))
  const people = [bidder, rival, writer].map((trader) => new Persistent({ door, record, trader }))
  const [bidding, rivalling, writing] = people as [Persistent, Persistent, Persistent]
  const bids = [bidding, rivalling].flatMap((person) =>
    [first, second].map((auctionId) =>
      keepBidding(person, { auctionId, accepted, ...during }, minima.get(auctionId) ?? { amount: 11 }),
    ),
  )
  const messages = keepWriting(writing, { to: seller.userId, productId, ...during })
  const watched = new Map<number, number>()
  const watchers = Array.from({ length: 10 }, (_, index) => {
    const auctionId = index % 2 === 0 ? first : second
    return new Line({
      door,
      record,
      onOpen: (send) => send({ type: 'joinAuction', auctionId, userId: 'guest' }),
      hear: ({ seq }) => {
        if (seq !== undefined) watched.set(index, seq)
      },
    })
  })

  async function stop(): Promise<void> {
    isOver = true
    await Promise.all([...asking, ...bids, messages])
  }

  return {
    /** Waits until people got more of each kind. */
    async somethingOfEverything(): Promise<void> {
      const before = new Map(record.answered)
      const isMore = ([what, count]: [string, number]) => (record.answered.get(what) ?? 0) >= count + 3
      await eventually(() => [...before].every(isMore), { timeoutMs: SETTLED_WITHIN_MS })
    },
    /** That everything that was acknowledged is there, once, and seen by whoever watches. */
    async expectKept(): Promise<void> {
      await stop()
      const retried = (await Promise.all(bids)).reduce((sum, count) => sum + count, 0)
      console.log(`${accepted.size} bids accepted, asked again ${retried} times`)
      const kept: number[] = []
      for (const auctionId of [first, second]) kept.push(...(await allBids(market, auctionId)))
      assert.deepEqual(
        kept.toSorted((one, other) => one - other),
        [...accepted.values()].toSorted((one, other) => one - other),
        'each accepted bid is in the history once',
      )
      for (const id of listed) assert.equal((await market.call('GET', `/api/products/${id}`)).status, 200)
      const wanted = await messages
      await eventually(
        async () => {
          const counts = await Promise.all(
            [first, second].map((id) => allBids(market, id).then(({ length }) => length)),
          )
          for (const [index, seq] of watched) assert.equal(seq, counts[index % 2], `watcher ${index}`)
          const texts = await allMessages(market, seller, writer.userId)
          assert.deepEqual(texts.toSorted(), wanted.toSorted(), 'each message is there once')
        },
        { timeoutMs: SETTLED_WITHIN_MS },
      )
    },
    async end(): Promise<void> {
      await stop()
      for (const watcher of watchers) watcher.leave()
      await Promise.all([...people.map((person) => person.leave()), ...watchers.map(({ ended }) => ended)])
    },
  }
}

/** The amounts of all bids of an auction. */
async function allBids(market: Market, auctionId: number): Promise<number[]> {
  const amounts: number[] = []
  for (let cursor = ''; ; ) {
    const page: { seq: number; amount: number }[] = await market.succeed(
      'GET',
      `/api/auctions/${auctionId}/bids?limit=500${cursor}`,
    )
    amounts.push(...page.map(({ amount }) => amount))
    const oldest = page.at(-1)
    if (oldest === undefined || oldest.seq === 1) return amounts
    cursor = `&cursor=${oldest.seq}`
  }
}

/** What somebody has got from somebody else. */
async function allMessages(market: Market, { token }: Trader, from: number): Promise<string[]> {
  const contents: string[] = []
  for (let cursor = ''; ; ) {
    const path = `/api/messages/conversation/${from}?limit=50${cursor}`
    const page: { id: number; content: string }[] = await market.succeed('GET', path, token)
    if (page.length === 0) return contents
    contents.push(...page.map(({ content }) => content))
    cursor = `&cursor=${Math.min(...page.map(({ id }) => id))}`
  }
}

function report({ answered, slowestMs, closeCodes, problems }: Record): void {
  console.log('\n| | answered | the slowest, ms |\n|---|---|---|')
  for (const [what, count] of answered) console.log(`| ${what} | ${count} | ${slowestMs.get(what)?.toFixed(0)} |`)
  const closed = [...closeCodes].map(([code, count]) => `${count} with ${code}`).join(', ')
  console.log(`\nSockets closed: ${closed}. Refused or lost: ${problems.length}.`)
  for (const problem of problems.slice(0, 30)) console.log(problem)
}

function showTrouble(source: string, line: string): void {
  if (/"level":"(error|fatal)"|ended with|was ended|took too long/.test(line)) console.log(`${source}: ${line}`)
}
