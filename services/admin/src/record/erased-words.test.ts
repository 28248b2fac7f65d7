import type { CatalogueEvent } from '@wangian/contracts/events/catalogue.ts'
import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { rebuild } from '@wangian/kit/log/rebuild.ts'
import { blankWords } from '@wangian/kit/people/erased-words.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blanks, projections } from '../consumers.ts'
import { activityProjection } from '../projections.ts'
import { at, BALA, HAFIZ, listed, MEI, moved, placed, registered, SARAH } from '../testing/facts.ts'
import { ADMIN, createTestAdmin, type TestAdmin } from '../testing/test-admin.ts'
import { blankOrders } from './erased-words-store.ts'

let admin: TestAdmin
beforeAll(async () => {
  admin = await createTestAdmin()
  for (const userId of [SARAH, HAFIZ, BALA, MEI]) await admin.logs.identity.append(`user-${userId}`, registered(userId))
})
afterAll(() => admin.stop())

const reason = 'Siti has asked for it.'

function removed(productId: number, sellerId: number): CatalogueEvent {
  return { type: 'ListingRemoved', data: { productId, sellerId, by: 'admin', reason, removedAt: at(5) } }
}
async function remove(productId: number, sellerId: number): Promise<void> {
  const stream = `listing-${productId}`
  await admin.logs.catalogue.append(stream, listed({ productId, sellerId }))
  await admin.logs.catalogue.appendBy(ADMIN, stream, removed(productId, sellerId))
}
async function move(orderId: number, sellerId: number, buyerId: number): Promise<void> {
  const event = moved(orderId, 'processing', { sellerId, buyerId })
  const data = { ...event.data, admin: { id: ADMIN, from: 'pending', reason } }
  await admin.logs.messaging.append(`deal-${orderId}`, placed(orderId, { sellerId, buyerId }))
  await admin.logs.messaging.appendBy(ADMIN, `deal-${orderId}`, { ...event, data } as MessagingEvent)
}
async function erase(userId: number): Promise<void> {
  await admin.logs.identity.append(`user-${userId}`, { type: 'UserErased', data: { userId, erasedAt: at(9) } })
}

const pool = () => admin.database.pool
const blank = () => blankWords(pool(), blanks)
/** The targets of entries, and the listings, that say something about Siti: in the log, the record and the table. */
async function left(): Promise<unknown[]> {
  const named = '%Siti%'
  return [
    await pool().anyFirst(sql.unsafe`
      select (data ->> 'targetKind') || ' ' || (data ->> 'targetId') from events where data::text like ${named} order by 1`),
    await pool().anyFirst(sql.unsafe`
      select target_kind || ' ' || target_id from activity where reason like ${named} order by 1`),
    await pool().anyFirst(sql.unsafe`select id from listings where removal_reason like ${named} order by id`),
  ]
}

describe('the record about somebody who is erased', () => {
  it('has no reasons any more, but all else', async () => {
    await remove(1, SARAH)
    await remove(2, HAFIZ)
    await move(61, SARAH, BALA)
    await move(62, HAFIZ, MEI)
    await move(63, HAFIZ, BALA)
    await admin.hear()
    await blank()
    const all = ['listing 1', 'listing 2', 'order 61', 'order 62', 'order 63']
    expect(await left()).toEqual([all, all, [1, 2]])
    const { body: before } = await admin.call('GET', '/api/admin/activity')

    await erase(SARAH)
    await admin.hear()
    for (const _ of ['once', 'twice']) await blank()
    expect(await left()).toEqual([['listing 2', 'order 62', 'order 63'], ['listing 2', 'order 62', 'order 63'], [2]])
    await erase(BALA)
    await admin.hear()
    await blank()
    const rest = ['listing 2', 'order 62']
    expect(await left()).toEqual([rest, rest, [2]])
    const { body: after } = await admin.call('GET', '/api/admin/activity')
    const withReasons = (entry: { target: { kind: string; id: string } }) => ({
      ...entry,
      reason: rest.includes(`${entry.target.kind} ${entry.target.id}`) ? reason : null,
    })
    expect(after).toEqual(before.map(withReasons))
  })

  it('is the same when it is made anew, also from what was read before', async () => {
    const before = await left()
    for (const projection of [activityProjection, ...projections]) {
      const reading = { databaseUrl: admin.database.url, nats: async () => admin.nats.connection }
      const { changed } = await rebuild({ service: 'admin', projection, ...reading })
      expect(Object.values(changed).every((count) => count === 0)).toBe(true)
    }
    // As if they were not in the log any more only since the rebuild has read it.
    await pool().query(sql.unsafe`update events set data = data || ${JSON.stringify({ reason })}::jsonb`)
    const { changed } = await rebuild({
      service: 'admin',
      projection: activityProjection,
      databaseUrl: admin.database.url,
      nats: async () => admin.nats.connection,
    })
    expect(changed).toEqual({ activity: 0 })
    expect((await left()).slice(1)).toEqual(before.slice(1))
    await blank()
    expect(await left()).toEqual(before)
  })

  it('has none of what is done afterwards', async () => {
    const before = await left()
    await remove(3, SARAH)
    await move(64, HAFIZ, BALA)
    await admin.hear()
    await blank()
    expect(await left()).toEqual(before)
  })

  it('loses them some at a time', async () => {
    const places: unknown[] = []
    for (let afterId: number | null = 0; afterId !== null; ) {
      afterId = await blankOrders(pool(), { userId: HAFIZ, afterId, limit: 2 })
      places.push([afterId, (await left())[0]])
    }
    expect(places).toEqual([
      [63, ['listing 2']],
      [64, ['listing 2']],
      [null, ['listing 2']],
    ])
  })
})
