import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { sql } from './postgres.ts'
import { frequencyOf, hasWord, hasWordInText, sampleOf } from './search-words.ts'

let database: TestDatabase
let client: Client
beforeAll(async () => {
  database = await createTestDatabase({ service: 'admin' })
  client = new Client({ connectionString: database.url })
  await client.connect()
  await client.query(`
    create table people (id bigint primary key, search text not null);
    create index people_by_search on people using gin (search extensions.gin_trgm_ops);
    insert into people select n, 'person_' || n from generate_series(1, 2000) as n;
    analyze people;
    create function search_pattern(word text) returns text language sql immutable strict return '%' || lower(normalize(word, nfkc)) || '%'`)
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

/** As it is planned for any word, with an index where one helps: the pattern of a known word is made while planning. */
async function planOf(condition: ReturnType<typeof hasWord>): Promise<string[]> {
  const asked = sql.unsafe`select p.id from people p where ${condition}`
  await client.query('set enable_seqscan = off')
  const { rows } = await client.query<Record<'QUERY PLAN', string>>(
    `explain (generic_plan) ${asked.sql.replaceAll('$slonik_', '$')}`,
  )
  return rows.map((row) => row['QUERY PLAN'])
}

it.each([
  ['by its index', hasWord, true],
  ['in the text', hasWordInText, false],
])('makes what a word is compared with once, and not for each row: %s', async (_, condition, isByIndex) => {
  const plan = await planOf(condition('p', 'person'))
  expect(plan.filter((line) => /Cond:|Filter:/.test(line))).toEqual(
    Array.from({ length: isByIndex ? 2 : 1 }, () => expect.stringMatching(/ ~~ \(InitPlan 1\)/)),
  )
  expect(plan.some((line) => line.includes('people_by_search'))).toBe(isByIndex)
})

it.each([
  ['person', 500],
  ['person_12', 11],
  ['_1999', 0],
])('counts the rows of a sample that have %s', async (word, frequency) => {
  const counted = await database.pool.oneFirst(sql.type(z.object({ frequency: z.number() }))`
    with ${sampleOf('people')} select ${frequencyOf(word)} as frequency`)
  expect(counted).toBe(frequency)
})
