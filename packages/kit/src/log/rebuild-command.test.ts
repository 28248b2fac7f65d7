import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { peopleProjection } from '../people/known-people.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { runRebuild } from './rebuild-command.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue' })
})
afterAll(() => database.drop())
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

it('says that the system has to run where tables are filled from the log of another service', async () => {
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'rebuild.ts'])
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  await runRebuild({
    service: 'catalogue',
    databaseUrl: database.url,
    natsUrl: 'nats://127.0.0.1:1',
    projections: [peopleProjection],
  })
  expect(said.mock.calls.join()).toMatch(
    /^people is filled from a log .* over NATS \(.*refused.*\): start the system first\n$/,
  )
  expect(process.exitCode).toBe(1)
})
