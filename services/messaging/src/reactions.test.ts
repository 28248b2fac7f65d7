import type { PublishedIdentityEvent } from '@wangian/contracts/events/identity.ts'
import type { KnownPerson } from '@wangian/contracts/revocations.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { Failure } from '@wangian/kit/errors.ts'
import { testPerson } from '@wangian/kit/testing/people.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { saveKnownPerson, savePerson } from './people-store.ts'
import { auctionReactions, catalogueReactions, identityReactions } from './reactions.ts'
import { countUnread, listBetween, listConversations } from './store.ts'
import { BALA, introducePeople, MEI, migrationsDirectory, PRODUCT, SARAH, send } from './testing/fixtures.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'messaging', migrationsDirectory })
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.pool.query(
    sql.unsafe`truncate messages, message_texts, conversations, people, products, events, dead_letters`,
  )
  await introducePeople(database.pool)
})

const at = '2026-11-22T08:00:00.000Z'
const all = { limit: 500, beforeId: null, productId: null }
const metadata = { actorId: null, correlationId: 'test', causationId: null, commandId: null }
const envelope = { id: '0193a000-0000-7000-8000-000000000001', version: 1, schemaVersion: 1, at, metadata }

async function tell(event: PublishedIdentityEvent, version = 2): Promise<void> {
  const stream = `user-${event.data.userId}`
  await database.pool.transaction(async (transaction) =>
    identityReactions[event.type]?.(transaction, { ...envelope, stream, version, ...event } as never),
  )
}

const shownOf = async (userId: number) => {
  const [row] = await database.pool.any(
    sql.unsafe`select username, profile_image, is_banned, is_closed from people where user_id = ${userId}`,
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
    const banned: PublishedIdentityEvent = { type: 'UserBanned', data: { userId: BALA, reason: 'Spam', bannedAt: at } }
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
    const [conversation] = await listConversations(pool, BALA, all)
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
      insert into dead_letters (consumer, event_id, subject, payload, error, tries)
      values ('identity-people', '1', 's', '{"stream":"user-5"}', 'e', 5), ('identity-people', '2', 's', '{"stream":"user-2"}', 'e', 5)`)
    for (const _ of ['once', 'twice']) await tell(erased(BALA))
    expect(await shownOf(BALA)).toEqual(nobody)
    expect(await listBetween(pool, SARAH, BALA, all)).toMatchObject([{ content: 'From the one who leaves' }])
    expect(await pool.anyFirst(sql.unsafe`select event_id from dead_letters`)).toEqual(['2'])
    await send(pool, { senderId: MEI, senderName: 'mei', content: 'Still here' })
    await tell(erased(SARAH))
    expect(await pool.anyFirst(sql.unsafe`select content from message_texts`)).toEqual(['Still here'])
  })
})

describe('people of whom no event tells any more', () => {
  const known = (userId: number, facts: Partial<KnownPerson> = {}): KnownPerson => ({
    userId,
    version: 2,
    isSeller: false,
    isEmailVerified: true,
    isBanned: false,
    isClosed: false,
    registeredAt: '2024-01-01T00:00:00.000Z',
    person: { ...testPerson(`person-${userId}`), profileImage: 'a-picture' },
    ...facts,
  })

  it('are known from identity, as they are now', async () => {
    for (const _ of ['once', 'twice']) {
      await saveKnownPerson(database.pool, known(90))
      await saveKnownPerson(database.pool, known(91, { isBanned: true }))
      await saveKnownPerson(database.pool, known(92, { isClosed: true, person: null }))
    }
    const shown = { ...here, profile_image: 'a-picture' }
    expect(await shownOf(90)).toEqual({ ...shown, username: 'person-90' })
    expect(await shownOf(91)).toEqual({ ...shown, username: 'person-91', is_banned: true })
    expect(await shownOf(92)).toEqual(nobody)
  })

  it('are left as events have told meanwhile', async () => {
    await saveKnownPerson(database.pool, known(SARAH, { version: 1 }))
    expect(await shownOf(SARAH)).toMatchObject({ username: 'sarah', profile_image: 'sarahs-picture' })
    await tell(closed)
    await saveKnownPerson(database.pool, known(SARAH, { version: 1 }))
    expect(await shownOf(SARAH)).toEqual(nobody)
  })

  it('get their names when only a ban is known of them', async () => {
    await tell({ type: 'UserBanned', data: { userId: 93, reason: 'Spam', bannedAt: at } }, 3)
    await saveKnownPerson(database.pool, known(93, { version: 2 }))
    expect(await shownOf(93)).toMatchObject({ username: 'person-93', is_banned: true })
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
    }
    await database.pool.transaction(async (transaction) => {
      for (const _ of ['once', 'twice']) {
        await catalogueReactions.ListingCreated?.(transaction, { ...envelope, data: facts } as never)
      }
    })
    await send(database.pool, { productId: 70 })
    const about = async () => (await listBetween(database.pool, BALA, SARAH, all))[0]?.product
    expect(await about()).toEqual({ id: 70, name: 'Oud Wood', priceSen: 90_000, imageUrl: 'https://x.test/a.jpg' })
    await database.pool.transaction(async (transaction) =>
      catalogueReactions.ListingPicturesChanged?.(transaction, {
        ...envelope,
        data: { productId: 70, imageUrls: ['front', 'back'], images: [] },
      } as never),
    )
    expect(await about()).toMatchObject({ imageUrl: 'front' })
    const updated = { ...facts, name: 'Oud Wood Intense', priceSen: 95_000 }
    await database.pool.transaction(async (transaction) =>
      catalogueReactions.ListingUpdated?.(transaction, { ...envelope, data: updated } as never),
    )
    expect(await about()).toEqual({ id: 70, name: 'Oud Wood Intense', priceSen: 95_000, imageUrl: 'front' })
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
    database.pool.transaction(async (transaction) =>
      auctionReactions(database.pool).AuctionEnded?.(transaction, {
        ...envelope,
        type: 'AuctionEnded',
        stream: 'auction-3',
        data: { ...ended, ...change },
      }),
    )

  it('opens a conversation of the seller with the winner, once', async () => {
    await end()
    await end()
    expect(await listBetween(database.pool, SARAH, BALA, all)).toMatchObject([
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
    expect(await listConversations(database.pool, SARAH, all)).toEqual([])
  })

  it('opens none with somebody who has left', async () => {
    await tell({ type: 'AccountClosed', data: { userId: BALA, closedAt: at } })
    await end()
    expect(await listConversations(database.pool, SARAH, all)).toEqual([])
  })

  it('waits for identity to tell of the winner', async () => {
    await database.pool.query(sql.unsafe`delete from people where user_id = ${BALA}`)
    await expect(end()).rejects.toThrow(Failure)
    await savePerson(database.pool, BALA, testPerson('bala'))
    await end()
    expect(await listConversations(database.pool, SARAH, all)).toHaveLength(1)
  })

  it('is spoken of without the name of a listing that is not known', async () => {
    await end({ productId: 999 })
    expect(await listBetween(database.pool, SARAH, BALA, all)).toMatchObject([
      { productId: 999, product: null, content: expect.stringContaining('you won this auction with') },
    ])
  })
})
