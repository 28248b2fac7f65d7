import type { EventMetadata } from '@wangian/contracts/envelope.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../database/postgres.ts'
import { InvariantViolation } from '../invariant.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { appendEvents, newEventId, readStream, VersionConflict } from './event-store.ts'

const service = 'messaging'
const metadata: EventMetadata = { actorId: 7, correlationId: 'request-1', causationId: null, commandId: 'command-1' }
const put = (n: number) => ({
  type: 'MessagesRead',
  data: { readerId: 7, senderId: 5, messageIds: [n], readAt: '2026-11-22T08:00:00.000Z' },
})

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'kit' })
})
afterAll(() => database.drop())

function append(stream: string, expectedVersion: number, ...numbers: number[]) {
  return database.pool.transaction((transaction) =>
    appendEvents(transaction, { service, stream, expectedVersion, events: numbers.map(put), metadata }),
  )
}

describe('a new stream', () => {
  it('has no events', async () => {
    expect(await readStream(database.pool, service, 'thing-0')).toEqual([])
  })

  it('takes events and gives them back in their order, with what the database added', async () => {
    const appended = await append('thing-1', 0, 1, 2, 3)
    expect(appended.map(({ version }) => version)).toEqual([1, 2, 3])
    expect(await readStream(database.pool, service, 'thing-1')).toEqual(appended)
    expect(appended[0]).toEqual({
      ...put(1),
      metadata,
      stream: 'thing-1',
      version: 1,
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
  })

  it('takes ids that the caller chose', async () => {
    const eventIds = [newEventId(), newEventId()]
    const events = [put(1), put(2)]
    await database.pool.transaction((transaction) =>
      appendEvents(transaction, { service, stream: 'thing-2', expectedVersion: 0, events, metadata, eventIds }),
    )
    expect((await readStream(database.pool, service, 'thing-2')).map(({ id }) => id)).toEqual(eventIds)
  })

  it('is not made by an append of nothing', async () => {
    expect(await append('thing-3', 0)).toEqual([])
    expect(await readStream(database.pool, service, 'thing-3')).toEqual([])
  })
})

describe('a stream at version 2', () => {
  it('refuses an append that expects less, or more', async () => {
    await append('thing-4', 0, 1, 2)
    await expect(append('thing-4', 1, 3)).rejects.toThrow(VersionConflict)
    await expect(append('thing-4', 3, 3)).rejects.toThrow(VersionConflict)
    expect(await readStream(database.pool, service, 'thing-4')).toHaveLength(2)
  })

  it('is read in the order of its versions', async () => {
    await append('thing-5', 0, 1, 2)
    expect((await readStream(database.pool, service, 'thing-5')).map(({ version }) => version)).toEqual([1, 2])
  })

  it('takes one of many appends at the same moment, and the others are conflicts', async () => {
    await append('thing-6', 0, 1, 2)
    const results = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => append('thing-6', 2, n)))
    const refusals = results.filter((result) => result.status === 'rejected')
    expect(refusals).toHaveLength(7)
    for (const { reason } of refusals) expect(reason).toBeInstanceOf(VersionConflict)
    expect(await readStream(database.pool, service, 'thing-6')).toHaveLength(3)
  })
})

describe('a transaction that has written already', () => {
  it('may not append, for its number was drawn before the stream was looked at', async () => {
    const late = database.pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`insert into inbox (consumer, event_id) values ('x', ${newEventId()})`)
      await appendEvents(transaction, { service, stream: 'thing-7', expectedVersion: 0, events: [put(1)], metadata })
    })
    await expect(late).rejects.toThrow(InvariantViolation)
    expect(await readStream(database.pool, service, 'thing-7')).toEqual([])
  })

  it('may not append a second time', async () => {
    const twice = database.pool.transaction(async (transaction) => {
      await appendEvents(transaction, { service, stream: 'thing-8', expectedVersion: 0, events: [put(1)], metadata })
      await appendEvents(transaction, { service, stream: 'thing-9', expectedVersion: 0, events: [put(1)], metadata })
    })
    await expect(twice).rejects.toThrow(InvariantViolation)
    expect(await readStream(database.pool, service, 'thing-8')).toEqual([])
  })
})

describe('an event that is not as declared', () => {
  const attempt = (event: { readonly type: string; readonly data: unknown }) =>
    database.pool.transaction((transaction) =>
      appendEvents(transaction, { service, stream: 'thing-10', expectedVersion: 0, events: [event], metadata }),
    )

  it('is refused when it is too large to be published', async () => {
    const { type, data } = put(1)
    const messageIds = Array.from({ length: 20_000 }, (_, index) => 1_000_000 + index)
    await expect(attempt({ type, data: { ...data, messageIds } })).rejects.toThrow(InvariantViolation)
  })

  it('is refused when its type or its shape is another', async () => {
    const { type, data } = put(1)
    for (const event of [
      { type: 'MessagesLost', data },
      { type: 'BidPlaced', data },
      { type: 'toString', data },
      { type, data: { ...data, readerId: '7' } },
      { type, data: {} },
      { type, data: null },
    ]) {
      await expect(attempt(event), JSON.stringify(event)).rejects.toThrow(InvariantViolation)
    }
  })

  it('is stored without what is not declared', async () => {
    const { type, data } = put(1)
    const [appended] = await attempt({ type, data: { ...data, note: 'not for the log' } })
    expect(appended?.data).toEqual(data)
    expect(await readStream(database.pool, service, 'thing-10')).toEqual([appended])
  })
})

describe('an event in an older shape', () => {
  it('is read in the one of today', async () => {
    await append('thing-12', 0, 1)
    await database.pool.query(sql.unsafe`
      update events set data = data || '{"note": "of an earlier time"}' where stream = 'thing-12'`)
    expect(await readStream(database.pool, service, 'thing-12')).toMatchObject([{ version: 1, ...put(1) }])
  })

  it('is a bug when nothing of it can be read', async () => {
    await append('thing-13', 0, 1)
    await database.pool.query(sql.unsafe`update events set type = 'MessagesLost' where stream = 'thing-13'`)
    await expect(readStream(database.pool, service, 'thing-13')).rejects.toThrow(
      'MessagesLost of messaging, version 1, is not readable',
    )
  })
})

describe('new event ids', () => {
  it('are all different and sort by the time they were made', () => {
    const ids = Array.from({ length: 10_000 }, newEventId)
    expect(new Set(ids).size).toBe(10_000)
    const milliseconds = ids.map((id) => id.slice(0, 13))
    expect(milliseconds).toEqual(milliseconds.toSorted())
  })
})
