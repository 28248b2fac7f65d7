import { Client } from 'pg'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../testing/test-database.ts'
import { sql } from './postgres.ts'
import { hasWord } from './search-words.ts'

it('makes what a word is compared with once, and not for each row', async () => {
  const database = await createTestDatabase({ service: 'admin' })
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    await client.query(`
      create table people (id bigint primary key, search text not null);
      create function search_pattern(word text) returns text language sql immutable strict return '%' || lower(normalize(word, nfkc)) || '%'`)
    const asked = sql.unsafe`select p.id from people p where ${hasWord('p', 'person')}`
    // As it is planned for any word: the pattern of a known one is made while planning.
    const { rows } = await client.query<Record<'QUERY PLAN', string>>(
      `explain (generic_plan) ${asked.sql.replaceAll('$slonik_', '$')}`,
    )
    const conditions = rows.map((row) => row['QUERY PLAN']).filter((line) => /Cond:|Filter:/.test(line))
    expect(conditions).toEqual([expect.stringMatching(/search ~~ \(InitPlan 1\)/)])
  } finally {
    await client.end()
    await database.drop()
  }
})
