import { sql } from '@wangian/kit/database/postgres.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { putAside } from '@wangian/kit/testing/letters.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, listed, placed, registered, SARAH } from '../testing/facts.ts'
import { adminUser } from '../testing/identity-stand-in.ts'
import { ADMIN, createTestAdmin, type TestAdmin } from '../testing/test-admin.ts'

let admin: TestAdmin

beforeAll(async () => {
  admin = await createTestAdmin()
  admin.names.set(ADMIN, 'root')
  for (const userId of [ADMIN, SARAH]) await admin.logs.identity.append(`user-${userId}`, registered(userId))
})
afterAll(() => admin.stop())

async function services() {
  const { status, body } = await admin.call('GET', '/api/admin/system')
  expect(status).toBe(200)
  return new Map<string, { status: unknown; lags: { consumer: string; events: number | null }[] }>(
    body.services.map((service: { name: string }) => [service.name, service]),
  )
}

describe('parked events', () => {
  const parkedOf = async () => (await admin.call('GET', '/api/admin/system/parked')).body
  const entries = async () => (await admin.call('GET', '/api/admin/activity')).body
  const key = async () => {
    const [{ service, consumer, eventId }] = await parkedOf()
    return { service, consumer, eventId }
  }

  beforeAll(async () => {
    // Of a time that is none.
    const { data } = placed(1)
    await admin.logs.messaging.append('deal-1', { type: 'OrderPlaced', data: { ...data, placedAt: 'never' } })
    await eventually(async () => expect(await parkedOf()).toMatchObject([{ dueAt: null }]))
  })

  it('are listed with what went wrong', async () => {
    expect(await parkedOf()).toEqual([
      {
        service: 'admin',
        consumer: 'messaging-orders',
        eventId: expect.any(String),
        type: 'OrderPlaced',
        stream: 'deal-1',
        error: expect.any(String),
        tries: 5,
        parkedAt: expect.any(String),
        dueAt: null,
      },
    ])
    expect((await services()).get('admin')).toMatchObject({ status: { parkedCount: 1 } })
  })

  it('are listed before those that are tried again by themselves, wherever those are', async () => {
    const { pool } = admin.database
    const eventId = await putAside(pool, 'auction-auctions', { stream: 'auction-1' })
    await pool.query(sql.unsafe`
      update dead_letters set due_at = now() + interval '1 hour', parked_at = now() - interval '1 day'
       where event_id = ${eventId}`)
    const { body } = await admin.call('GET', '/api/admin/system/parked?limit=1')
    expect(body).toMatchObject([{ consumer: 'messaging-orders', dueAt: null }])
    expect(await parkedOf()).toMatchObject([{ dueAt: null }, { consumer: 'auction-auctions' }])
    await pool.query(sql.unsafe`delete from dead_letters where event_id = ${eventId}`)
  })

  it('are tried again', async () => {
    const body = { ...(await key()), reason: 'Mended' }
    expect(await admin.call('POST', '/api/admin/system/parked/retry', { body })).toMatchObject({ status: 200 })
    await eventually(async () =>
      expect(await entries()).toMatchObject([
        {
          actor: { username: 'root' },
          action: 'retry-event',
          target: { kind: 'event', id: body.eventId },
          reason: 'Mended',
          before: { state: 'parked', service: 'admin', consumer: 'messaging-orders', type: 'OrderPlaced' },
          after: { state: 'tried again' },
        },
      ]),
    )
    await eventually(async () => expect(await parkedOf()).toMatchObject([{ dueAt: null }]))
  })

  it('are given up, by one of two administrators at once', async () => {
    await admin.logs.messaging.append('deal-1', placed(1))
    const body = { ...(await key()), reason: 'Nobody needs it' }
    const both = await Promise.all([1, 2].map(() => admin.call('POST', '/api/admin/system/parked/discard', { body })))
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404])
    await eventually(async () => expect(await parkedOf()).toEqual([]))
    expect(await entries()).toMatchObject([
      {
        action: 'discard-event',
        reason: 'Nobody needs it',
        before: { state: 'parked', type: 'OrderPlaced' },
        after: { state: 'discarded' },
      },
      { action: 'retry-event' },
    ])
    // What waited behind it goes on.
    await eventually(async () => expect((await admin.call('GET', '/api/admin/orders/1')).status).toBe(200))
  })

  it('are in the record as given up though no answer came in time, and not when nobody was there to ask', async () => {
    const { data } = placed(2)
    await admin.logs.messaging.append('deal-2', { type: 'OrderPlaced', data: { ...data, placedAt: 'never' } })
    await eventually(async () => expect(await parkedOf()).toMatchObject([{ dueAt: null }]))
    const body = { ...(await key()), reason: 'Nor this one' }
    const discard = async (service: string) =>
      (await admin.call('POST', '/api/admin/system/parked/discard', { body: { ...body, service } })).status
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = admin.database.pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`select from dead_letters for update`)
      held.resolve()
      await release.promise
    })
    await held.promise
    expect(await discard(body.service)).toBe(503)
    release.resolve()
    await holding
    await eventually(async () => expect(await parkedOf()).toEqual([]))
    expect(await discard(body.service)).toBe(404)
    await admin.statuses.get('boost')?.stop()
    expect(await discard('boost')).toBe(503)
    const { service, consumer, eventId, reason } = body
    const unanswered = {
      ...{ action: 'discard-event', target: { kind: 'event', id: eventId }, reason },
      ...{ before: { service, consumer }, after: { state: 'no answer' } },
    }
    await eventually(async () =>
      expect(await entries()).toMatchObject([unanswered, { reason: 'Nobody needs it' }, { action: 'retry-event' }]),
    )
  })

  it.each([
    [404, { service: 'catalogue', consumer: 'x', eventId: 'x', reason: 'x' }],
    [404, { service: 'nobody', consumer: 'x', eventId: 'x', reason: 'x' }],
    [400, { service: 'catalogue', consumer: 'x', eventId: 'x', reason: ' ' }],
  ])('are refused with %i: %o', async (status, body) => {
    expect((await admin.call('POST', '/api/admin/system/parked/discard', { body })).status).toBe(status)
  })
})

describe('the services', () => {
  it('are shown with how far behind they are, and those that are down as such', async () => {
    await admin.logs.catalogue.append('listing-1', listed())
    await eventually(async () => expect((await admin.call('GET', '/api/admin/listings/1')).status).toBe(200))
    await eventually(async () => {
      const lags = (await services()).get('admin')?.lags
      expect(lags).toContainEqual({ consumer: 'catalogue-listings', source: 'catalogue', events: 0 })
    })
    const { pool } = admin.database
    await pool.query(sql.unsafe`
      update consumer_positions set position = 0, tx = 0 where consumer = 'catalogue-listings' and type = 'ListingCreated'`)
    const behind = (await services()).get('admin')?.lags.find(({ consumer }) => consumer === 'catalogue-listings')
    expect(behind?.events).toBeGreaterThan(0)

    await admin.statuses.get('catalogue')?.stop()
    const known = await services()
    expect([...known.keys()]).toEqual(['identity', 'catalogue', 'auction', 'messaging', 'boost', 'admin'])
    expect(known.get('catalogue')).toEqual({ name: 'catalogue', status: null, lags: [] })
    expect(known.get('admin')?.lags).toContainEqual({
      consumer: 'catalogue-listings',
      source: 'catalogue',
      events: null,
    })
    expect(known.get('identity')).toMatchObject({ status: { isDatabaseUp: true, consumers: [] } })
  })
})

describe('a timeline', () => {
  const timeline = async (kind: string, id: number) => {
    const { status, body } = await admin.call('GET', `/api/admin/timeline/${kind}/${id}`)
    return { status, types: body.map?.(({ type }: { type: string }) => type), body }
  }

  it('says what happened to somebody, the latest first, with why', async () => {
    const { identity } = admin
    identity.people.set(SARAH, adminUser(SARAH))
    const body = { isBanned: true, reason: 'Sells fakes' }
    expect((await admin.call('PATCH', `/api/admin/users/${SARAH}/ban`, { body })).status).toBe(200)
    await eventually(async () => {
      const { body: found } = await timeline('user', SARAH)
      expect(found).toMatchObject([
        {
          service: 'identity',
          type: 'UserBanned',
          actor: { id: ADMIN },
          data: { bannedAt: at(40), reason: 'Sells fakes' },
        },
        { service: 'identity', type: 'UserRegistered', actor: null },
      ])
    })
  })

  it('of an order is that of its deal', async () => {
    expect(await timeline('order', 1)).toMatchObject({ status: 200, types: ['OrderPlaced', 'OrderPlaced'] })
    expect(await timeline('order', 404)).toMatchObject({ status: 200, body: [] })
  })

  it('is not there while an owner is down', async () => {
    expect((await timeline('listing', 1)).status).toBe(503)
  })
})
