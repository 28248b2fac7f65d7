import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuctionDatabase } from '../testing/writer-rig.ts'
import { binaryArray } from './binary-arrays.ts'

let database: TestDatabase
let client: pg.Client

beforeAll(async () => {
  database = await createAuctionDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

/** The elements as Postgres writes them, in their order. */
async function readBack(type: string, array: Buffer): Promise<(string | null)[]> {
  const { rows } = await client.query<{ element: string | null }>(
    `select element::text from unnest($1::${type}[]) with ordinality as said (element, number) order by number`,
    [array],
  )
  return rows.map(({ element }) => element)
}

describe('an array in the binary format', () => {
  it('is for Postgres what its elements say, with nulls and to the limits of their types', async () => {
    const small = [0, -1, 32_767, -32_768]
    expect(await readBack('smallint', binaryArray('int2', small))).toEqual(small.map(String))
    const whole = [0, null, 2_147_483_647, -2_147_483_648]
    expect(await readBack('int', binaryArray('int4', whole))).toEqual(whole.map((number) => number?.toString() ?? null))
    const large = [0, -1, 2 ** 32, -(2 ** 32) - 1, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, null]
    expect(await readBack('bigint', binaryArray('int8', large))).toEqual(
      large.map((number) => number?.toString() ?? null),
    )
    const texts = ['', 'auction-5', `{a,"b"\\} null 'c' \n`, 'né 香水 🌸', null]
    expect(await readBack('text', binaryArray('text', texts))).toEqual(texts)
    const uuids = ['018f4e3a-0000-7abc-8def-0123456789ab', null, 'ffffffff-ffff-4fff-bfff-ffffffffffff']
    expect(await readBack('uuid', binaryArray('uuid', uuids))).toEqual(uuids)
    expect(await readBack('uuid', binaryArray('uuid', ['018F4E3A-0000-7ABC-8DEF-0123456789AB']))).toEqual([uuids[0]])
    const documents = ['{"a":"é \\" \\\\ 香","b":null}', '[]']
    expect(await readBack('json', binaryArray('json', documents))).toEqual(documents)
    expect(await readBack('jsonb', binaryArray('jsonb', documents))).toEqual([
      '{"a": "é \\" \\\\ 香", "b": null}',
      '[]',
    ])
  })

  it('may be empty, and may be nothing but nulls', async () => {
    expect(await readBack('text', binaryArray('text', []))).toEqual([])
    expect(await readBack('uuid', binaryArray('uuid', [null, null]))).toEqual([null, null])
    const { rows } = await client.query('select cardinality($1::int[]) as count', [binaryArray('int4', [])])
    expect(rows).toEqual([{ count: 0 }])
  })

  it('is not made of what its type cannot hold', () => {
    expect(() => binaryArray('int2', [32_768])).toThrow(RangeError)
    expect(() => binaryArray('int4', [2 ** 31])).toThrow(RangeError)
    expect(() => binaryArray('int8', [2 ** 53])).toThrow(RangeError)
    expect(() => binaryArray('int8', [0.5])).toThrow(RangeError)
    const digits = '0123456789abcdef0123456789abcdef'
    for (const none of ['', digits.slice(1), `${digits}0`, `g${digits.slice(1)}`, `@${digits.slice(1)}`]) {
      expect(() => binaryArray('uuid', [none])).toThrow(TypeError)
    }
  })
})
