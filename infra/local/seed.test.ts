import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Auction, auctionRoutes } from '@wangian/contracts/auction.ts'
import { Product } from '@wangian/contracts/catalogue.ts'
import { messagingRoutes } from '@wangian/contracts/messaging.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { openAuctions } from './seed/auctions.ts'
import { deals } from './seed/deals.ts'
import { createListings } from './seed/listings.ts'
import { gatherPeople } from './seed/people.ts'
import { perfumes as shelf } from './seed/perfumes.ts'
import { connect } from './seed/socket.ts'
import { seedDemo } from './seed.ts'
import { connectionsOf } from './servers/connections.ts'
import { type System, startSystem } from './system.ts'

const directory = mkdtempSync(join(tmpdir(), 'wangian-seed-'))
let system: System
beforeAll(async () => {
  system = await startSystem({
    dataDir: join(directory, 'data'),
    buildsWeb: false,
    rateLimitFactor: 20,
    // The accounts are there, the shelf is not.
    environment: { identity: { SEED: 'demo' } },
  })
}, 120_000)
afterAll(async () => {
  await system?.stop()
  rmSync(directory, { recursive: true, force: true })
})

const conversations = messagingRoutes.getConversation.path.replace(/:.*/, '')
const [quiet, long, short] = shelf.filter(({ auction }) => auction !== undefined && auction.bidCount > 0)
const fixed = shelf
  .filter(({ auction, type, stock }) => auction === undefined && type === 'fixed' && stock === 1)
  .slice(0, 3)
if (quiet?.auction === undefined || long === undefined || short?.auction === undefined)
  throw new Error('the shelf has auctions with bids')
const perfumes = [{ ...quiet, auction: { ...quiet.auction, bidCount: 0 } }, long, ...fixed]
// Ends after two seconds, and nobody has won it: what was won is its winner's, and not opened again.
const brief = { ...short, auction: { ...short.auction, minutes: 1 / 30, bidCount: 0 } }

const seed = async (shown = perfumes) => {
  const lines: string[] = []
  const startedMs = performance.now()
  const { accounts } = await seedDemo({
    url: system.url,
    natsUrl: system.natsUrl,
    log: (line) => lines.push(line),
    perfumes: shown,
  })
  return { lines, accounts, durationMs: performance.now() - startedMs }
}
const products = async () => z.array(Product).parse(await (await fetch(`${system.url}/api/products`)).json())
const auctionOf = async (productId: number) => {
  const path = auctionRoutes.getAuctionOfProduct.path.replace(':productId', String(productId))
  return Auction.parse(await (await fetch(`${system.url}${path}`)).json())
}

/** Bala buys the only bottle of the last perfume, and has not paid it yet. */
async function keepLast(): Promise<Product> {
  const people = gatherPeople(system.url, () => {})
  const last = (await products()).at(-1)
  const [seller, bala] = [await people.find(last?.seller.username ?? ''), await people.find('bala')]
  if (last === undefined || seller === null || bala === null) throw new Error('the demo has sellers and buyers')
  const socket = await connect(system.url, seller)
  const clientMessageId = randomUUID()
  const offer = { type: 'send_action_message', receiverId: bala.userId, productId: last.id, actionType: 'INITIATE' }
  const answer = await socket.ask(clientMessageId, { ...offer, clientMessageId })
  socket.close()
  if (answer.type !== 'message_sent') throw new Error('the offer was refused')
  const { confirmAction } = messagingRoutes
  await bala.post(confirmAction.path, { messageId: answer.message.id }, confirmAction.answers[200])
  return last
}

describe('seeding the demo', () => {
  it('lists, pictures, auctions and bids the first time, and does nothing the second', async () => {
    const first = await seed()
    expect(first.lines).toEqual([`Listing ${perfumes.length} demo perfumes and uploading their pictures …`])
    expect(first.accounts.map(({ email, password }) => `${email} ${password}`)).toContain(
      'sarah@wangian.test demo-seller',
    )
    const listed = await products()
    expect(listed.map(({ brand, name, seller }) => [brand, name, seller.username])).toEqual(
      perfumes.map(({ house, name, seller }) => [house, name, seller]),
    )
    for (const { images } of listed) expect(images).toHaveLength(1)
    const picture = await fetch(`${system.url}/api/images/${listed[0]?.imageUrl}?w=480`)
    expect(picture.headers.get('content-type')).toBe('image/webp')

    const auction = await auctionOf(listed[1]?.id ?? 0)
    expect(auction).toMatchObject({ status: 'active', bidCount: long.auction?.bidCount })
    // What the card says follows the auction's events.
    await eventually(async () => expect((await products())[1]?.auction).toMatchObject({ bidCount: auction.bidCount }))

    const featured = z.array(Product).parse(await (await fetch(`${system.url}/api/products/featured`)).json())
    const offered = listed.filter(({ auction: running }) => running === null)
    expect(featured.map(({ id }) => id).sort()).toEqual(
      offered
        .slice(0, featured.length)
        .map(({ id }) => id)
        .sort(),
    )
    expect(featured.length).toBeGreaterThan(0)

    const second = await seed()
    expect(second.lines).toEqual([])
    expect(second.durationMs).toBeLessThan(first.durationMs)
    expect((await products()).map(({ id, images }) => [id, images])).toEqual(
      listed.map(({ id, images }) => [id, images]),
    )
  }, 60_000)

  it('lists nothing anew of what is kept for a buyer', async () => {
    const kept = await keepLast()
    await eventually(async () => expect((await products()).map(({ id }) => id)).not.toContain(kept.id))
    const { lines } = await seed()
    expect(lines).toEqual([])
    expect((await products()).filter(({ name }) => name === kept.name)).toEqual([])
  })

  it('opens an auction again when it has ended', async () => {
    await seed([...perfumes, brief])
    const product = await eventually(async () => (await products()).find(({ name }) => name === brief.name) ?? false)
    const ended = await eventually(async () => {
      const auction = await auctionOf(product.id)
      return auction.status === 'ended' && auction
    })
    // The catalogue hears of the end a moment later. The next auction may have ended as well by now, for it is as short.
    await eventually(async () => {
      await seed([...perfumes, brief])
      expect((await auctionOf(product.id)).id).toBeGreaterThan(ended.id)
    })
  })
})

it('asks again for an auction that could not be opened for a moment', async () => {
  const people = gatherPeople(system.url, () => {})
  const listed = await createListings(people, [{ ...quiet, name: 'A moment later' }], new Map())
  const asked = vi.spyOn(globalThis, 'fetch')
  const tries = () => asked.mock.calls.filter(([address]) => `${address}`.endsWith(auctionRoutes.createAuction.path))
  // It knows how many bottles there are.
  const catalogue = system.services.get('catalogue')
  catalogue?.pause()
  const opened = openAuctions(people, listed, Date.now())
  await eventually(() => expect(tries().length).toBe(2)).finally(() => catalogue?.resume())
  expect((await opened).map(({ auction }) => auction.productId)).toEqual(listed.map(({ product }) => product.id))
  asked.mockRestore()
})

it('reads no conversation again once all deals are made', async () => {
  const deal = deals.find(({ stage }) => stage === 'purchase')
  const sold = shelf.filter(({ name, seller }) => name === deal?.perfume && seller === deal.seller)
  const toldFile = join(directory, 'demo-deals.json')
  /** In the list that is looked through for what is there, which may be a second old. */
  const isListed = async () => {
    const listed = z.array(Product).parse(await (await fetch(`${system.url}/api/products?limit=500`)).json())
    return listed.some(({ name }) => name === deal?.perfume)
  }
  const read = async () => {
    const asked = vi.spyOn(globalThis, 'fetch')
    await seedDemo({ url: system.url, log: () => {}, perfumes: sold, toldFile })
    const paths = asked.mock.calls.map(([address]) => `${address}`).filter((address) => address.includes(conversations))
    asked.mockRestore()
    return paths.length
  }
  expect(await read()).toBeGreaterThan(0)
  await eventually(isListed)
  expect(await read()).toBe(0)
  writeFileSync(toldFile, 'of another version')
  expect(await read()).toBeGreaterThan(0)
})

it('no service takes more connections of Postgres than the start counts with', async () => {
  const client = new Client({ connectionString: system.adminDatabaseUrl })
  await client.connect()
  const { rows } = await client.query<{ service: keyof typeof connectionsOf; sessions: number }>(
    `
    select usename as service, count(distinct application_name)::int as sessions
      from pg_stat_activity
     where usename = any ($1) and application_name not like '%-log-pages'
       and application_name not in ('identity', 'catalogue', 'auction-1', 'auction-1 owner', 'auction-pages', 'messaging', 'boost', 'admin')
     group by 1`,
    [Object.keys(connectionsOf)],
  )
  await client.end()
  const pools = { identity: 7, catalogue: 10, auction: 13, messaging: 7, boost: 4, admin: 5 } as const
  const taken = rows.map(({ service, sessions }) => [service, sessions + 1 + pools[service as keyof typeof pools]])
  expect(Object.fromEntries(taken)).toEqual(connectionsOf)
})
