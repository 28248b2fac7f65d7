import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { eventStreamName } from '@wangian/contracts/subjects.ts'
import { openPool, sql } from '@wangian/kit/database/postgres.ts'
import { saveProfiles, saveRegistrations } from '@wangian/kit/people/people-store.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { type AuctionRig, startAuctionRig } from '../rig/auction-rig.ts'
import { marketAt } from '../rig/market.ts'
import { BiddingSession } from './bidding-session.ts'
import { expectRowsToFollowTheLog, type Follower, startFollower } from './reconciliation.ts'
import { startWriting, type Writing } from './writing.ts'

/** Three servers of NATS, of which any one may die while people bid and write: no election holds up a bid. */

const WRITER_ID = 1
const READER_ID = 2
const PATIENT = { timeoutMs: 30_000 }
/** A lost connection is made anew with another server, whose interest the others then learn. */
const ACCEPTED_WITHIN_MS = 5000

let rig: AuctionRig
let follower: Follower
let manager: JetStreamManager

beforeAll(async () => {
  rig = await startAuctionRig({ natsServers: 3, auctionInstances: 2, hasMessaging: true })
  follower = await startFollower(rig, 'cluster')
  manager = await jetstreamManager(rig.natsConnection, { checkAPI: false })
  await introducePeople()
})

afterAll(async () => {
  await follower?.stop()
  await rig?.stop()
})

it('whichever of three servers dies, or two at once, bids go on within seconds and nothing that was said is lost (F12)', async () => {
  const session = await BiddingSession.start(rig, { seed: 312, auctionsEndInMs: [null, 15_000, null] })
  const writer = { userId: WRITER_ID, username: 'writer', token: await rig.tokenFor(WRITER_ID) }
  const writing = startWriting(marketAt(rig.gatewayUrl), writer, READER_ID)
  const slowestMs: number[] = []
  try {
    await goOn(session, writing)
    for (const service of ['auction', 'messaging'] as const) {
      const { config } = await manager.streams.info(eventStreamName(service))
      expect(config.num_replicas, service).toBe(3)
    }
    // The one that leads comes first; with the others every process has lost the server that it is connected to at least once.
    const leads = await leaderOf('auction')
    const order = rig.natsServers.toSorted((one, other) => Number(other.name === leads) - Number(one.name === leads))
    for (const victims of [...order.map((server) => [server]), order.slice(0, 2)]) {
      await Promise.all(victims.map((server) => server.kill()))
      const atMs = performance.now()
      await Promise.all(victims.map((server) => server.stop()))
      slowestMs.push(await session.nextAcceptedMs(atMs))
      await goOn(session, writing)
      await Promise.all(victims.map((server) => server.start()))
    }
    await session.settle()
  } finally {
    console.log(
      `F12, three servers: ${session.summary()}; ${writing.shown.length} messages, accepted again after`,
      slowestMs,
    )
    await session.close()
    await writing.stop()
  }
  expect(Math.max(...slowestMs)).toBeLessThan(ACCEPTED_WITHIN_MS)
  await follower.hasEverything()
  await expectRowsToFollowTheLog(rig)
  expect(await readMessages()).toEqual(writing.shown)
})

async function goOn(session: BiddingSession, { shown }: Writing): Promise<void> {
  const before = shown.length
  await session.moreAccepted(20)
  await eventually(() => shown.length > before + 1, PATIENT)
}

/** The name of the server that leads the stream of a service. */
function leaderOf(service: 'auction'): Promise<string> {
  return eventually(async () => (await manager.streams.info(eventStreamName(service))).cluster?.leader ?? false)
}

/** Messaging knows who may write from identity, which no rig has. */
async function introducePeople(): Promise<void> {
  const pool = await openMessaging()
  const person = { shopName: '', location: null, bio: null, profileImage: null, coverPhoto: null }
  const userIds = [WRITER_ID, READER_ID]
  await saveProfiles(
    pool,
    userIds.map((userId) => ({ userId, version: 1, person: { ...person, username: `person${userId}` } })),
  )
  const registeredAt = '2026-07-01T00:00:00.000Z'
  await saveRegistrations(
    pool,
    userIds.map((userId) => ({ userId, isSeller: false, registeredAt })),
  )
  await pool.end()
}

async function readMessages(): Promise<readonly string[]> {
  const pool = await openMessaging()
  const contents = await pool.anyFirst(sql.type(z.object({ content: z.string() }))`
    select t.content from messages m join message_texts t on t.message_id = m.id order by m.id`)
  await pool.end()
  return contents
}

function openMessaging() {
  if (rig.messaging === null) throw new Error('the rig was asked for messaging')
  return openPool({ url: rig.messaging.databaseUrl, applicationName: 'test', connectionsMax: 1 })
}
