import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'

const STATEMENTS = 4_000

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'identity' })
})
afterAll(() => database.drop())

/** What a program of its own says of how many bytes each statement adds to V8's old objects, which take long to collect. */
async function oldBytesPerStatement(connect: string): Promise<number> {
  const program = `
    import { getHeapSpaceStatistics } from 'node:v8'
    const url = ${JSON.stringify(database.url)}
    const text = "select 1 + $1::int as sum, $2::text as text, $3::text as other"
    ${connect}
    const oldBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size
    for (let number = 0; number < 500; number++) await ask(number)
    gc()
    const before = oldBytes()
    for (let number = 0; number < ${STATEMENTS}; number++) await ask(number)
    console.log((oldBytes() - before) / ${STATEMENTS})
    process.exit(0)`
  // Within the kit, whose packages it imports. Old objects are to be collected by nobody meanwhile.
  const options = ['--expose-gc', '--initial-old-space-size=256', '--input-type=module', '--eval', program]
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'], cwd: import.meta.dirname })
  let said = ''
  child.stdout.on('data', (chunk) => (said += chunk))
  await once(child, 'close')
  return Number(said)
}

it('what a statement of a client needs dies young', async () => {
  const connect = `
    const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: url, query_timeout: 3000 })
    await client.connect()
    const ask = (number) => client.query({ name: 'ask', text, values: [number, 'text', 'other'] })`
  expect(await oldBytesPerStatement(connect)).toBeLessThan(400)
})

it('what a statement of a pool needs dies young', async () => {
  const connect = `
    const { openPool, sql } = await import(${JSON.stringify(new URL('./postgres.ts', import.meta.url).href)})
    const pool = await openPool({ url, applicationName: 'young', connectionsMax: 2, statementTimeoutMs: 5000 })
    const ask = (number) => pool.query(sql.unsafe\`select 1 + \${number}::int as sum, \${'text'}::text as text\`)`
  expect(await oldBytesPerStatement(connect)).toBeLessThan(400)
})
