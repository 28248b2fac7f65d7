import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pause } from '../bell.ts'
import { eventually } from '../testing/eventually.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { type ExclusiveSession, holdLocks } from './exclusive-session.ts'

let database: TestDatabase
let admin: Client
beforeAll(async () => {
  database = await createTestDatabase({ service: 'identity' })
  admin = new Client({ connectionString: database.url })
  await admin.connect()
})
afterAll(async () => {
  await admin.end()
  await database.drop()
})

/** Counts how often its work has begun and is going on. */
function worker() {
  const count = { begun: 0, running: 0 }
  const work = async ({ signal }: ExclusiveSession) => {
    count.begun += 1
    count.running += 1
    while (!signal.aborted) await pause(1_000, signal)
    count.running -= 1
  }
  return { count, work }
}

async function connectionsOf(applicationName: string): Promise<number> {
  const { rows } = await admin.query<{ count: number }>(
    'select count(*)::int as count from pg_stat_activity where application_name = $1 and datname = current_database()',
    [applicationName],
  )
  return rows[0]?.count ?? 0
}

it('all locks of a process share a connection, which ends with the last of them', async () => {
  const locks = holdLocks({ url: database.url, applicationName: 'one' })
  const [first, second] = [worker(), worker()]
  const keepers = [locks.keep('first', first.work), locks.keep('second', second.work)]
  await eventually(() => expect([first.count.running, second.count.running]).toEqual([1, 1]))
  expect(await connectionsOf('one')).toBe(1)
  await keepers[0]?.stop()
  expect([first.count.running, second.count.running]).toEqual([0, 1])
  expect(await connectionsOf('one')).toBe(1)
  await keepers[1]?.stop()
  await eventually(async () => expect(await connectionsOf('one')).toBe(0))
})

it('a lock that is given back is taken by another process, and only that one', async () => {
  const [here, there] = ['here', 'there'].map((name) => holdLocks({ url: database.url, applicationName: name }))
  const [a, b, otherA, otherB] = [worker(), worker(), worker(), worker()]
  const keptA = here?.keep('a', a.work)
  const keptB = here?.keep('b', b.work)
  await eventually(() => expect([a.count.running, b.count.running]).toEqual([1, 1]))
  const others = [there?.keep('a', otherA.work), there?.keep('b', otherB.work)]
  await keptA?.stop()
  await eventually(() => expect(otherA.count.running).toBe(1))
  expect([b.count.running, otherB.count.running]).toEqual([1, 0])
  await keptB?.stop()
  await eventually(() => expect(otherB.count.running).toBe(1))
  await Promise.all(others.map((other) => other?.stop()))
})

it('a connection that breaks ends the work of all its locks, and it is begun again', async () => {
  const locks = holdLocks({ url: database.url, applicationName: 'broken' })
  const workers = [worker(), worker()]
  const keepers = workers.map(({ work }, index) => locks.keep(`broken-${index}`, work))
  await eventually(() => expect(workers.map(({ count }) => count.running)).toEqual([1, 1]))
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'broken'`)
  await eventually(() => expect(workers.map(({ count }) => count)).toEqual(Array(2).fill({ begun: 2, running: 1 })))
  expect(await connectionsOf('broken')).toBe(1)
  await Promise.all(keepers.map((keeper) => keeper.stop()))
})

it('work that fails is begun again', async () => {
  const locks = holdLocks({ url: database.url, applicationName: 'failing' })
  let tries = 0
  const keeper = locks.keep('failing', async ({ signal }) => {
    tries += 1
    if (tries === 1) throw new Error('the first time')
    while (!signal.aborted) await pause(1_000, signal)
  })
  await eventually(() => expect(tries).toBe(2))
  await keeper.stop()
})
