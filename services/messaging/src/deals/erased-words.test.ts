import { sql } from '@wangian/kit/database/postgres.ts'
import { appendEvents, readStream } from '@wangian/kit/log/event-store.ts'
import { blankWords } from '@wangian/kit/people/erased-words.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { tellOfPerson } from '@wangian/kit/testing/people.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { blanks } from '../consumers.ts'
import { discardTexts } from '../conversations/erased-texts.ts'
import { conversationsProjection } from '../projections.ts'
import { identityHandlers } from '../reactions.ts'
import { ADMIN, BALA, introducePeople, MEI, migrationsDirectory, PRODUCT, SARAH } from '../testing/fixtures.ts'
import { blankDeals } from './deal-store.ts'
import { type DealCommand, dealDecider, dealStream } from './domain.ts'
import { moveOrder } from './order-moves.ts'
import { projectDeal } from './projection.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'messaging', migrationsDirectory })
})
afterAll(() => database.drop())
beforeEach(async () => {
  await emptyTables(
    database.pool,
    'deals, messages, message_texts, conversations, known_people, erased_people, erased_readers, products, events',
  )
  await introducePeople(database.pool)
})

const at = '2026-11-22T08:00:00.000Z'
const facts = { productId: PRODUCT, productName: 'Santal 33', amountSen: 68_050, auctionId: null }

async function take(transactionId: number, ...commands: readonly DealCommand[]): Promise<void> {
  for (const command of commands) {
    const stream = dealStream(transactionId)
    await database.pool.transaction(async (transaction) => {
      const history = await readStream(transaction, 'messaging', stream)
      const deal = history.reduce(dealDecider.evolve, dealDecider.initialState)
      const events = dealDecider.decide(command, deal)
      const metadata = { actorId: null, correlationId: 'test', causationId: null, commandId: null }
      const append = { service: 'messaging', stream, expectedVersion: history.length, events, metadata } as const
      for (const event of await appendEvents(transaction, append)) await projectDeal(transaction, event as never)
    })
  }
}

const order = (transactionId: number, { sellerId = SARAH, buyerId = BALA } = {}) =>
  take(
    transactionId,
    { type: 'StartDeal', facts: { ...facts, transactionId, sellerId, buyerId }, at },
    { type: 'ConfirmStep', step: 'purchase', actorId: buyerId, at },
  )
const pay = (transactionId: number) =>
  take(transactionId, { type: 'MoveOrder', status: 'processing', actorId: ADMIN, reason: 'Siti has paid Sarah.', at })
const review = (transactionId: number, buyerId = BALA) =>
  take(
    transactionId,
    { type: 'ConfirmStep', step: 'delivery', actorId: buyerId, at },
    { type: 'SubmitReview', actorId: buyerId, rating: 4.5, comment: 'Siti packs well.', at },
  )

const erase = (userId: number) =>
  tellOfPerson(
    database.pool,
    { type: 'UserErased', data: { userId, erasedAt: at } },
    { bulkHandlers: identityHandlers },
  )
const blank = () => blankWords(database.pool, blanks)
/** The streams of which an event says something about Siti. */
const left = () =>
  database.pool.anyFirst(sql.unsafe`select distinct stream from events where data::text like '%Siti%' order by 1`)

describe('a deal of somebody who is erased', () => {
  it.each([
    ['its buyer', BALA],
    ['its seller', SARAH],
  ])('says nothing any more of why it was moved, and of what was thought of it: %s', async (_who, userId) => {
    for (const transactionId of [1, 2]) {
      await order(transactionId, transactionId === 2 ? { sellerId: ADMIN, buyerId: MEI } : {})
      await pay(transactionId)
      await review(transactionId, transactionId === 2 ? MEI : BALA)
    }
    await blank()
    expect(await left()).toEqual(['deal-1', 'deal-2'])
    for (const _ of ['once', 'twice']) await erase(userId)
    for (const _ of ['once', 'twice']) await blank()
    expect(await left()).toEqual(['deal-2'])
    const events = await readStream(database.pool, 'messaging', 'deal-1')
    expect(events.map(({ type, data }) => [type, data])).toMatchObject([
      ['TransactionStarted', {}],
      ['TransactionStepConfirmed', { step: 'purchase' }],
      ['OrderPlaced', {}],
      ['TransactionStepConfirmed', { step: 'payment' }],
      ['OrderStatusChanged', { status: 'processing', admin: { id: ADMIN, from: 'pending', reason: null } }],
      ['TransactionStepConfirmed', { step: 'delivery' }],
      ['OrderStatusChanged', { status: 'delivered' }],
      ['ReviewSubmitted', { rating: 4.5, comment: null }],
    ])
    const rows = () => database.pool.any(sql.unsafe`select * from deals order by id`)
    const before = await rows()
    await rebuildTables(database.pool, 'messaging', conversationsProjection)
    expect(await rows()).toEqual(before)
  })

  it('says nothing of what happens afterwards', async () => {
    await order(1)
    await erase(SARAH)
    await blank()
    await pay(1)
    await blank()
    expect(await left()).toEqual([])
    await review(1)
    await blank()
    expect(await left()).toEqual([])
  })

  it('keeps no note of an administrator that nobody is left to read', async () => {
    const { pool } = database
    const notes = () => pool.anyFirst(sql.unsafe`select content from message_texts where content like '%Siti%'`)
    const cancel = (orderId: number) =>
      moveOrder(
        pool,
        {
          orderId,
          status: 'cancelled',
          actorId: ADMIN,
          actorName: 'admin',
          reason: 'Siti asked for it.',
          requestId: 'r',
        },
        Date.parse(at),
      )
    await order(1)
    await order(2, { sellerId: SARAH, buyerId: MEI })
    for (const userId of [SARAH, BALA]) await erase(userId)
    await discardTexts(pool)
    for (const orderId of [1, 2]) await cancel(orderId)
    expect(await notes()).toHaveLength(2)
    await discardTexts(pool)
    expect(await notes()).toHaveLength(1)
    await erase(MEI)
    await discardTexts(pool)
    expect(await notes()).toEqual([])
  })

  it('is one of very many some at a time', async () => {
    for (const transactionId of [1, 2, 3]) {
      const sides = transactionId === 2 ? { sellerId: BALA, buyerId: MEI } : {}
      await order(transactionId, sides)
      await pay(transactionId)
    }
    await erase(BALA)
    const places: unknown[] = []
    for (let afterId: number | null = 0; afterId !== null; ) {
      afterId = await blankDeals(database.pool, { userId: BALA, afterId, limit: 2 })
      places.push([afterId, await left()])
    }
    expect(places).toEqual([
      [2, ['deal-3']],
      [3, []],
      [null, []],
    ])
  })
})
