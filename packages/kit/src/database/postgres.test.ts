import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Failure, isUnavailability } from '../errors.ts'
import { InvariantViolation } from '../invariant.ts'
import { createLogger } from '../service/logger.ts'
import { eventually } from '../testing/eventually.ts'
import { createTestDatabase, openTestPool, type TestDatabase } from '../testing/test-database.ts'
import { isUniqueViolation, openPool, sql, textPreparer, UnexpectedRow } from './postgres.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'kit', connectionsMax: 2 })
  await database.pool.query(sql.unsafe`create table things (id bigint constraint things_id primary key)`)
})
afterAll(() => database.drop())

const Thing = z.object({ id: z.number() })
const one = sql.type(z.object({ one: z.number() }))`select 1 as one`
const ready = () => database.pool.oneFirst(one)

async function asAdmin(statement: string, values: unknown[] = []): Promise<unknown[]> {
  const admin = new Client({ connectionString: database.url, application_name: 'admin' })
  await admin.connect()
  try {
    return (await admin.query(statement, values)).rows
  } finally {
    await admin.end()
  }
}

const cutAll = () =>
  asAdmin(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name not in ('admin', '')`,
  )

describe('values', () => {
  it('come as numbers, instants in UTC, text and parsed JSON', async () => {
    const Row = z.object({
      bigint: z.number(),
      sum: z.number(),
      average: z.number(),
      instant: z.string(),
      instants: z.array(z.string()),
      later: z.string(),
      forever: z.string(),
      day: z.string(),
      json: z.object({ a: z.array(z.int()) }),
      nothing: z.null(),
    })
    const row = await database.pool.one(sql.type(Row)`
      select 9007199254740991::bigint as bigint,
             sum(n::bigint) as sum, avg(n) as average,
             timestamptz '2026-11-21 16:00:00.123999+08' as instant,
             array[timestamptz '2026-11-21 00:00:00Z'] as instants,
             timestamptz '2026-11-21 00:00:00-05:30' as later,
             timestamptz 'infinity' as forever,
             date '2026-11-21' as day,
             '{"a": [1]}'::jsonb as json,
             null::bigint as nothing
        from generate_series(1, 4) as n`)
    expect(row).toEqual({
      bigint: 9007199254740991,
      sum: 10,
      average: 2.5,
      instant: '2026-11-21T08:00:00.123Z',
      instants: ['2026-11-21T00:00:00.000Z'],
      later: '2026-11-21T05:30:00.000Z',
      forever: 'infinity',
      day: '2026-11-21',
      json: { a: [1] },
      nothing: null,
    })
  })

  it('of a group of columns are one object, or nothing', async () => {
    const Party = z.object({ id: z.number(), name: z.string().nullable() })
    const Row = z.object({ id: z.number(), seller: Party, buyer: Party.nullable(), reviewer: Party.nullable() })
    const rows = await database.pool.any(sql.type(Row)`
      select n::bigint as id, 7::bigint as "seller.id", null::text as "seller.name",
             case when n = 1 then 8::bigint end as "buyer.id", case when n = 1 then 'Bala' end as "buyer.name",
             null::bigint as "reviewer.id", null::text as "reviewer.name"
        from generate_series(1, 2) n order by n`)
    const common = { seller: { id: 7, name: null }, reviewer: null }
    expect(rows).toEqual([
      { id: 1, buyer: { id: 8, name: 'Bala' }, ...common },
      { id: 2, buyer: null, ...common },
    ])
  })

  it('are never rounded', async () => {
    const query = database.pool.one(sql.type(z.object({ n: z.number() }))`select 9007199254740993::bigint as n`)
    await expect(query).rejects.toThrow(InvariantViolation)
    expect(await ready()).toBe(1)
  })

  it('keep instants the same in another time zone of the session', async () => {
    await asAdmin(`alter database "${new URL(database.url).pathname.slice(1)}" set timezone = 'Asia/Kolkata'`)
    const pool = await openTestPool({ url: database.url, applicationName: 'kolkata' })
    const query = sql.type(z.object({ at: z.string() }))`select timestamptz '2026-11-21 08:00:00Z' as at`
    expect(await pool.oneFirst(query)).toBe('2026-11-21T08:00:00.000Z')
    await pool.end()
  })
})

it('gives out the connection that was used last, so that others may rest', async () => {
  const process = () =>
    database.pool.oneFirst(sql.type(z.object({ pid: z.number() }))`
    select pg_backend_pid() as pid from pg_sleep(0.05)`)
  expect(new Set(await Promise.all([1, 2].map(process))).size).toBe(2)
  const asked: number[] = []
  for (let times = 0; times < 4; times += 1) asked.push(await process())
  expect(new Set(asked).size).toBe(1)
})

it('plans a prepared statement once where that is wanted, and keeps other settings of the connection', async () => {
  const url = new URL(database.url)
  url.searchParams.set('options', '-c work_mem=5MB')
  const Plans = z.object({ planned: z.number(), memory: z.string() })
  const plannedAnew = async (plansOnce: boolean) => {
    const pool = await openTestPool({ url: url.href, applicationName: 'planner', connectionsMax: 1, plansOnce })
    try {
      for (let id = 0; id < 8; id++)
        await pool.any(
          sql.prepared('things-by-id', Thing)`select id from things where id = any (${sql.array([id], 'int8')})`,
        )
      return await pool.one(sql.type(Plans)`
        select custom_plans as planned, current_setting('work_mem') as memory
          from pg_prepared_statements where statement like '%from things%'`)
    } finally {
      await pool.end()
    }
  }
  expect(await plannedAnew(false)).toEqual({ planned: 8, memory: '5MB' })
  expect(await plannedAnew(true)).toEqual({ planned: 0, memory: '5MB' })
})

it('prepares statements by their texts, and so many at most', async () => {
  const pool = await openTestPool({ url: database.url, applicationName: 'texts', connectionsMax: 1 })
  const prepare = textPreparer('thing', 2)
  const Name = z.object({ name: z.string() })
  const find = (column: string, id: number) =>
    pool.any(prepare(sql.type(Thing)`select id from things where ${sql.identifier(['things', column])} = ${id}`))
  try {
    await pool.query(
      sql.unsafe`create temporary table things as select id, -id as other, 0 as third from generate_series(1, 3) as id`,
    )
    for (const id of [1, 2]) expect(await find('id', id)).toEqual([{ id }])
    for (const id of [1, 2]) expect(await find('other', -id)).toEqual([{ id }])
    expect(await find('third', 1)).toEqual([])
    const names = sql.type(Name)`select name from pg_prepared_statements where name <> '' order by name`
    expect(await pool.anyFirst(names)).toEqual(['thing-0', 'thing-1'])
  } finally {
    await pool.end()
  }
})

describe('rows', () => {
  it('that are not what the statement says are an error', async () => {
    const query = database.pool.any(sql.type(z.object({ one: z.string() }))`select 1 as one`)
    await expect(query).rejects.toThrow(UnexpectedRow)
  })

  it('that exist already are told apart from other errors', async () => {
    const insert = () => database.pool.query(sql.unsafe`insert into things (id) values (1)`)
    await insert()
    const error = await insert().catch((thrown: unknown) => thrown)
    expect(isUniqueViolation(error)).toBe(true)
    expect(isUniqueViolation(error, 'things_id')).toBe(true)
    expect(isUniqueViolation(error, 'others_id')).toBe(false)
  })
})

describe('a statement that Postgres refuses', () => {
  it.each([
    ['a row that exists', sql.unsafe`insert into things (id) values (7), (7)`],
    ['a value that cannot be', sql.unsafe`select 'x'::bigint`],
    ['a division by nothing', sql.unsafe`select 1 / (select 0)`],
  ])('is nothing that the log tells of its connection: %s', async (_what, statement) => {
    const lines: string[] = []
    const log = createLogger({ name: 'kit', stream: { write: (line: string) => void lines.push(line) } })
    const pool = await openPool({ url: database.url, applicationName: 'refused', log })
    await expect(pool.query(statement)).rejects.toThrow()
    await expect(pool.transaction((transaction) => transaction.query(statement))).rejects.toThrow()
    expect(lines).toEqual([])
    await pool.end()
  })
})

describe('a failed transaction', () => {
  it('leaves nothing behind, and its connection can be used again', async () => {
    for (let round = 0; round < 5; round += 1) {
      const failing = database.pool.transaction(async (transaction) => {
        await transaction.query(sql.unsafe`insert into things (id) values (2)`)
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
    }
    const Count = sql.type(z.object({ count: z.number() }))
    expect(await database.pool.oneFirst(Count`select count(*) from things where id = 2`)).toBe(0)
  })

  it('is not repeated behind the back of its caller', async () => {
    let runs = 0
    const failing = database.pool.transaction(async (transaction) => {
      runs += 1
      await transaction.query(sql.unsafe`do $$ begin raise exception using errcode = '40001'; end $$`)
    })
    await expect(failing).rejects.toThrow()
    expect(runs).toBe(1)
  })
})

describe('a pool whose connections are cut', () => {
  it('works again when they were idle', async () => {
    await Promise.all([ready(), ready()])
    await cutAll()
    expect(await eventually(ready)).toBe(1)
  })

  it('fails the transaction under way with an error worth a retry, and works again', async () => {
    const cut = database.pool.transaction(async (transaction) => {
      await transaction.query(one)
      await cutAll()
      await transaction.query(one)
    })
    expect(isUnavailability(await cut.catch((thrown: unknown) => thrown))).toBe(true)
    expect(await eventually(ready)).toBe(1)
    // Every one of its connections, not only the one that was made anew.
    await eventually(() => Promise.all([ready(), ready(), ready(), ready()]))
  })

  it('fails a statement under way, and works again', async () => {
    const cut = database.pool.query(sql.unsafe`select pg_sleep(4)`).catch((thrown: unknown) => thrown)
    await eventually(async () => {
      const rows = await asAdmin(
        `select from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'`,
      )
      return rows.length === 1
    })
    await cutAll()
    expect(isUnavailability(await cut)).toBe(true)
    expect(await eventually(ready)).toBe(1)
  })
})

it('says of a transaction that was ended for a deadlock that it may be tried again', async () => {
  const lock = (key: number) => sql.unsafe`select pg_advisory_xact_lock(${key})`
  const bothHold = Promise.withResolvers<void>()
  let holders = 0
  const lockInTurn = (first: number, second: number) =>
    database.pool.transaction(async (transaction) => {
      await transaction.query(lock(first))
      holders++
      if (holders === 2) bothHold.resolve()
      await bothHold.promise
      await transaction.query(lock(second))
    })
  const ends = await Promise.allSettled([lockInTurn(1, 2), lockInTurn(2, 1)])
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  expect(errors.map((error) => isUnavailability(error))).toEqual([true])
})

it.each([
  ['is full', [sql.unsafe`do $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`]],
  ['is only read', [sql.unsafe`set transaction read only`, sql.unsafe`insert into things (id) values (3)`]],
])('fails at a database that %s with an error worth a retry', async (_what, statements) => {
  const failing = database.pool.transaction(async (transaction) => {
    for (const statement of statements) await transaction.query(statement)
  })
  expect(isUnavailability(await failing.catch((thrown: unknown) => thrown))).toBe(true)
})

describe('limits', () => {
  it('end a statement that takes too long', async () => {
    const pool = await openTestPool({ url: database.url, applicationName: 'short', statementTimeoutMs: 50 })
    const error = await pool.query(sql.unsafe`select pg_sleep(4)`).catch((thrown: unknown) => thrown)
    expect(isUnavailability(error)).toBe(true)
    await pool.end()
  })

  it('turn callers away at once when too many wait', async () => {
    const pool = await openTestPool({ url: database.url, applicationName: 'narrow', connectionsMax: 1 })
    let finish = () => {}
    const holding = pool.transaction(() => new Promise<void>((resolve) => (finish = resolve)))
    await eventually(() => pool.state().acquiredConnections === 1)
    const waiting = Array.from({ length: 50 }, () => pool.oneFirst(one))
    await eventually(() => pool.state().waitingClients === 50)
    await expect(pool.oneFirst(one)).rejects.toThrow(Failure)
    finish()
    await holding
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => 1))
    await pool.end()
  })
})
