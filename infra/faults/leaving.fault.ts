import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { LOG_START } from '@wangian/contracts/envelope.ts'
import { identityEvents } from '@wangian/contracts/events/identity.ts'
import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import { eventStreamName } from '@wangian/contracts/subjects.ts'
import { connectNats } from '@wangian/kit/bus/nats.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { type DatabasePool, openPool, sql } from '@wangian/kit/database/postgres.ts'
import { storeOnDisk } from '@wangian/kit/files/image-storage.ts'
import { createPictureFiles } from '@wangian/kit/files/picture-files.ts'
import { requestLogPage } from '@wangian/kit/log/log-pages.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { dumpFiles, dumpTables, listFiles } from '@wangian/kit/testing/dump.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { picture } from '@wangian/kit/testing/pictures.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auctionsProjection } from '../../services/auction/src/log/projections.ts'
import { productsProjection } from '../../services/catalogue/src/projections.ts'
import { keepUp } from '../../services/identity/src/leaving/upkeep.ts'
import { usersProjection } from '../../services/identity/src/projections.ts'
import { conversationsProjection } from '../../services/messaging/src/projections.ts'
import { type System, startSystem } from '../local/system.ts'
import { type Market, marketAt, PASSWORD } from '../rig/market.ts'
import { expectWithin } from './expect-within.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const AT_ONCE_MS = 1_000
/** Words are looked for every 10 s. */
const BLANKED_MS = 30_000
const services = ['identity', 'catalogue', 'auction', 'messaging'] as const

/** Everything that somebody may say of themselves, and nothing that could stand anywhere for another reason. */
const marks = {
  username: 'mk.username',
  email: 'mk-mail@example.com',
  newEmail: 'mk-other-mail@example.com',
  firstName: 'Mk-first',
  lastName: 'Mk-last',
  address: 'Mk-street 1, Ipoh',
  shopName: 'Mk-shop',
  location: 'Mk-town',
  bio: 'Mk-bio',
}
/** What they write of what they sell, and why they sell it no more. */
const words = 'Mk-words: call my brother.'
const markPattern = /\bmk[.-](username|mail|other|first|last|street|shop|town|bio|words)/i

let system: System
let market: Market
let dataDir: string
let pools: Map<string, DatabasePool>
const lines: string[] = []

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-leaving-'))
  system = await startSystem({
    dataDir,
    buildsWeb: false,
    rateLimitFactor: 1_000_000,
    logLevel: 'debug',
    log: (source, line) => lines.push(`${source}: ${line}`),
    environment: { identity: { AUTH_MAILER_AUTOCONFIRM: 'true' } },
  })
  market = marketAt(system.url)
  pools = new Map([['all', await openPool({ url: system.adminDatabaseUrl, applicationName: 'leaving-test' })]])
  for (const service of services) {
    const url = system.databaseUrls.get(service) ?? ''
    pools.set(service, await openPool({ url, applicationName: `leaving-test-${service}` }))
  }
})

afterAll(async () => {
  await Promise.all([...(pools?.values() ?? [])].map((pool) => pool.end()))
  await system?.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

function poolOf(name: 'all' | (typeof services)[number]): DatabasePool {
  const pool = pools.get(name)
  if (pool === undefined) throw new Error(`no pool for ${name}`)
  return pool
}

/** Everything that the streams of all services hold now. */
async function dumpStreams(): Promise<string> {
  const nats = await connectNats({ url: system.natsUrl, name: 'leaving-test' })
  try {
    const manager = await jetstreamManager(nats)
    const messages: string[] = []
    for (const service of services) {
      const { state } = await manager.streams.info(eventStreamName(service))
      for (let seq = Math.max(state.first_seq, 1); seq <= state.last_seq; seq += 1) {
        const message = await manager.streams.getMessage(eventStreamName(service), { seq })
        if (message) messages.push(message.string())
      }
    }
    return messages.join('\n')
  } finally {
    await nats.close()
  }
}

const tablesWithMarks = async () =>
  [...(await dumpTables(poolOf('all')))].flatMap(([table, rows]) => (markPattern.test(rows) ? [table] : []))

describe('somebody who deletes their account', () => {
  it('is gone at once for everybody, and after a week nothing personal is left anywhere', async () => {
    const other = await market.register('other')
    const leaver = await market.register(marks.username, marks.email)
    const { username: _, email: __, newEmail, ...profile } = marks
    const changes = { ...profile, email: newEmail, currentPassword: PASSWORD }
    await market.succeed('PATCH', `/api/user/${leaver.userId}`, leaver.token, changes)
    for (const kind of ['avatar', 'cover']) {
      const form = new FormData()
      form.set('image', new Blob([new Uint8Array(await picture())], { type: 'image/jpeg' }), 'mk-first.jpg')
      await market.succeed('POST', `/api/user/${kind}`, leaver.token, form)
    }
    const { profileImage } = await market.succeed('GET', '/api/v1/auth/me', leaver.token)
    const own = await market.openAuction(leaver)
    await market.succeed('PUT', `/api/products/${own.productId}`, leaver.token, { description: words })
    const { auctionId: cancelled } = await market.openAuction(leaver)
    await market.succeed('POST', `/api/auctions/${cancelled}/cancel`, leaver.token, { reason: words })
    const foreign = await market.openAuction(other)
    const socket = await market.sitDown(leaver)
    socket.bid(foreign.auctionId, 20)
    await socket.heard('bidAccepted')
    const question = 'Is the box still there?'
    socket.write(other.userId, question, foreign.productId)
    await socket.heard('message_sent')
    const othersSocket = await market.sitDown(other)
    othersSocket.write(leaver.userId, 'Yes, it is.')
    await othersSocket.heard('message_sent')
    await socket.heard('new_message')

    const historyPath = `/api/auctions/${foreign.auctionId}/bids`
    const ownPaths = [
      `/api/sellers/${leaver.userId}`,
      `/api/profile-images/${profileImage}`,
      `/api/products/${own.productId}`,
    ]
    const readPaths = [
      historyPath,
      `/api/auctions/${foreign.auctionId}`,
      `/api/auctions/${own.auctionId}`,
      `/api/auctions/product/${own.productId}`,
      '/api/products',
      '/api/auctions?status=active',
      ...ownPaths,
    ]
    /** What the other one sees of what they wrote to each other, in the list and opened. */
    const conversation = async () => {
      const [list, messages] = await Promise.all(
        ['/api/messages/conversations', `/api/messages/conversation/${leaver.userId}`].map(async (path) =>
          market.succeed('GET', path, other.token),
        ),
      )
      return { user: list[0].user, contents: messages.map(({ content }: { content: string }) => content), messages }
    }
    const contents = [question, 'Yes, it is.']
    await eventually(async () =>
      expect(await conversation()).toMatchObject({ user: { username: marks.username, profileImage }, contents }),
    )
    // That it all was there: otherwise it would be no wonder that it is not in the end.
    await eventually(async () => {
      const answers = (await Promise.all(readPaths.map((path) => market.call('GET', path))))
        .map(({ text }) => text)
        .join()
      for (const shown of [marks.username, marks.shopName, marks.bio]) expect(answers).toContain(shown)
    })
    expect(await tablesWithMarks()).toEqual(
      expect.arrayContaining([
        'identity.people',
        'auction.known_people',
        'catalogue.known_people',
        'messaging.known_people',
        'identity.one_time_tokens',
        'catalogue.events',
        'catalogue.products',
        'auction.events',
      ]),
    )
    await eventually(async () => markPattern.test(await dumpStreams()))

    await market.succeed('DELETE', `/api/user/${leaver.userId}`, leaver.token, { currentPassword: PASSWORD })
    const leftAtMs = performance.now()
    expect((await socket.closed).code).toBe(4401)
    await eventually(async () => {
      const statuses = await Promise.all(ownPaths.map(async (path) => (await market.call('GET', path)).status))
      expect(statuses).toEqual([404, 404, 404])
      const [bid] = (await market.call('GET', historyPath)).body
      expect(bid).toMatchObject({ bidderId: leaver.userId, bidder: { name: null }, amount: 20 })
      for (const path of ['/api/v1/auth/me', `/api/products/${foreign.productId}`, historyPath.replace('/bids', '')]) {
        expect((await market.call('GET', path, leaver.token)).status, path).toBe(401)
      }
      expect(await conversation()).toMatchObject({ user: { username: null, profileImage: null }, contents })
    })
    // Whoever writes on hears that nobody is there any more.
    othersSocket.write(leaver.userId, 'Are you still there?')
    await eventually(() => othersSocket.frames.some(({ code }) => code === 'user-gone'))
    othersSocket.leave()
    const tookMs = Math.round(performance.now() - leftAtMs)
    console.log(`leaving: gone everywhere after ${tookMs} ms`)
    expectWithin([tookMs], AT_ONCE_MS)

    expect(lines.join()).toContain('DELETE /api/user/:userId')

    // A week goes by, and the mails are sent. What the catcher shows is in the mailbox of the person, not ours.
    const { pool, mailsWaiting } = { pool: poolOf('identity'), mailsWaiting: sql.unsafe`select from mails` }
    await eventually(async () => !(await pool.exists(mailsWaiting)), { timeoutMs: 15_000 })
    const files = createPictureFiles(storeOnDisk(join(dataDir, 'profile-images')))
    const inAWeek = new Date(Date.now() + 7 * DAY_MS)
    expect(await keepUp({ pool, files, log: silentLogger }, inAWeek)).toBe(1)

    await eventually(async () => expect(await tablesWithMarks()).toEqual([]), { timeoutMs: BLANKED_MS })
    // The conversation stays for the one who is left, with a deleted user.
    const known = sql.unsafe`
      select username, profile_image, is_erased from known_people where user_id = ${leaver.userId}`
    await eventually(async () =>
      expect(await poolOf('messaging').one(known)).toEqual({ username: null, profile_image: null, is_erased: true }),
    )
    const kept = await conversation()
    const deleted = { id: leaver.userId, username: null, profileImage: null }
    expect(kept).toMatchObject({ user: deleted, contents })
    expect(kept.messages).toMatchObject([{ sender: deleted }, { receiver: deleted }])
    expect(JSON.stringify(kept)).not.toMatch(markPattern)
    expect(JSON.stringify(kept)).not.toContain(profileImage)
    expect(await listFiles(join(dataDir, 'profile-images'))).toEqual([])
    expect(await dumpFiles(await listFiles(join(dataDir, 'images')))).not.toMatch(markPattern)
    expect(lines.filter((line) => markPattern.test(line))).toEqual([])

    const guest = await market.connect()
    guest.send({ type: 'joinAuction', auctionId: foreign.auctionId, userId: 'guest' })
    await guest.heard('auctionJoined')
    expect(JSON.stringify(guest.frames)).not.toMatch(markPattern)
    guest.leave()

    // JetStream forgets by itself after seven days; that the log, when it is read again, says nothing of them is for us to see to.
    await system.nats?.stop()
    rmSync(system.nats?.storeDirectory ?? '', { recursive: true })
    await system.nats?.start()
    const logged = await poolOf('identity').oneFirst(sql.unsafe`
      select count(*) from events where type <> 'SessionRevoked'`)
    const reader = await connectNats({ url: system.natsUrl, name: 'reading-test' })
    const types = Object.keys(identityEvents).map((type) => ({ type, after: LOG_START }))
    const { events } = await eventually(() => requestLogPage(reader, 'identity', { types }))
    await reader.close()
    expect(events).toHaveLength(Number(logged))
    expect(JSON.stringify(events)).not.toMatch(markPattern)

    const answers = async () =>
      (await Promise.all(readPaths.map((path) => market.call('GET', path)))).map(({ text }) => text)
    const withoutTimes = (texts: readonly string[]) => texts.join('\n').replace(/"(serverTime|requestId)":"[^"]*"/g, '')
    // An auction's page asks catalogue over the bus, where it is back a moment later.
    const auctionPath = `/api/auctions/${foreign.auctionId}`
    await eventually(async () => (await market.call('GET', auctionPath)).body.product !== null)
    const before = await answers()
    await rebuildTables(poolOf('identity'), 'identity', usersProjection)
    await rebuildTables(poolOf('catalogue'), 'catalogue', productsProjection)
    await rebuildTables(poolOf('auction'), 'auction', auctionsProjection)
    await rebuildTables(poolOf('messaging'), 'messaging', conversationsProjection)
    expect(await conversation()).toEqual(kept)
    const afterwards = await answers()
    expect(withoutTimes(afterwards)).toBe(withoutTimes(before))
    expect(afterwards.join()).not.toMatch(markPattern)
    expect(await tablesWithMarks()).toEqual([])
    expect(lines.filter((line) => markPattern.test(line))).toEqual([])
  })
})

describe('what is private', () => {
  it('is in no stream, and in the tables of its own service only', async () => {
    const seller = await market.register('discreet')
    const banned = await market.register('banned')
    const admin = await market.register('admin')
    await poolOf('identity').query(sql.unsafe`update users set is_admin = true where id = ${admin.userId}`)
    const { auctionId } = await market.openAuction(seller, { reservePrice: 4321.09 })
    const revised = { auction: { reservePrice: 8765.43 } }
    await market.succeed('PUT', `/api/auctions/${auctionId}`, seller.token, revised)
    await market.succeed('POST', `/api/auctions/${auctionId}/cancel`, seller.token, { reason: 'Pv-cancelled' })
    await market.succeed('PUT', `/api/blocks/${banned.userId}`, seller.token)
    const nats = await connectNats({ url: system.natsUrl, name: 'private-test' })
    const ban = { userId: banned.userId, isBanned: true, actorId: admin.userId, reason: 'Pv-banned', requestId: 'test' }
    await request(nats, 'identity', identityRequests.setBanned, ban)
    await nats.close()

    await eventually(async () => {
      const told = (await dumpStreams()).split('\n').map((line) => JSON.parse(line))
      for (const event of [
        { type: 'AuctionCancelled', stream: `auction-${auctionId}` },
        { type: 'UserBanned', stream: `user-${banned.userId}` },
      ])
        expect(told).toContainEqual(expect.objectContaining(event))
    })
    const isKnown = sql.unsafe`select from known_people where user_id = ${banned.userId} and is_banned`
    await eventually(() => poolOf('messaging').exists(isKnown))
    const streams = await dumpStreams()
    expect(streams).not.toMatch(/reserveSen|432109|876543|Pv-|UserBlocked/)
    const tables = [...(await dumpTables(poolOf('all')))]
    const holding = (pattern: RegExp) => tables.flatMap(([table, rows]) => (pattern.test(rows) ? [table] : []))
    expect(holding(/\b(432109|876543)\b/).toSorted()).toEqual(['auction.auction_terms', 'auction.events'])
    expect(holding(/Pv-cancelled/)).toEqual(['auction.events'])
    expect(holding(/Pv-banned/)).toEqual(['identity.moderation_reasons'])
  })
})
