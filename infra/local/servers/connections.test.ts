import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { testServers } from '@wangian/kit/testing/config.ts'
import { expect, it } from 'vitest'
import { withDatabase } from '../../postgres/roles.ts'
import { repositoryRoot } from '../config.ts'
import { connectionsNeeded } from './connections.ts'
import { checkPostgres } from './external-servers.ts'

it('each process of auction needs its own', () => {
  expect(connectionsNeeded(16) - connectionsNeeded(1)).toBe(15 * 17)
  // What Postgres takes as it comes, less what it keeps for superusers.
  expect(connectionsNeeded(1)).toBeLessThanOrEqual(97)
})

it('each further copy of the other processes needs as many again', () => {
  const ofCopy = connectionsNeeded(1, 2) - connectionsNeeded(1)
  expect(connectionsNeeded(2, 3) - connectionsNeeded(2)).toBe(2 * ofCopy)
  expect(connectionsNeeded(1) - ofCopy).toBeLessThan(40)
})

it('those in Kubernetes need what docs/running.md says', () => {
  const [, ...said] = /take (\d+)\s+connections for two of each, and (\d+) with eight/.exec(
    readFileSync(join(repositoryRoot, 'docs/running.md'), 'utf8'),
  ) ?? ['']
  expect(said.map(Number)).toEqual([connectionsNeeded(2, 2), connectionsNeeded(8, 2)])
})

it('a Postgres that takes fewer is refused, also before the database is there', async () => {
  const { databaseUrl } = testServers()
  await checkPostgres(databaseUrl, 1)
  const words =
    /it takes \d+ connections, and the services may open 17\d\d with AUCTION_INSTANCES=100; raise max_connections/
  for (const url of [databaseUrl, withDatabase(databaseUrl, 'not_there_yet')]) {
    await expect(checkPostgres(url, 100)).rejects.toThrow(words)
  }
})
