import { catalogueRequests, FAVORERS_AT_ONCE_MAX } from '@wangian/contracts/catalogue.ts'
import { decodeUserLive } from '@wangian/contracts/messaging-wire.ts'
import type { Notice } from '@wangian/contracts/notices.ts'
import { userLiveSubject } from '@wangian/contracts/subjects.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import { CountRow, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { pagesRead } from '@wangian/kit/testing/pages-read.ts'
import { tellOfPerson } from '@wangian/kit/testing/people.ts'
import { react } from '@wangian/kit/testing/react.ts'
import { createTestTokens, type TestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildApp } from '../app.ts'
import { changeBlock, markRead } from '../conversations/commands.ts'
import { identityHandlers } from '../reactions.ts'
import {
  ADMIN,
  BALA,
  introducePeople,
  MEI,
  migrationsDirectory,
  PRODUCT,
  SARAH,
  send,
  testAttachments,
} from '../testing/fixtures.ts'
import { goOnTelling } from './announcements.ts'
import { auctionNotices } from './auction-notices.ts'
import { tellOfEnding } from './ending.ts'
import { listingNotices } from './listing-notices.ts'
import { messageNotices } from './message-notices.ts'
import { deleteOldNotices } from './notice-store.ts'
import { priceNotices } from './price-notices.ts'
import { createTeller, discardOldNotices, silentTeller } from './teller.ts'
import { deleteWatchesOf } from './watch-store.ts'

let database: TestDatabase
let tokens: TestTokens
let nats: TestNats
let app: App
/** What was shown to bala's sockets. */
let shown: { type: string; unread: number; notice?: Notice }[] = []

beforeAll(async () => {
  database = await createTestDatabase({ service: 'messaging', migrationsDirectory })
  tokens = await createTestTokens()
  nats = await startTestNats()
  app = buildApp({
    pool: database.pool,
    nats: nats.connection,
    onAppended: () => {},
    attachments: testAttachments('/nowhere'),
    auth: tokens.authenticator,
  })
  nats.connection.subscribe(userLiveSubject(BALA), {
    callback: (_, message) => {
      shown.push(...decodeUserLive(message.string()).frames.map((frame) => JSON.parse(frame)))
    },
  })
})
afterAll(async () => {
  await app.close()
  await nats.stop()
  await database.drop()
})
beforeEach(async () => {
  await emptyTables(
    database.pool,
    'notices, announcements, auctions, auction_bidders, auction_watches, messages, message_texts, conversations, blocks, known_people, products, events',
  )
  await introducePeople(database.pool)
  await nats.connection.flush()
  shown = []
})

const nowMs = Date.now()
/** Seconds ago, so that it is news. */
const at = (seconds: number) => new Date(nowMs - 300_000 + seconds * 1000).toISOString()
const metadata = {
  actorId: null as number | null,
  correlationId: 'test',
  causationId: null as string | null,
  commandId: null,
}
const AUCTION = 3

const auctionConsumer = () => ({ bulkHandlers: auctionNotices(createTeller(nats.connection)) })
const messageConsumer = () => ({ bulkHandlers: messageNotices(createTeller(nats.connection)) })
const listingConsumer = () => ({ bulkHandlers: listingNotices(createTeller(nats.connection)) })
type Consumer =
  | ReturnType<typeof auctionConsumer>
  | ReturnType<typeof messageConsumer>
  | ReturnType<typeof listingConsumer>

const hear = (consumer: Consumer, type: string, data: object, actorId: number | null = null) =>
  react(database.pool, consumer, { type, data, at: at(0), metadata: { ...metadata, actorId } })

const terms = {
  auctionId: AUCTION,
  productId: PRODUCT,
  sellerId: SARAH,
  startingPriceSen: 1000,
  buyNowSen: null,
  incrementSen: 10,
}
const open = (auctionId = AUCTION) =>
  hear(auctionConsumer(), 'AuctionOpened', {
    ...terms,
    auctionId,
    startsAt: at(0),
    endsAt: '2099-11-22T08:00:00.000Z',
    openedAt: at(0),
  })

/** What a page of the log says, type by type. */
type Said = Partial<Record<'BidPlaced' | 'AuctionRevised' | 'AuctionEnded', readonly object[]>>

async function hearPage(transaction: Transaction, page: Said): Promise<void> {
  const handlers = auctionConsumer().bulkHandlers as Record<
    string,
    (transaction: Transaction, events: unknown) => unknown
  >
  for (const [type, said] of Object.entries(page)) {
    await handlers[type]?.(
      transaction,
      said.map((data) => ({ data })),
    )
  }
}

/** A page of which the first part was heard; its transaction goes on with the rest when it is told to. */
async function beginPage(first: Said, rest: Said): Promise<{ goOn(): Promise<void> }> {
  const begun = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const heard = database.pool.transaction(async (transaction) => {
    await hearPage(transaction, first)
    begun.resolve()
    await held.promise
    await hearPage(transaction, rest)
  })
  await Promise.race([begun.promise, heard])
  return {
    goOn() {
      held.resolve()
      return heard
    },
  }
}

/** One page of the log with these bids, of one auction or several. */
const bid = (...bids: { seq: number; by: number; auctionId?: number }[]) =>
  database.pool.transaction((transaction) => hearPage(transaction, { BidPlaced: bids.map(bidOf) }))

function bidOf({ seq, by, auctionId = AUCTION }: { seq: number; by: number; auctionId?: number }) {
  return { auctionId, seq, bidderId: by, amountSen: 1000 + seq * 10, bidId: null, placedAt: at(seq) }
}

const unsold = {
  ...terms,
  outcome: 'no-bids',
  leaderId: null,
  winnerId: null,
  amountSen: null,
  bidCount: 0,
  endedAt: at(60),
}

const end = (data: object) => hear(auctionConsumer(), 'AuctionEnded', { ...unsold, ...data })

async function call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, id: number, body?: object) {
  const response = await app.inject({
    method,
    url,
    headers: await tokens.bearer({ id }),
    ...(body && { payload: body }),
  })
  return { status: response.statusCode, body: response.json(), headers: response.headers }
}
const noticesOf = async (id: number): Promise<Notice[]> => (await call('GET', '/api/notices', id)).body
const kindsOf = async (id: number) => (await noticesOf(id)).map(({ kind }) => kind)
const AT_ONCE_MAX = 1_000
/** A new process, that knows nothing of what another one has told. */
const goOn = () => goOnTelling({ pool: database.pool, nats: nats.connection, tell: createTeller(nats.connection).tell })
const countTold = (kind: string) =>
  database.pool.oneFirst(sql.type(CountRow)`select count(*) as count from notices where kind = ${kind}`)
const announcedCount = () => database.pool.oneFirst(sql.type(CountRow)`select count(*) as count from announcements`)
/** Transactions that wait for the lock of notices. */
const countWaiting = () =>
  database.pool.oneFirst(sql.type(CountRow)`
    select count(*) from pg_locks where locktype = 'advisory' and not granted
       and database = (select oid from pg_database where datname = current_database())`)
const unreadOf = async (id: number) => (await call('GET', '/api/notices/unread-count', id)).body.count

describe('whoever is outbid', () => {
  it('is told of it once, with the highest bid as it is now', async () => {
    await open()
    await bid({ seq: 1, by: BALA })
    expect(await noticesOf(BALA)).toEqual([])
    await bid({ seq: 2, by: MEI })
    await bid({ seq: 3, by: BALA }, { seq: 4, by: MEI })
    const [notice, ...others] = await noticesOf(BALA)
    expect(others).toEqual([])
    expect(notice).toMatchObject({
      key: 'auction-3',
      kind: 'outbid',
      isRead: false,
      user: null,
      product: { id: PRODUCT, name: 'Santal 33' },
      auction: { id: AUCTION, amount: 10.4, isLeading: false, outcome: null },
    })
    expect(await unreadOf(BALA)).toBe(1)
    expect(await noticesOf(MEI)).toMatchObject([])
  })

  it('is told by one page of many auctions and bids, each auction for itself', async () => {
    await open()
    await open(4)
    await bid(
      { seq: 1, by: BALA },
      { seq: 1, by: MEI, auctionId: 4 },
      { seq: 2, by: MEI },
      { seq: 2, by: BALA, auctionId: 4 },
    )
    expect(await noticesOf(BALA)).toMatchObject([{ key: 'auction-3', kind: 'outbid' }])
    expect(await noticesOf(MEI)).toMatchObject([{ key: 'auction-4', kind: 'outbid' }])
  })

  it('has nothing to read any more once they lead again, and hears of the next time as of something new', async () => {
    await open()
    await bid({ seq: 1, by: BALA }, { seq: 2, by: MEI })
    const [first] = await noticesOf(BALA)
    await bid({ seq: 3, by: BALA })
    expect(await noticesOf(BALA)).toMatchObject([{ isRead: true, auction: { isLeading: true } }])
    expect(await unreadOf(BALA)).toBe(0)
    await bid({ seq: 4, by: MEI })
    const [next] = await noticesOf(BALA)
    expect(next).toMatchObject({ isRead: false, at: at(4) })
    expect(next?.id).toBeGreaterThan(first?.id ?? Number.POSITIVE_INFINITY)
  })

  it('is not told again of what is told again', async () => {
    await open()
    const page = [
      { seq: 1, by: BALA },
      { seq: 2, by: MEI },
    ]
    await bid(...page)
    const told = await noticesOf(BALA)
    await call('POST', '/api/notices/read', BALA, { id: told[0]?.id })
    await bid(...page)
    expect(await noticesOf(BALA)).toEqual([{ ...told[0], isRead: true }])
  })

  it('sees it at once', async () => {
    await open()
    await bid({ seq: 1, by: BALA }, { seq: 2, by: MEI })
    await bid({ seq: 3, by: BALA })
    await nats.connection.flush()
    expect(shown).toMatchObject([
      { type: 'notice', unread: 1, notice: { kind: 'outbid', isRead: false } },
      { type: 'notice', unread: 0, notice: { kind: 'outbid', isRead: true } },
    ])
  })

  it('hears nothing of auctions that are made anew from the log', async () => {
    const quiet = { bulkHandlers: auctionNotices(silentTeller) } as Consumer
    await hear(quiet, 'AuctionOpened', { ...terms, startsAt: at(0), endsAt: at(900), openedAt: at(0) })
    for (const [index, bidderId] of [BALA, MEI].entries()) {
      const seq = index + 1
      await hear(quiet, 'BidPlaced', {
        auctionId: AUCTION,
        seq,
        bidderId,
        amountSen: 1000 + seq,
        bidId: null,
        placedAt: at(seq),
      })
    }
    expect(await noticesOf(BALA)).toEqual([])
  })
})

describe('an auction that ends', () => {
  beforeEach(async () => {
    await open()
    await bid({ seq: 1, by: BALA }, { seq: 2, by: MEI })
  })

  it('is told to its seller, to the winner and to the others', async () => {
    await end({ outcome: 'won', winnerId: MEI, leaderId: MEI, amountSen: 1020, bidCount: 2 })
    expect(await kindsOf(MEI)).toEqual(['auction-won'])
    expect(await noticesOf(SARAH)).toMatchObject([{ kind: 'auction-sold', auction: { amount: 10.2, outcome: 'won' } }])
    expect(await noticesOf(BALA)).toMatchObject([{ kind: 'auction-lost', isRead: false }])
  })

  it('and whose seller gives up on the winner tells the winner so', async () => {
    const won = { outcome: 'won', winnerId: MEI, leaderId: MEI, amountSen: 1020, bidCount: 2 }
    await end(won)
    const lot = { productId: PRODUCT, sellerId: SARAH, buyerId: MEI, auctionId: AUCTION, transactionId: null }
    const freed = { ...lot, name: 'Santal 33', isKept: false, wasSold: false, stockQuantity: 1 }
    const release = (reason: string, seconds: number) =>
      hear(listingConsumer(), 'ListingReleased', { ...freed, reason, releasedAt: at(seconds) }, SARAH)
    // Of a deal that was called off there is another notice.
    await release('cancelled', 61)
    expect(await kindsOf(MEI)).toEqual(['auction-won'])
    for (const _ of ['once', 'twice']) await release('released', 62)
    expect(await noticesOf(MEI)).toMatchObject([{ key: 'auction-3', kind: 'lot-released', isRead: false }])
    expect(await kindsOf(SARAH)).toEqual(['auction-sold'])
    await end(won)
    expect(await kindsOf(MEI)).toEqual(['lot-released'])
  })

  it('is told once, however often it is heard of', async () => {
    const won = { outcome: 'won', winnerId: MEI, leaderId: MEI, amountSen: 1020, bidCount: 2 }
    await end(won)
    const [told] = await noticesOf(SARAH)
    await call('POST', '/api/notices/read', SARAH, { upTo: told?.id })
    await end(won)
    expect(await noticesOf(SARAH)).toEqual([{ ...told, isRead: true }])
    // What is heard of late is told as late.
    await bid({ seq: 3, by: BALA })
    expect(await kindsOf(MEI)).toEqual(['auction-won'])
  })

  it('without a winner says so to its seller', async () => {
    await end({ outcome: 'reserve-not-met', leaderId: MEI, amountSen: 1020, bidCount: 2 })
    expect(await noticesOf(SARAH)).toMatchObject([{ kind: 'auction-unsold', auction: { outcome: 'reserve-not-met' } }])
    expect(await kindsOf(MEI)).toEqual(['auction-lost'])
  })

  it('because it was called off is no news to whoever did that', async () => {
    const cancelled = { auctionId: AUCTION, productId: PRODUCT, sellerId: SARAH, cancelledAt: at(60) }
    await hear(auctionConsumer(), 'AuctionCancelled', cancelled, SARAH)
    expect(await kindsOf(SARAH)).toEqual([])
    expect(await noticesOf(BALA)).toMatchObject([{ kind: 'auction-cancelled', auction: { outcome: 'cancelled' } }])
    await hear(auctionConsumer(), 'AuctionCancelled', { ...cancelled, cancelledAt: at(61) }, ADMIN)
    expect(await kindsOf(SARAH)).toEqual(['auction-cancelled'])
  })
})

describe('an auction that thousands watch', () => {
  const CROWD = 2_500
  /** More than are told at once, and BALA and MEI, who have bid; the winner and the seller watch it, too. */
  async function gather(auctionId = AUCTION) {
    await open(auctionId)
    await database.pool.query(sql.unsafe`
      insert into auction_watches (user_id, auction_id, is_watching, since)
      select user_id, ${auctionId}, true, now() - interval '1 day'
        from (select ${SARAH} as user_id union select generate_series(1000, ${1000 + CROWD - 1})) watching`)
    await bid({ seq: 1, by: BALA, auctionId }, { seq: 2, by: MEI, auctionId })
  }
  const won = { outcome: 'won', winnerId: MEI, leaderId: MEI, amountSen: 1020, bidCount: 2 }

  it('tells so many at once how it ended, and the others soon, each of them once', async () => {
    await gather()
    await end(won)
    expect(await countTold('auction-lost')).toBeLessThanOrEqual(AT_ONCE_MAX)
    expect(await kindsOf(MEI)).toEqual(['auction-won'])
    expect(await kindsOf(SARAH)).toEqual(['auction-sold'])
    await Promise.all([goOn(), goOn()])
    expect(await countTold('auction-lost')).toBe(CROWD + 1)
    expect([await kindsOf(MEI), await kindsOf(SARAH)]).toEqual([['auction-won'], ['auction-sold']])
    expect(await announcedCount()).toBe(0)
    const [first] = await noticesOf(1000)
    const [last] = await noticesOf(1000 + CROWD - 1)
    await end(won)
    await goOn()
    expect([(await noticesOf(1000))[0]?.id, (await noticesOf(1000 + CROWD - 1))[0]?.id]).toEqual([first?.id, last?.id])
  })

  it('goes on from where it was broken off', async () => {
    await gather()
    await gather(4)
    await end(won)
    await end({ ...won, auctionId: 4 })
    const broken = new Error('the process ends')
    let toldTimes = 0
    const teller = createTeller(nats.connection)
    const dying = goOnTelling({
      pool: database.pool,
      nats: nats.connection,
      tell: async (transaction, tellings) => {
        await teller.tell(transaction, tellings)
        toldTimes += 1
        if (toldTimes === 2) throw broken
      },
    })
    await expect(dying).rejects.toBe(broken)
    expect(await countTold('auction-lost')).toBeLessThanOrEqual(3 * AT_ONCE_MAX)
    const [told] = await noticesOf(1000)
    await goOn()
    expect(await countTold('auction-lost')).toBe(2 * (CROWD + 1))
    expect(await noticesOf(1000)).toContainEqual(told)
  })

  it('stops between those who are told at once, and is gone on with later', async () => {
    await gather()
    await end(won)
    const stopping = new AbortController()
    const teller = createTeller(nats.connection)
    const toldBefore = await countTold('auction-lost')
    await goOnTelling({
      pool: database.pool,
      nats: nats.connection,
      tell: async (transaction, tellings) => {
        await teller.tell(transaction, tellings)
        stopping.abort()
      },
      signal: stopping.signal,
    })
    expect(await countTold('auction-lost')).toBeLessThanOrEqual(toldBefore + AT_ONCE_MAX)
    expect(await announcedCount()).toBe(1)
    await goOn()
    expect(await countTold('auction-lost')).toBe(CROWD + 1)
  })

  it('says no more that it is about to end once it has ended', async () => {
    await gather()
    await database.pool.query(sql.unsafe`update auctions set ends_at = now() + interval '30 minutes'`)
    await tellOfEnding(database.pool, createTeller(nats.connection), nowMs)
    expect(await countTold('auction-ending')).toBeLessThanOrEqual(AT_ONCE_MAX)
    await end({ ...won, endedAt: new Date(nowMs + 60_000).toISOString() })
    await goOn()
    expect([await countTold('auction-ending'), await countTold('auction-lost')]).toEqual([0, CROWD + 1])
  })
})

describe('messages', () => {
  const sentAs = (messageId: number, data: object = {}) => ({
    messageId,
    senderId: SARAH,
    receiverId: BALA,
    productId: PRODUCT,
    kind: 'text',
    transactionId: null,
    actionType: null,
    sentAt: at(messageId),
    ...data,
  })
  const write = () => send(database.pool, { senderId: SARAH, senderName: 'sarah', receiverId: BALA })

  it('of one conversation are one notice, until they are read', async () => {
    for (const messageId of [1, 2]) {
      await write()
      await hear(messageConsumer(), 'MessageSent', sentAs(messageId), SARAH)
    }
    expect(await noticesOf(BALA)).toMatchObject([
      { key: 'conversation-2', kind: 'message', user: { username: 'sarah' }, unreadMessages: 2, isRead: false },
    ])
    expect(await noticesOf(SARAH)).toEqual([])
    const reading = { readerId: BALA, what: { senderId: SARAH }, nowMs }
    await database.pool.transaction((transaction) => markRead(transaction, reading, metadata))
    await hear(
      messageConsumer(),
      'MessagesRead',
      { readerId: BALA, senderId: SARAH, messageIds: [1, 2], readAt: at(9) },
      BALA,
    )
    expect(await noticesOf(BALA)).toMatchObject([{ isRead: true, unreadMessages: 0 }])
    // What is heard of late was read already.
    await hear(messageConsumer(), 'MessageSent', sentAs(3), SARAH)
    expect(await unreadOf(BALA)).toBe(0)
  })

  it('that nobody has written are none', async () => {
    await write()
    await hear(
      messageConsumer(),
      'MessageSent',
      sentAs(1, { kind: 'action', transactionId: 4, actionType: 'INITIATE' }),
    )
    await hear(messageConsumer(), 'MessageSent', sentAs(1, { authorId: ADMIN }))
    await react(database.pool, messageConsumer(), {
      type: 'MessageSent',
      data: sentAs(1),
      at: at(0),
      metadata: { ...metadata, causationId: 'an auction that ended' },
    })
    expect(await noticesOf(BALA)).toEqual([])
  })

  it('of somebody who is blocked are not heard of', async () => {
    await write()
    await hear(messageConsumer(), 'MessageSent', sentAs(1), SARAH)
    const wanted = { userId: BALA, blockedId: SARAH, isWanted: true, nowMs }
    await database.pool.transaction((transaction) => changeBlock(transaction, wanted, metadata))
    await nats.connection.flush()
    shown = []
    await hear(messageConsumer(), 'MessageSent', sentAs(2), SARAH)
    await nats.connection.flush()
    expect([await noticesOf(BALA), await unreadOf(BALA), shown]).toEqual([[], 0, []])
    expect((await call('GET', '/api/notices', BALA)).headers['x-total-count']).toBe('0')
  })
})

describe('a deal', () => {
  const deal = {
    transactionId: 8,
    productId: PRODUCT,
    productName: 'Santal 33',
    sellerId: SARAH,
    buyerId: BALA,
    amountSen: 5000,
    auctionId: null,
  }
  const step = (name: string, actorId: number, second: number) =>
    hear(messageConsumer(), 'TransactionStepConfirmed', { ...deal, step: name, confirmedAt: at(second) }, actorId)
  beforeEach(async () => {
    await database.pool.query(sql.unsafe`
      insert into deals (id, product_id, product_name, seller_id, buyer_id, amount_sen, stage, started_at, waiting_since, updated_at)
      values (8, ${PRODUCT}, 'Santal 33', ${SARAH}, ${BALA}, 5000, 'purchase', now(), now(), now()) on conflict do nothing`)
    await hear(messageConsumer(), 'TransactionStarted', { ...deal, startedAt: at(1) }, SARAH)
  })

  it('is one notice, which says how far it is to whoever did not do it', async () => {
    expect(await noticesOf(BALA)).toMatchObject([
      { key: 'deal-8', kind: 'deal-offered', user: { username: 'sarah' }, deal: { id: 8, amount: 50, role: 'buyer' } },
    ])
    await step('purchase', BALA, 2)
    expect(await noticesOf(BALA)).toMatchObject([{ kind: 'deal-offered', isRead: true }])
    expect(await noticesOf(SARAH)).toMatchObject([
      { kind: 'deal-purchased', user: { username: 'bala' }, isRead: false },
    ])
    await step('payment', SARAH, 3)
    expect(await kindsOf(BALA)).toEqual(['deal-paid'])
    await step('delivery', BALA, 4)
    expect(await kindsOf(SARAH)).toEqual(['deal-delivered'])
    const review = {
      reviewId: 8,
      productId: PRODUCT,
      productName: 'Santal 33',
      sellerId: SARAH,
      buyerId: BALA,
      rating: 4.5,
      comment: null,
      submittedAt: at(5),
    }
    await hear(messageConsumer(), 'ReviewSubmitted', review, BALA)
    expect(await kindsOf(SARAH)).toEqual(['review'])
    expect(await unreadOf(BALA)).toBe(0)
  })

  it('that an administrator takes further is told to both', async () => {
    await step('payment', ADMIN, 2)
    expect([await kindsOf(BALA), await kindsOf(SARAH)]).toEqual([['deal-paid'], ['deal-paid']])
    const order = {
      orderId: 8,
      productId: PRODUCT,
      productName: 'Santal 33',
      sellerId: SARAH,
      buyerId: BALA,
      totalSen: 5000,
    }
    await hear(messageConsumer(), 'OrderStatusChanged', { ...order, status: 'processing', changedAt: at(2) }, ADMIN)
    await hear(messageConsumer(), 'OrderStatusChanged', { ...order, status: 'shipped', changedAt: at(3) }, ADMIN)
    expect([await kindsOf(BALA), await kindsOf(SARAH)]).toEqual([['deal-shipped'], ['deal-shipped']])
  })

  it('that waits is brought to mind of whoever it waits for', async () => {
    await hear(messageConsumer(), 'TransactionReminded', { ...deal, step: 'payment', reminder: 1, remindedAt: at(2) })
    expect([await kindsOf(SARAH), await kindsOf(BALA)]).toEqual([['deal-reminder'], ['deal-offered']])
  })

  it.each([
    ['seller', ['deal-cancelled'], []],
    ['buyer', ['deal-offered'], ['deal-cancelled']],
    ['removal', ['deal-cancelled'], ['deal-cancelled']],
  ])('that is called off by the %s is told to who did not do that', async (by, buyer, seller) => {
    await hear(messageConsumer(), 'TransactionCancelled', { ...deal, by, after: null, cancelledAt: at(2) })
    expect([await kindsOf(BALA), await kindsOf(SARAH)]).toEqual([buyer, seller])
  })
})

describe('a listing', () => {
  const removal = { productId: PRODUCT, sellerId: SARAH, by: 'admin', reason: 'It is a copy.', removedAt: at(1) }

  it('that an administrator removes is told to its seller', async () => {
    await hear(listingConsumer(), 'ListingRemoved', removal, ADMIN)
    expect(await noticesOf(SARAH)).toMatchObject([
      { key: 'listing-11', kind: 'listing-removed', user: { username: 'admin' } },
    ])
  })

  it('that an administrator removes is told also to whoever has blocked them', async () => {
    const wanted = { userId: SARAH, blockedId: ADMIN, isWanted: true, nowMs }
    await database.pool.transaction((transaction) => changeBlock(transaction, wanted, metadata))
    await hear(listingConsumer(), 'ListingRemoved', removal, ADMIN)
    expect([await kindsOf(SARAH), await unreadOf(SARAH)]).toEqual([['listing-removed'], 1])
  })

  it('that its seller removes is not', async () => {
    await hear(listingConsumer(), 'ListingRemoved', { ...removal, by: 'seller', reason: null }, SARAH)
    expect(await noticesOf(SARAH)).toEqual([])
  })
})

describe('watching', () => {
  const watch = (method: 'GET' | 'PUT' | 'DELETE', id: number, auctionId = AUCTION) =>
    call(method, `/api/watches/${auctionId}`, id)
  const isWatching = async (id: number) => (await watch('GET', id)).body
  const endsIn = (minutes: number) => new Date(nowMs + minutes * 60_000).toISOString()
  /** An auction that ends as long from now, with what has happened before. */
  const openUntil = (minutes: number) =>
    hear(auctionConsumer(), 'AuctionOpened', { ...terms, startsAt: at(0), endsAt: endsIn(minutes), openedAt: at(0) })
  const upkeep = (minutes = 0) => tellOfEnding(database.pool, createTeller(nats.connection), nowMs + minutes * 60_000)
  beforeEach(() => openUntil(100))

  it('is what somebody says, and whoever has bid does without saying so', async () => {
    expect(await isWatching(MEI)).toEqual({ isWatching: false })
    for (const _ of ['once', 'twice']) {
      expect(await watch('PUT', MEI)).toMatchObject({ status: 200, body: { isWatching: true } })
    }
    expect(await isWatching(MEI)).toEqual({ isWatching: true })
    await bid({ seq: 1, by: BALA })
    expect(await isWatching(BALA)).toEqual({ isWatching: true })
    for (const _ of ['once', 'twice']) {
      expect(await watch('DELETE', BALA)).toMatchObject({ status: 200, body: { isWatching: false } })
    }
    expect(await isWatching(BALA)).toEqual({ isWatching: false })
    for (const method of ['GET', 'PUT', 'DELETE'] as const) expect((await watch(method, MEI, 99)).status).toBe(404)
  })

  it('has a limit', async () => {
    await database.pool.query(sql.unsafe`
      insert into auctions (id, product_id, seller_id, ends_at) select n, 1, 1, now() from generate_series(1000, 1499) n`)
    await database.pool.query(sql.unsafe`
      insert into auction_watches select ${MEI}, n, true, now() from generate_series(1000, 1499) n`)
    expect(await watch('PUT', MEI)).toMatchObject({ status: 409, body: { code: 'watches-full' } })
    expect((await watch('DELETE', MEI, 1000)).status).toBe(200)
    expect((await watch('PUT', MEI)).status).toBe(200)
  })

  it('tells an hour before the end, once, whoever wants to know', async () => {
    await watch('PUT', MEI)
    await bid({ seq: 1, by: BALA })
    await upkeep(39)
    expect(await kindsOf(MEI)).toEqual([])
    for (const _ of ['once', 'twice']) await Promise.all([upkeep(41), upkeep(41)])
    const [told] = await noticesOf(MEI)
    expect(told).toMatchObject({
      key: 'auction-3',
      kind: 'auction-ending',
      auction: { amount: 10.1, isLeading: false },
    })
    expect(await noticesOf(BALA)).toMatchObject([{ kind: 'auction-ending', auction: { isLeading: true } }])
    await call('POST', '/api/notices/read', MEI, { id: told?.id })
    await upkeep(60)
    expect(await noticesOf(MEI)).toEqual([{ ...told, isRead: true }])
  })

  it('tells of another end that was set since', async () => {
    await watch('PUT', MEI)
    await upkeep(41)
    await hear(auctionConsumer(), 'AuctionRevised', {
      ...terms,
      startsAt: at(0),
      endsAt: endsIn(200),
      revisedAt: at(1),
    })
    const [first] = await noticesOf(MEI)
    await upkeep(42)
    expect(await noticesOf(MEI)).toMatchObject([{ id: first?.id }])
    await upkeep(141)
    expect((await noticesOf(MEI))[0]?.id).toBeGreaterThan(first?.id ?? Number.POSITIVE_INFINITY)
  })

  it('tells nobody who came within the hour, who does not want to know, or of what has ended', async () => {
    await openUntil(30)
    await watch('PUT', MEI)
    await upkeep()
    expect(await kindsOf(MEI)).toEqual([])
    await openUntil(100)
    await bid({ seq: 1, by: BALA })
    await watch('DELETE', BALA)
    await upkeep(101)
    await end({ outcome: 'won', winnerId: BALA, leaderId: BALA, amountSen: 1010, bidCount: 1 })
    await upkeep(50)
    expect(await kindsOf(BALA)).toEqual(['auction-won'])
    expect(await kindsOf(MEI)).toEqual(['auction-lost'])
  })

  it('is told beside a page of bids and ends, and neither waits for the other for ever', async () => {
    await watch('PUT', MEI)
    await open(4)
    const bids = [bidOf({ seq: 1, by: BALA, auctionId: 4 }), bidOf({ seq: 2, by: MEI, auctionId: 4 })]
    const page = await beginPage({ BidPlaced: bids }, { AuctionEnded: [unsold] })
    const telling = upkeep(41)
    await eventually(async () => expect(await countWaiting()).toBe(1))
    await Promise.all([page.goOn(), telling])
    expect(await kindsOf(MEI)).toEqual(['auction-lost'])
  })

  it('is told the next time if a page says something of the auction', async () => {
    await watch('PUT', MEI)
    await open(4)
    const revised = { ...terms, startsAt: at(0), endsAt: endsIn(100), revisedAt: at(1) }
    const page = await beginPage({ AuctionRevised: [revised] }, { AuctionEnded: [{ ...unsold, auctionId: 4 }] })
    await upkeep(41)
    await page.goOn()
    expect(await kindsOf(MEI)).toEqual([])
    await upkeep(41)
    expect(await kindsOf(MEI)).toEqual(['auction-ending'])
  })

  it('goes with the person', async () => {
    await watch('PUT', MEI)
    const erased = { type: 'UserErased', data: { userId: MEI, erasedAt: at(2) } } as const
    await tellOfPerson(database.pool, erased, { version: 3, bulkHandlers: identityHandlers })
    expect(await isWatching(MEI)).toEqual({ isWatching: false })
  })
})

describe('a favourite that costs less', () => {
  const lowered = {
    productId: PRODUCT,
    sellerId: SARAH,
    name: 'Santal 33',
    priceSen: 60_000,
    formerPriceSen: 68_050,
    loweredAt: at(1),
  }
  /** Who keeps it; catalogue names so many at once as a page holds. */
  const crowd = Array.from({ length: FAVORERS_AT_ONCE_MAX }, (_, index) => 1000 + index)
  const favorers = [SARAH, BALA, ...crowd].sort((one, other) => one - other)
  let catalogue: { stop(): Promise<void> }
  const asked: number[] = []
  beforeAll(() => {
    catalogue = serveRequests(nats.connection, 'catalogue', catalogueRequests.listFavorers, async ({ afterId }) => {
      asked.push(afterId)
      return { userIds: favorers.filter((id) => id > afterId).slice(0, FAVORERS_AT_ONCE_MAX) }
    })
  })
  afterAll(() => catalogue.stop())
  const hearOfIt = (data = lowered) => {
    const handlers = priceNotices({ nats: nats.connection, teller: createTeller(nats.connection) })
    return react(database.pool, { handlers }, { type: 'PriceLowered', data, at: at(1), metadata })
  }

  it('is told to all who keep it, some at a time and each once, and not to its seller', async () => {
    await hearOfIt()
    expect(await noticesOf(BALA)).toMatchObject([
      {
        key: 'favorite-11',
        kind: 'price-drop',
        product: { id: PRODUCT },
        price: { now: 600, before: 680.5 },
        user: { username: 'sarah' },
      },
    ])
    expect(await countTold('price-drop')).toBeLessThanOrEqual(AT_ONCE_MAX)
    expect(asked).toEqual([0])
    const [first] = await noticesOf(1000)
    await Promise.all([goOn(), goOn()])
    expect(await countTold('price-drop')).toBe(favorers.length - 1)
    expect(await announcedCount()).toBe(0)
    await hearOfIt()
    await goOn()
    expect(await noticesOf(1000)).toEqual([first])
    expect(await noticesOf(SARAH)).toEqual([])
    expect(await unreadOf(crowd.at(-1) ?? 0)).toBe(1)
  })

  it('is told at the lowest price, also when it is lowered twice at one instant', async () => {
    const once = { ...lowered, priceSen: 50_000, formerPriceSen: 60_000 }
    for (const data of [lowered, once, lowered]) await hearOfIt(data)
    await goOn()
    for (const userId of [BALA, ...crowd.slice(-1)]) {
      expect(await noticesOf(userId)).toMatchObject([{ kind: 'price-drop', price: { now: 500, before: 600 } }])
    }
  })
})

describe('notices', () => {
  /** Three of bala's, the last of auction 6. */
  async function tellThree() {
    for (const auctionId of [4, 5, 6]) {
      await open(auctionId)
      await bid({ seq: 1, by: BALA, auctionId }, { seq: 2, by: MEI, auctionId })
    }
  }
  const keys = (body: Notice[]) => body.map(({ key }) => key)

  it('come page by page, the latest first', async () => {
    await tellThree()
    const first = await call('GET', '/api/notices?limit=2', BALA)
    expect(keys(first.body)).toEqual(['auction-6', 'auction-5'])
    expect(first.headers['x-total-count']).toBe('3')
    const next = /<(.+)>; rel="next"/.exec(String(first.headers['link']))?.[1] ?? ''
    const second = await call('GET', next, BALA)
    expect(keys(second.body)).toEqual(['auction-4'])
    expect(second.headers['link']).toBeUndefined()
  })

  it('are read one by one, or up to the last that was seen', async () => {
    await tellThree()
    const [last, middle] = await noticesOf(BALA)
    expect(await call('POST', '/api/notices/read', BALA, { id: last?.id })).toMatchObject({
      status: 200,
      body: { count: 2 },
    })
    await call('POST', '/api/notices/read', MEI, { upTo: last?.id })
    expect(await unreadOf(BALA)).toBe(2)
    await nats.connection.flush()
    shown = []
    expect((await call('POST', '/api/notices/read', BALA, { upTo: middle?.id })).body).toEqual({ count: 0 })
    expect((await call('POST', '/api/notices/read', BALA, { upTo: middle?.id })).body).toEqual({ count: 0 })
    await nats.connection.flush()
    expect(shown).toEqual([{ type: 'notices_read', unread: 0 }])
    expect((await call('POST', '/api/notices/read', BALA, {})).status).toBe(400)
  })

  it('go after some weeks, and what is as old is not told', async () => {
    await tellThree()
    await database.pool.query(
      sql.unsafe`update notices set happened_at = now() - interval '31 days' where topic_id < 6`,
    )
    await discardOldNotices(database.pool, Date.now())
    expect(keys(await noticesOf(BALA))).toEqual(['auction-6'])
    await end({ auctionId: 5, outcome: 'won', winnerId: MEI, endedAt: '2026-01-01T08:00:00.000Z' })
    expect(keys(await noticesOf(BALA))).toEqual(['auction-6'])
  })

  it.each([
    [
      'notices',
      async (transaction: Transaction) => {
        const before = new Date(Date.now() - 19_990 * 60_000).toISOString()
        expect(await deleteOldNotices(transaction, { before, limit: 5 })).toBe(5)
      },
    ],
    ['auction_watches', (transaction: Transaction) => deleteWatchesOf(transaction, [1001])],
  ])('go without a look at those that stay: %s', async (table, remove) => {
    const pages = await database.pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`
        insert into notices (user_id, topic, topic_id, id, kind, happened_at)
        select 1000 + number % 5000, 'deal', number, nextval('notice_ids'), 'deal-offered', now() - make_interval(mins => number)
          from generate_series(1, 20000) as number`)
      await transaction.query(sql.unsafe`
        insert into auction_watches (user_id, auction_id, is_watching, since)
        select 1000 + number % 5000, number, number % 2 = 0, now() from generate_series(1, 20000) as number`)
      await transaction.query(sql.unsafe`analyze notices, auction_watches`)
      // As the service has its statements planned.
      await transaction.query(sql.unsafe`set local plan_cache_mode = force_generic_plan`)
      return pagesRead(transaction, [table], () => remove(transaction))
    })
    expect(pages).toBeLessThan(50)
  })

  it('go with the person, and none are told to who has left', async () => {
    await tellThree()
    const told = (event: Parameters<typeof tellOfPerson>[1], version: number) =>
      tellOfPerson(database.pool, event, { version, bulkHandlers: identityHandlers })
    await told({ type: 'AccountClosed', data: { userId: BALA, closedAt: at(1) } }, 2)
    await end({ auctionId: 4, outcome: 'won', winnerId: MEI })
    expect(await kindsOf(BALA)).toEqual(['outbid', 'outbid', 'outbid'])
    await told({ type: 'UserErased', data: { userId: BALA, erasedAt: at(2) } }, 3)
    expect(await noticesOf(BALA)).toEqual([])
    expect(await noticesOf(MEI)).toMatchObject([{ kind: 'auction-won' }])
  })

  it('are told without a look at what others have', async () => {
    await database.pool.query(sql.unsafe`
      insert into notices (user_id, topic, topic_id, id, kind, happened_at)
      select 1000 + number % 5000, 'deal', number, nextval('notice_ids'), 'deal-offered', now()
        from generate_series(1, 20000) as number`)
    await database.pool.query(sql.unsafe`analyze notices`)
    const telling = {
      userId: BALA,
      topic: 'listing',
      topicId: PRODUCT,
      kind: 'listing-removed',
      otherId: null,
    } as const
    const pages = await database.pool.transaction((transaction) =>
      pagesRead(transaction, ['notices'], () =>
        createTeller(nats.connection).tell(transaction, [{ ...telling, productId: PRODUCT, at: at(0) }]),
      ),
    )
    expect(await kindsOf(BALA)).toEqual(['listing-removed'])
    expect(pages).toBeLessThan(50)
  })

  it.each(['/api/notices', '/api/notices/unread-count'])('are for who is signed in: %s', async (url) => {
    expect((await app.inject({ url })).statusCode).toBe(401)
  })
})
