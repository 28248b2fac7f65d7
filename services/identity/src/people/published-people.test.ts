import { type Envelope, LOG_START } from '@wangian/contracts/envelope.ts'
import { identityEvents } from '@wangian/contracts/events/identity.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import { requestLogPage, serveLogPages } from '@wangian/kit/log/log-pages.ts'
import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerAccount } from '../accounts/accounts.ts'
import { type UserCommand, userDecider, userStream } from '../accounts/domain.ts'
import { projectUser } from '../projections.ts'
import { createIdentityDatabase } from '../testing/test-identity.ts'
import { completeWithPeople } from './published-people.ts'

const at = '2026-11-21T08:00:00.000Z'

let nats: TestNats
let database: TestDatabase
let pages: { stop(): Promise<void> }
beforeAll(async () => {
  nats = await startTestNats()
  database = await createIdentityDatabase()
  pages = serveLogPages({
    service: 'identity',
    databaseUrl: database.url,
    nats: nats.connection,
    complete: completeWithPeople(database.pool),
  })
  await nats.connection.flush()
})
afterAll(async () => {
  await pages.stop()
  await database.drop()
  await nats.stop()
})

async function register(username: string): Promise<number> {
  const result = await registerAccount(database.pool, {
    email: `${username}@example.com`,
    passwordHash: null,
    username,
    firstName: 'Private',
    lastName: null,
    shopName: `House of ${username}`,
    location: 'Ipoh',
    isSeller: true,
    isAdmin: false,
    isEmailConfirmed: true,
    now: new Date(at),
    correlationId: 'test',
  })
  if (result.outcome !== 'registered') throw new Error(result.outcome)
  return result.account.userId
}

async function run(userId: number, command: UserCommand): Promise<void> {
  await runCommand({
    pool: database.pool,
    decider: userDecider,
    stream: userStream(userId),
    command,
    metadata: { actorId: userId, correlationId: 'test', causationId: null, commandId: null },
    project: async (transaction, events) => {
      for (const event of events) await projectUser(transaction, event)
    },
  })
}

/** The whole log, as everybody else may read it. */
async function publishAll(): Promise<readonly Envelope[]> {
  const types = Object.keys(identityEvents).map((type) => ({ type, after: LOG_START }))
  return (await requestLogPage(nats.connection, 'identity', { types })).events
}

const personsIn = (envelopes: readonly Envelope[], userId: number) =>
  envelopes
    .filter(({ stream }) => stream === userStream(userId))
    .map(({ type, data }) => [type, (data as { person?: unknown }).person])

describe('events about people', () => {
  it('carry what everybody may know, as it is when they leave, and nothing once the person has gone', async () => {
    const rose = await register('rose')
    const iris = await register('iris')
    await run(rose, { type: 'VerifyEmail', at })
    await run(rose, { type: 'UpdateProfile', at })
    await database.pool.query(sql.unsafe`update people set bio = 'Likes roses' where user_id = ${rose}`)
    const person = {
      username: 'rose',
      shopName: 'House of rose',
      location: 'Ipoh',
      bio: 'Likes roses',
      profileImage: null,
      coverPhoto: null,
    }
    const before = await publishAll()
    expect(personsIn(before, rose)).toEqual([
      ['UserRegistered', person],
      ['EmailVerified', undefined],
      ['ProfileUpdated', person],
    ])
    expect(personsIn(before, iris)).toEqual([
      ['UserRegistered', expect.objectContaining({ username: 'iris' })],
      ['EmailVerified', undefined],
    ])
    expect(JSON.stringify(before)).not.toMatch(/example\.com|Private/)

    await run(rose, { type: 'CloseAccount', at })
    expect(personsIn(await publishAll(), rose)).toEqual([
      ['UserRegistered', null],
      ['EmailVerified', undefined],
      ['ProfileUpdated', null],
      ['AccountClosed', undefined],
    ])

    await run(rose, { type: 'ReopenAccount', at })
    expect(personsIn(await publishAll(), rose).at(-1)).toEqual(['AccountReopened', person])
    await run(rose, { type: 'CloseAccount', at })
    await run(rose, { type: 'EraseUser', at })
    await database.pool.query(sql.unsafe`delete from people where user_id = ${rose}`)
    const after = await publishAll()
    expect(personsIn(after, rose)).toContainEqual(['UserErased', undefined])
    expect(JSON.stringify(after)).not.toContain('rose')
    expect(personsIn(after, iris)).toEqual(personsIn(before, iris))
  })
})
