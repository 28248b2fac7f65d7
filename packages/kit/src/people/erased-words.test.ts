import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { holdLocks } from '../database/exclusive-session.ts'
import { sql } from '../database/postgres.ts'
import { silentLogger } from '../service/logger.ts'
import { emptyTables } from '../testing/empty-tables.ts'
import { registeredAs, tellOfPerson } from '../testing/people.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { type BlankSome, blankWords, noteWordsAbout, PlaceRow, startBlanking } from './erased-words.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue' })
  await database.pool.query(sql.unsafe`create table said (id bigint primary key, user_id bigint, words text)`)
})
afterAll(() => database.drop())
beforeEach(async () => {
  await emptyTables(database.pool, 'known_people, erased_people, said')
  for (const userId of [7, 8]) await tellOfPerson(database.pool, registeredAs(userId, `person-${userId}`))
})

/** Two rows at a time, whatever is asked for. */
const blankSaid: BlankSome = (executor, { userId, afterId }) =>
  executor.oneFirst(sql.type(PlaceRow)`
    with page as materialized (select id from said where user_id = ${userId} and id > ${afterId} order by id limit 2),
         blanked as (update said set words = '' where id in (select id from page))
    select max(id) as id from page`)

const say = (id: number, userId: number) =>
  database.pool.query(sql.unsafe`insert into said (id, user_id, words) values (${id}, ${userId}, 'Call Siti')`)
const left = () => database.pool.anyFirst(sql.unsafe`select id from said where words <> '' order by id`)
const noted = () => database.pool.anyFirst(sql.unsafe`select user_id from erased_people order by user_id`)
const erase = (userId: number) =>
  tellOfPerson(database.pool, { type: 'UserErased', data: { userId, erasedAt: '2026-11-23T08:00:00.000Z' } })

it('takes all words about people who are erased, and about nobody else', async () => {
  for (const id of [1, 2, 3, 4, 5]) await say(id, 7)
  await say(6, 8)
  await blankWords(database.pool, [blankSaid])
  expect(await left()).toEqual([1, 2, 3, 4, 5, 6])
  for (const _ of ['once', 'twice']) await erase(7)
  for (const _ of ['once', 'twice']) await blankWords(database.pool, [blankSaid])
  expect(await left()).toEqual([6])
  expect(await noted()).toEqual([])
})

it('goes on with somebody it could not get to the end of', async () => {
  for (const id of [1, 2, 3]) await say(id, 7)
  await erase(7)
  const broken: BlankSome = (executor, some) => {
    if (some.afterId > 0) throw new Error('the database is away')
    return blankSaid(executor, some)
  }
  await expect(blankWords(database.pool, [broken])).rejects.toThrow('away')
  expect([await left(), await noted()]).toEqual([[3], [7]])
  await blankWords(database.pool, [blankSaid])
  expect([await left(), await noted()]).toEqual([[], []])
})

it('takes words that are written later, also while it is at work', async () => {
  const { pool } = database
  await erase(7)
  const meanwhile: BlankSome = async (executor, some) => {
    const place = await blankSaid(executor, some)
    if (place === null && (await left()).length === 0) {
      await say(1, 7)
      await noteWordsAbout(pool, [7, 8])
    }
    return place
  }
  await blankWords(pool, [meanwhile])
  expect([await left(), await noted()]).toEqual([[1], [7]])
  await blankWords(pool, [blankSaid])
  expect([await left(), await noted()]).toEqual([[], []])
})

it('knows of words that were not committed yet when their person was erased', async () => {
  const { pool } = database
  const { promise: written, resolve: commit } = Promise.withResolvers<void>()
  const { promise: isNoted, resolve: haveNoted } = Promise.withResolvers<void>()
  const writing = pool.transaction(async (transaction) => {
    await transaction.query(sql.unsafe`insert into said (id, user_id, words) values (1, 7, 'Call Siti')`)
    await noteWordsAbout(transaction, [7])
    haveNoted()
    await written
  })
  await isNoted
  const erasing = erase(7)
  await blankWords(pool, [blankSaid])
  commit()
  await Promise.all([writing, erasing])
  await blankWords(pool, [blankSaid])
  expect([await left(), await noted()]).toEqual([[], []])
})

it('stops between two statements, however much there is, and knows whom it was at', async () => {
  await erase(7)
  const { promise: isAtWork, resolve: begin } = Promise.withResolvers<void>()
  let isStopped = false
  const endless: BlankSome = async (executor, { afterId }) => {
    begin()
    await executor.query(sql.unsafe`select`)
    return isStopped ? null : afterId + 1
  }
  const locks = holdLocks({ url: database.url, applicationName: 'blanking' })
  const blanking = startBlanking({ locks, pool: database.pool, log: silentLogger }, [endless])
  await isAtWork
  try {
    await Promise.race([blanking.stop(), failIn(3_000)])
    expect(await noted()).toEqual([7])
  } finally {
    isStopped = true
  }
})

const failIn = (ms: number) => wait(ms, undefined, { ref: false }).then(() => expect.fail(`it goes on after ${ms} ms`))
