import type { PublishedIdentityEvent } from '@wangian/contracts/events/identity.ts'
import { CountRow, sql } from '@wangian/kit/database/postgres.ts'
import { Failure } from '@wangian/kit/errors.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { registeredAs, tellOfPerson, testPerson } from '@wangian/kit/testing/people.ts'
import { react } from '@wangian/kit/testing/react.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { countUnread, listConversations } from './conversations/conversation-store.ts'
import { deleteTextsWithoutReaders } from './conversations/erased-text-store.ts'
import { discardTexts } from './conversations/erased-texts.ts'
import { listBetween } from './conversations/message-store.ts'
import { insertMessages } from './conversations/sending-store.ts'
import { removalMessages } from './deals/deal-reactions.ts'
import { auctionReactions, identityHandlers, productHandlers } from './reactions.ts'
import { ADMIN, BALA, introducePeople, MEI, migrationsDirectory, PRODUCT, SARAH, send } from './testing/fixtures.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'messaging', migrationsDirectory })
})
afterAll(() => database.drop())
beforeEach(async () => {
  await emptyTables(
    database.pool,
    'messages, message_texts, conversations, known_people, products, events, dead_letters',
  )
  await introducePeople(database.pool)
})

const at = '2026-11-22T08:00:00.000Z'
const all = { limit: 500, beforeId: null, productId: null }
const metadata = { actorId: null, correlationId: 'test', causationId: null, commandId: null }
const envelope = { id: '0193a000-0000-7000-8000-000000000001', version: 1, schemaVersion: 1, at, metadata }

const tell = (event: PublishedIdentityEvent, version = 2) =>
  tellOfPerson(database.pool, event, { version, bulkHandlers: identityHandlers })

const shownOf = async (userId: number) => {
  const [row] = await database.pool.any(
    sql.unsafe`select username, profile_image, is_banned, is_closed from known_people where user_id = ${userId}`,
  )
  return row
}
const here = { is_banned: false, is_closed: false }
const nobody = { username: null, profile_image: null, is_banned: false, is_closed: true }
const closed: PublishedIdentityEvent = { type: 'AccountClosed', data: { userId: SARAH, closedAt: at } }
const erased = (userId: number): PublishedIdentityEvent => ({ type: 'UserErased', data: { userId, erasedAt: at } })

describe('people', () => {
  it('are known by name and picture, as they are now', async () => {
    const person = { ...testPerson('sarah.new'), profileImage: 'another-picture' }
    for (const _ of ['once', 'twice'])
      await tell({ type: 'ProfileUpdated', data: { userId: SARAH, updatedAt: at, person } })
    expect(await shownOf(SARAH)).toEqual({ ...here, username: 'sarah.new', profile_image: 'another-picture' })
    const registered = { userId: 90, isSeller: true, isAdmin: false, registeredAt: at, person: testPerson('new.one') }
    for (const _ of ['once', 'twice']) await tell({ type: 'UserRegistered', data: registered })
    expect(await shownOf(90)).toEqual({ ...here, username: 'new.one', profile_image: null })
  })

  it('who are banned are known, whichever event comes last', async () => {
    const banned: PublishedIdentityEvent = { type: 'UserBanned', data: { userId: BALA, bannedAt: at } }
    const unbanned: PublishedIdentityEvent = { type: 'UserUnbanned', data: { userId: BALA, unbannedAt: at } }
    await tell(banned, 2)
    await tell(banned, 2)
    expect(await shownOf(BALA)).toMatchObject({ username: 'bala', is_banned: true })
    await tell(unbanned, 3)
    await tell(banned, 2)
    expect(await shownOf(BALA)).toMatchObject({ is_banned: false })
  })

  it('who leave have no name any more, and no token brings it back', async () => {
    const { pool } = database
    await send(pool)
    for (const _ of ['once', 'twice']) await tell(closed)
    expect(await shownOf(SARAH)).toEqual(nobody)
    await tell({ type: 'ProfileUpdated', data: { userId: SARAH, updatedAt: at, person: null } })
    await expect(send(pool, { senderId: SARAH, senderName: 'sarah', receiverId: BALA })).rejects.toMatchObject({
      code: 'forbidden',
    })
    expect(await shownOf(SARAH)).toEqual(nobody)
    const [conversation] = (await listConversations(pool, BALA, all)).rows
    expect(conversation).toMatchObject({ user: { username: null }, lastMessage: { content: 'Is it still there?' } })
  })

  it('who come back are there again', async () => {
    await tell(closed)
    const reopened = { userId: SARAH, reopenedAt: at, person: testPerson('sarah') }
    await tell({ type: 'AccountReopened', data: reopened }, 3)
    expect(await shownOf(SARAH)).toEqual({ ...here, username: 'sarah', profile_image: null })
    await send(database.pool)
  })

  it('who are erased leave what they wrote to those who are left', async () => {
    const { pool } = database
    await send(pool, { content: 'From the one who leaves' })
    await pool.query(sql.unsafe`
      insert into dead_letters (consumer, event_id, subject, payload, error, tries, stream, tx, position)
      values ('identity-people', '1', 's', '{}', 'e', 5, 'user-5', 1, 1), ('identity-people', '2', 's', '{}', 'e', 5, 'user-2', 1, 2)`)
    for (const _ of ['once', 'twice']) await tell(erased(BALA))
    expect(await shownOf(BALA)).toEqual(nobody)
    expect((await listBetween(pool, SARAH, BALA, all)).rows).toMatchObject([{ content: 'From the one who leaves' }])
    expect(await pool.anyFirst(sql.unsafe`select event_id from dead_letters`)).toEqual(['2'])
    await send(pool, { senderId: MEI, senderName: 'mei', content: 'Still here' })
    await tell(erased(SARAH))
    for (const _ of ['once', 'twice']) await discardTexts(pool)
    expect(await pool.anyFirst(sql.unsafe`select content from message_texts`)).toEqual(['Still here'])
    expect(await pool.anyFirst(sql.unsafe`select user_id from erased_readers`)).toEqual([])
  })

  it('who are erased leave very much to go some at a time', async () => {
    const { pool } = database
    const sent = { senderId: BALA, receiverId: SARAH, productId: null, kind: 'text', transactionId: null } as const
    await insertMessages(
      pool,
      Array.from({ length: 2_100 }, (_, index) => ({
        sent: { ...sent, messageId: index + 1, actionType: null, sentAt: at },
        commandId: null,
        content: 'So many',
      })),
    )
    const left = () => pool.oneFirst(sql.type(CountRow)`select count(*) as count from message_texts`)
    for (const userId of [BALA, SARAH]) await tell(erased(userId))
    expect(await left()).toBe(2_100)
    const steps = [0, 1_000, 2_000, 2_100, null]
    for (const [index, afterId] of steps.slice(0, -1).entries()) {
      const page = { userId: BALA, afterId: afterId ?? 0, limit: 1_000 }
      expect(await deleteTextsWithoutReaders(pool, page)).toBe(steps[index + 1])
      expect(await left()).toBe(2_100 - (steps[index + 1] ?? 2_100))
    }
  })
})

describe('listings', () => {
  it('are known by name, price and first picture', async () => {
    const facts = {
      productId: 70,
      sellerId: SARAH,
      name: 'Oud Wood',
      priceSen: 90_000,
      imageUrl: 'https://x.test/a.jpg',
      stockQuantity: 1,
    }
    for (const _ of ['once', 'twice']) {
      await react(
        database.pool,
        { bulkHandlers: productHandlers },
        { ...envelope, type: 'ListingCreated', data: facts },
      )
    }
    await send(database.pool, { productId: 70 })
    const about = async () => (await listBetween(database.pool, BALA, SARAH, all)).rows[0]?.product
    expect(await about()).toEqual({
      id: 70,
      name: 'Oud Wood',
      priceSen: 90_000,
      imageUrl: 'https://x.test/a.jpg',
      isRemoved: false,
    })
    const pictures = { productId: 70, imageUrls: ['front', 'back'], images: [] }
    await react(
      database.pool,
      { bulkHandlers: productHandlers },
      { ...envelope, type: 'ListingPicturesChanged', data: pictures },
    )
    expect(await about()).toMatchObject({ imageUrl: 'front' })
    const updated = { ...facts, name: 'Oud Wood Intense', priceSen: 95_000 }
    await react(
      database.pool,
      { bulkHandlers: productHandlers },
      { ...envelope, type: 'ListingUpdated', data: updated },
    )
    const intense = { id: 70, name: 'Oud Wood Intense', priceSen: 95_000, imageUrl: 'front' }
    expect(await about()).toEqual({ ...intense, isRemoved: false })
    const removed = { productId: 70, sellerId: SARAH, by: 'seller', reason: null, removedAt: at }
    await react(
      database.pool,
      { bulkHandlers: productHandlers },
      { ...envelope, type: 'ListingRemoved', data: removed },
    )
    // What is told again does not bring it back.
    await react(
      database.pool,
      { bulkHandlers: productHandlers },
      { ...envelope, type: 'ListingUpdated', data: updated },
    )
    expect(await about()).toEqual({ ...intense, isRemoved: true })
  })

  it('are known to be sold out until there is a bottle again', async () => {
    const tellOf = async (type: string, stockQuantity: number) => {
      const facts = {
        productId: 70,
        sellerId: SARAH,
        name: 'Oud Wood',
        priceSen: 90_000,
        imageUrl: null,
        stockQuantity,
      }
      for (const _ of ['once', 'twice'])
        await react(database.pool, { bulkHandlers: productHandlers }, { ...envelope, type, data: facts })
      return database.pool.oneFirst(sql.unsafe`select is_sold_out from products where id = 70`)
    }
    expect(await tellOf('ListingCreated', 2)).toBe(false)
    expect(await tellOf('ListingSold', 1)).toBe(false)
    expect(await tellOf('ListingSold', 0)).toBe(true)
    expect(await tellOf('ListingReleased', 1)).toBe(false)
    expect(await tellOf('ListingSold', 0)).toBe(true)
    expect(await tellOf('ListingUpdated', 3)).toBe(false)
  })
})

describe('a listing that an administrator has taken away', () => {
  const removal = { productId: PRODUCT, sellerId: SARAH, by: 'admin' as const, reason: 'It is a copy.', removedAt: at }
  const remove = (data: object = {}, actorId: number | null = ADMIN) =>
    react(
      database.pool,
      { handlers: removalMessages(database.pool) },
      {
        ...envelope,
        type: 'ListingRemoved',
        data: { ...removal, name: 'Santal 33', ...data },
        metadata: { ...metadata, actorId },
      },
    )

  it('is told to its seller by that administrator, with the reason, once', async () => {
    await remove()
    await remove()
    expect((await listBetween(database.pool, SARAH, ADMIN, all)).rows).toMatchObject([
      {
        senderId: ADMIN,
        receiverId: SARAH,
        productId: PRODUCT,
        content: 'I have removed your listing Santal 33. Reason: It is a copy.',
      },
    ])
    expect(await countUnread(database.pool, SARAH)).toBe(1)
  })

  it('is told whatever the seller thinks of the administrator, and to nobody who has left', async () => {
    await database.pool.query(sql.unsafe`insert into blocks (user_id, blocked_id) values (${SARAH}, ${ADMIN})`)
    await remove()
    expect(await countUnread(database.pool, SARAH)).toBe(1)
    await database.pool.query(sql.unsafe`delete from blocks`)
    await tell({ type: 'AccountClosed', data: { userId: MEI, closedAt: at } })
    await remove({ productId: 12, sellerId: MEI })
    expect((await listBetween(database.pool, MEI, ADMIN, all)).rows).toEqual([])
  })

  it('is no news to whoever did it alone', async () => {
    await remove({ by: 'seller', reason: null }, SARAH)
    await remove({ sellerId: ADMIN })
    expect((await listConversations(database.pool, SARAH, all)).rows).toEqual([])
    expect((await listConversations(database.pool, ADMIN, all)).rows).toEqual([])
  })

  it('waits until identity has told of the seller', async () => {
    await expect(remove({ sellerId: 999 })).rejects.toThrow(Failure)
  })
})

describe('an auction that ended', () => {
  const ended = {
    auctionId: 3,
    productId: PRODUCT,
    sellerId: SARAH,
    outcome: 'won' as const,
    winnerId: BALA as number | null,
    amountSen: 12_050,
    bidCount: 4,
    endedAt: at,
  }
  const end = (change: Partial<typeof ended> = {}) =>
    react(
      database.pool,
      { handlers: auctionReactions(database.pool) },
      {
        ...envelope,
        type: 'AuctionEnded',
        stream: 'auction-3',
        data: { ...ended, ...change },
      },
    )

  it('opens a conversation of the seller with the winner, once', async () => {
    await end()
    await end()
    expect((await listBetween(database.pool, SARAH, BALA, all)).rows).toMatchObject([
      {
        senderId: SARAH,
        receiverId: BALA,
        productId: PRODUCT,
        content:
          'Congratulations, you won Santal 33 with a bid of RM\u00A0120.50! Let us arrange payment and delivery here.',
      },
    ])
    expect(await countUnread(database.pool, BALA)).toBe(1)
  })

  it('without a winner opens none', async () => {
    await end({ winnerId: null })
    expect((await listConversations(database.pool, SARAH, all)).rows).toEqual([])
  })

  it('opens none with somebody who has left', async () => {
    await tell({ type: 'AccountClosed', data: { userId: BALA, closedAt: at } })
    await end()
    expect((await listConversations(database.pool, SARAH, all)).rows).toEqual([])
  })

  it('waits for identity to tell of the winner', async () => {
    await database.pool.query(sql.unsafe`delete from known_people where user_id = ${BALA}`)
    await expect(end()).rejects.toThrow(Failure)
    await tellOfPerson(database.pool, registeredAs(BALA, 'bala'))
    await end()
    expect((await listConversations(database.pool, SARAH, all)).rows).toHaveLength(1)
  })

  it('is spoken of without the name of a listing that is not known', async () => {
    await end({ productId: 999 })
    expect((await listBetween(database.pool, SARAH, BALA, all)).rows).toMatchObject([
      { productId: 999, product: null, content: expect.stringContaining('you won this auction with') },
    ])
  })
})
