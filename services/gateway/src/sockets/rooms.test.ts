import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { encodeLive } from '@wangian/contracts/auction-wire.ts'
import { auctionLiveSubject } from '@wangian/contracts/subjects.ts'
import { isNoResponders } from '@wangian/kit/bus/nats.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { followConnection } from '../connection.ts'
import { liveBid, liveEnd, liveState, snapshotOf } from '../testing/live-frames.ts'
import { TestSocket } from '../testing/test-socket.ts'
import { Rooms, type Watcher } from './rooms.ts'
import { LAGGING_BYTES, SocketWriter, STALLED_BYTES, textFrame } from './socket-writer.ts'

const AUCTION = 7
/** A room gathers for so long. */
const TICK_MS = 16

let nats: TestNats
let server: Server
beforeAll(async () => {
  nats = await startTestNats()
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  server.close()
  await nats.stop()
})

/** A question for a snapshot that the test has to answer. */
interface Question {
  readonly auctionId: number
  answer(seq: number): void
  answerNull(): void
  fail(): void
}
let questions: Question[]
/** Answers all questions at once where a test does not care. */
let seqNow: number | null
let rooms: Rooms
const clients: TestSocket[] = []
beforeEach(() => {
  questions = []
  seqNow = 0
  rooms = new Rooms({
    nats: nats.connection,
    log: silentLogger,
    snapshots: (auctionId) => {
      if (seqNow !== null) return Promise.resolve(snapshotOf(auctionId, seqNow))
      const { promise, resolve, reject } = Promise.withResolvers<string | null>()
      questions.push({
        auctionId,
        answer: (seq) => resolve(snapshotOf(auctionId, seq)),
        answerNull: () => resolve(null),
        fail: () => reject(new Error('nobody answers')),
      })
      return promise
    },
  })
})
afterEach(() => Promise.all(clients.splice(0).map((client) => client.end())))

interface Spectator {
  /** The far end. */
  readonly client: TestSocket
  readonly watcher: Watcher
  stalls: number
}

/** Somebody with a real socket, who leaves when it closes. */
async function spectator(): Promise<Spectator> {
  const entered = rooms
  const sockets = new WebSocketServer({ noServer: true })
  const upgraded = once(server, 'upgrade').then(([request, socket, head]) => {
    sockets.handleUpgrade(request, socket, head, () => {})
    return socket as Socket
  })
  const client = await TestSocket.open(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  clients.push(client)
  const socket = await upgraded
  const spectator: Spectator = {
    client,
    watcher: { writer: new SocketWriter(socket), onStalled: () => spectator.stalls++ },
    stalls: 0,
  }
  socket.on('error', () => {})
  socket.on('close', () => entered.leave(AUCTION, spectator.watcher))
  return spectator
}

/** Somebody in the room who has seen the snapshot. */
async function joined(): Promise<Spectator> {
  const somebody = await spectator()
  expect(await rooms.join(AUCTION, somebody.watcher)).toBe(true)
  await somebody.client.nextOf('auctionJoined')
  return somebody
}

/** Sends live messages; returns when the gateway has them. */
async function publish(...messages: string[]): Promise<void> {
  for (const message of messages) nats.connection.publish(auctionLiveSubject(AUCTION), message)
  await nats.connection.flush()
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
const bids = (from: number, to: number) => range(from, to).map((seq) => liveBid(AUCTION, seq))
const seqOf = (frame: object) => ('seq' in frame ? frame.seq : null)

/** What came so far, when the frame with this seq has come: [type, seq]. */
async function seenUntil({ client }: Spectator, seq: number): Promise<(readonly [string, unknown])[]> {
  await client.until(() => client.frames.some((frame) => seqOf(frame) === seq))
  return client.frames.map((frame) => [frame.type, seqOf(frame)] as const)
}

describe('joining a room', () => {
  it('gives the snapshot and then everything after it, in order', async () => {
    seqNow = 3
    const { client } = await joined()
    await publish(liveBid(AUCTION, 4))
    expect(await client.next()).toMatchObject({ type: 'newBid', seq: 4, bid: { id: 4, bidderName: 'mei' } })
    await publish(liveBid(AUCTION, 5), liveBid(AUCTION, 6))
    expect(await client.nextOf('newBid')).toMatchObject({ seq: 5 })
    expect(await client.nextOf('newBid')).toMatchObject({ seq: 6 })
  })

  it('loses nothing that arrives while the snapshot is asked for, and shows nothing before it', async () => {
    const early = await joined()
    seqNow = null
    const late = await spectator()
    const joining = rooms.join(AUCTION, late.watcher)
    for (const seq of [1, 2, 3]) {
      await publish(liveBid(AUCTION, seq))
      await early.client.nextOf('newBid')
    }
    await publish(liveBid(AUCTION, 4))
    questions[0]?.answer(2)
    expect(await joining).toBe(true)
    await publish(liveBid(AUCTION, 5))
    expect(await seenUntil(late, 5)).toEqual([
      ['auctionJoined', 2],
      ['newBid', 1],
      ['newBid', 2],
      ['newBid', 3],
      ['newBid', 4],
      ['newBid', 5],
    ])
  })

  it('shares questions, but never one that was asked before', async () => {
    seqNow = null
    const [first, second, third] = [await spectator(), await spectator(), await spectator()]
    const joins = [rooms.join(AUCTION, first.watcher)]
    await eventually(() => questions.length === 1)
    joins.push(rooms.join(AUCTION, second.watcher), rooms.join(AUCTION, third.watcher))
    questions[0]?.answer(1)
    await joins[0]
    await eventually(() => questions.length === 2)
    questions[1]?.answer(2)
    await Promise.all(joins)
    expect(await first.client.nextOf('auctionJoined')).toMatchObject({ seq: 1 })
    expect(await second.client.nextOf('auctionJoined')).toMatchObject({ seq: 2 })
    expect(await third.client.nextOf('auctionJoined')).toMatchObject({ seq: 2 })
    expect(questions).toHaveLength(2)
  })

  it('twice gives two snapshots, and in between nothing is lost or comes too early', async () => {
    const witness = await joined()
    seqNow = null
    const eager = await spectator()
    const first = rooms.join(AUCTION, eager.watcher)
    await publish(liveBid(AUCTION, 1))
    await witness.client.nextOf('newBid')
    const second = rooms.join(AUCTION, eager.watcher)
    await publish(liveBid(AUCTION, 2))
    await witness.client.nextOf('newBid')
    questions[0]?.answer(0)
    await first
    await publish(liveBid(AUCTION, 3))
    await witness.client.nextOf('newBid')
    await eventually(() => questions.length === 2)
    questions[1]?.answer(2)
    await second
    await publish(liveBid(AUCTION, 4))
    expect(await seenUntil(eager, 4)).toEqual([
      ['auctionJoined', 0],
      ['newBid', 1],
      ['newBid', 2],
      ['auctionJoined', 2],
      ['newBid', 3],
      ['newBid', 4],
    ])
  })

  it('again, to catch up, holds frames back until the snapshot', async () => {
    const [witness, again] = [await joined(), await joined()]
    seqNow = null
    const joining = rooms.join(AUCTION, again.watcher)
    await publish(liveBid(AUCTION, 1))
    await witness.client.nextOf('newBid')
    questions[0]?.answer(0)
    await joining
    expect(await seenUntil(again, 1)).toEqual([
      ['auctionJoined', 0],
      ['auctionJoined', 0],
      ['newBid', 1],
    ])
  })

  it('again, and in vain, leaves whoever is in the room where they are, and they miss nothing', async () => {
    const [witness, again] = [await joined(), await joined()]
    seqNow = null
    const joining = rooms.join(AUCTION, again.watcher)
    await publish(liveBid(AUCTION, 1))
    await witness.client.nextOf('newBid')
    questions[0]?.fail()
    await expect(joining).rejects.toThrow('nobody answers')
    await publish(liveBid(AUCTION, 2))
    expect(await seenUntil(again, 2)).toEqual([
      ['auctionJoined', 0],
      ['newBid', 1],
      ['newBid', 2],
    ])
  })

  it('of an auction that does not exist leaves nothing behind', async () => {
    seqNow = null
    const { watcher } = await spectator()
    const joining = rooms.join(AUCTION, watcher)
    questions[0]?.answerNull()
    expect(await joining).toBe(false)
    expect(rooms.size).toBe(0)
  })

  it('fails with the question, and leaves nothing behind', async () => {
    seqNow = null
    const [first, second] = [await spectator(), await spectator()]
    const joining = rooms.join(AUCTION, first.watcher)
    const waiting = rooms.join(AUCTION, second.watcher)
    questions[0]?.fail()
    await expect(joining).rejects.toThrow('nobody answers')
    expect(rooms.size).toBe(1)
    await eventually(() => questions.length === 2)
    questions[1]?.answer(5)
    expect(await waiting).toBe(true)
    expect(await second.client.nextOf('auctionJoined')).toMatchObject({ seq: 5 })
  })

  it('is forgotten when the socket goes before the answer', async () => {
    seqNow = null
    const { client, watcher } = await spectator()
    const joining = rooms.join(AUCTION, watcher)
    await client.end()
    await eventually(() => rooms.size === 0)
    questions[0]?.answer(1)
    await joining
    expect(rooms.size).toBe(0)
  })
})

describe('a room', () => {
  it('unsubscribes when nobody watches any more', async () => {
    const isWatched = async () => {
      try {
        await nats.connection.request(auctionLiveSubject(AUCTION), liveBid(AUCTION, 1), { timeout: 100 })
        return true
      } catch (error) {
        return !isNoResponders(error)
      }
    }
    const [first, second] = [await joined(), await joined()]
    rooms.leave(AUCTION, first.watcher)
    expect(rooms.size).toBe(1)
    expect(await isWatched()).toBe(true)
    rooms.leave(AUCTION, second.watcher)
    expect(rooms.size).toBe(0)
    await eventually(async () => !(await isWatched()))
  })

  it('sends nothing to those who left', async () => {
    const [gone, here] = [await joined(), await joined()]
    rooms.leave(AUCTION, gone.watcher)
    await publish(liveBid(AUCTION, 1))
    await here.client.nextOf('newBid')
    await rooms.join(AUCTION, gone.watcher)
    expect(await gone.client.next()).toMatchObject({ type: 'auctionJoined' })
  })

  it('survives messages that are none', async () => {
    const { client } = await joined()
    await publish('', 'x', 'zhead\ntail', liveBid(AUCTION, 1))
    expect(await client.next()).toMatchObject({ type: 'newBid', seq: 1 })
  })
})

describe('a fast room', () => {
  // What comes in one tick is so much, however long the machine takes.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  /** All of it in one tick. */
  async function publishTogether(...messages: string[]): Promise<void> {
    await publish(...messages)
    vi.advanceTimersByTime(TICK_MS)
  }

  /** Somebody who has seen the first bid; the next tick begins with what comes then. */
  async function following(): Promise<Spectator> {
    const watching = await joined()
    await publish(liveBid(AUCTION, 1))
    await watching.client.nextOf('newBid')
    return watching
  }

  it('gets states instead of bids, the last one being that of the last bid', async () => {
    const watching = await following()
    await publishTogether(...bids(2, 3))
    await seenUntil(watching, 3)
    await publishTogether(...bids(4, 200))
    await seenUntil(watching, 200)
    await publishTogether(...bids(201, 500))
    expect((await seenUntil(watching, 500)).slice(2)).toEqual([
      ['newBid', 2],
      ['newBid', 3],
      ['auctionState', 200],
      ['auctionState', 500],
    ])
  })

  it('becomes a slow one again', async () => {
    const watching = await following()
    await publishTogether(...bids(2, 100))
    expect((await seenUntil(watching, 100)).at(-1)).toEqual(['auctionState', 100])
    await publishTogether(liveBid(AUCTION, 101))
    expect((await seenUntil(watching, 101)).at(-1)).toEqual(['newBid', 101])
  })

  it('never loses the end of the auction', async () => {
    const watching = await following()
    await publishTogether(...bids(2, 300), liveEnd(AUCTION, 300))
    await watching.client.until(() => watching.client.frames.some(({ type }) => type === 'auctionEnded'))
    const lastTwo = watching.client.frames.slice(-2).map((frame) => [frame.type, seqOf(frame)])
    expect(lastTwo).toEqual([
      ['auctionState', 300],
      ['auctionEnded', 300],
    ])
  })

  it('keeps what nothing replaces in its place among the bids', async () => {
    const watching = await following()
    const revised = liveState(AUCTION, 2).replace(/^s.*\n/, '{"type":"auctionState","auctionId":7,')
    await publishTogether(encodeLive('e', revised, ''), ...bids(3, 60))
    expect((await seenUntil(watching, 60)).slice(2)).toEqual([
      ['auctionState', 2],
      ['auctionState', 60],
    ])
  })

  it('shows a batch that is too large to list as a state', async () => {
    const { client } = await joined()
    await publish(liveState(AUCTION, 4096))
    expect(await client.next()).toMatchObject({ type: 'auctionState', seq: 4096 })
  })
})

describe('many rooms', () => {
  const auctionIds = range(101, 200)

  it('ask for few snapshots at once, and each in its turn', async () => {
    seqNow = null
    const { watcher } = await spectator()
    const joins = auctionIds.map((auctionId) => rooms.join(auctionId, watcher))
    let most = 0
    for (let answered = 0; answered < auctionIds.length; answered += 1) {
      await eventually(() => questions.length > answered)
      most = Math.max(most, questions.length - answered)
      questions[answered]?.answer(0)
    }
    expect(await Promise.all(joins)).toEqual(auctionIds.map(() => true))
    expect(most).toBe(16)
    // The bus was away: they start again, and leave room for those who join.
    questions = []
    const resync = rooms.resync()
    await eventually(() => questions.length === 8)
    const late = await spectator()
    const joining = rooms.join(999, late.watcher)
    await eventually(() => questions.length === 9)
    questions[8]?.answer(0)
    expect(await joining).toBe(true)
    seqNow = 1
    for (const question of questions.slice(0, 8)) question.answer(1)
    await resync
    for (const auctionId of auctionIds) rooms.leave(auctionId, watcher)
  })

  it('that are of no auction are asked for once in a while only, and followed by nobody', async () => {
    seqNow = null
    const { watcher } = await spectator()
    const first = rooms.join(404, watcher)
    await eventually(() => questions.length === 1)
    questions[0]?.answerNull()
    expect(await first).toBe(false)
    expect(await Promise.all(range(1, 100).map(() => rooms.join(404, watcher)))).toEqual(Array(100).fill(false))
    expect([questions.length, rooms.size]).toEqual([1, 0])
  })
})

describe('somebody who waits long for the snapshot', () => {
  it('is held a bounded number of frames, the state and the end among them', async () => {
    const witness = await joined()
    seqNow = null
    const patient = await spectator()
    const joining = rooms.join(AUCTION, patient.watcher)
    for (const seq of range(1, 70)) {
      await publish(liveBid(AUCTION, seq))
      await witness.client.nextOf('newBid')
    }
    await publish(liveEnd(AUCTION, 70))
    await witness.client.nextOf('auctionEnded')
    questions[0]?.answer(0)
    await joining
    await patient.client.until(() => patient.client.frames.some(({ type }) => type === 'auctionEnded'))
    const seen = patient.client.frames.map((frame) => [frame.type, seqOf(frame)])
    expect(seen[0]).toEqual(['auctionJoined', 0])
    expect(seen).toContainEqual(['auctionState', 65])
    expect(seen.slice(-2)).toEqual([
      ['newBid', 70],
      ['auctionEnded', 70],
    ])
    expect(seen.length).toBeLessThan(20)
  })
})

describe('a bus that was away', () => {
  it('starts every room again from a snapshot, even when that has to be asked for twice', async () => {
    const stopFollowing = new AbortController()
    void followConnection(nats.connection, (isUp) => {
      if (isUp && !stopFollowing.signal.aborted) void rooms.resync()
    })
    const watching = await joined()
    await publish(liveBid(AUCTION, 1))
    await watching.client.nextOf('newBid')
    seqNow = null
    await nats.kill()
    await nats.restart()
    await eventually(() => questions.length === 1)
    questions[0]?.fail()
    await eventually(() => questions.length === 2)
    // Comes between question and answer: what it belongs behind is not there yet.
    await publish(liveBid(AUCTION, 10))
    questions[1]?.answer(9)
    expect(await seenUntil(watching, 10)).toEqual([
      ['auctionJoined', 0],
      ['newBid', 1],
      ['auctionJoined', 9],
      ['newBid', 10],
    ])
    stopFollowing.abort()
  })

  it('asks for no snapshot of rooms that nobody watches', async () => {
    const { watcher } = await joined()
    rooms.leave(AUCTION, watcher)
    seqNow = null
    await rooms.resync()
    expect(questions).toEqual([])
  })
})

describe('a reader that lags behind', () => {
  const LARGE_BYTES = 150_000
  const large = (seq: number) => liveBid(AUCTION, seq, 'x'.repeat(LARGE_BYTES))

  /** Stops somebody's reading and sends bids from `seq` on until the gateway has more unsent than `bytes`. */
  async function fallBehind(slow: Spectator, witness: Spectator, from: number): Promise<number> {
    slow.client.ws.pause()
    let seq = from
    while (slow.watcher.writer.backlog === 'fine') {
      await publish(large(++seq))
      await witness.client.nextOf('newBid')
    }
    return seq
  }

  it('costs little, and gets one snapshot when it reads again', async () => {
    const [slow, witness] = [await joined(), await joined()]
    let seq = await fallBehind(slow, witness, 0)
    const lastSent = seq
    // Nobody else waits for it: it reads nothing before they have all.
    for (let more = 0; more < 20; more++) {
      await publish(large(++seq))
      await witness.client.nextOf('newBid')
    }
    expect(slow.watcher.writer.unsentBytes).toBeLessThan(LAGGING_BYTES + 2 * LARGE_BYTES)
    expect(slow.stalls).toBe(0)
    seqNow = seq
    slow.client.ws.resume()
    const seen = await seenUntil(slow, seq)
    expect(seen.slice(-2)).toEqual([
      ['newBid', lastSent],
      ['auctionJoined', seq],
    ])
    await publish(liveBid(AUCTION, ++seq))
    expect((await seenUntil(slow, seq)).at(-1)).toEqual(['newBid', seq])
  })

  it('learns of the end that it missed, though the snapshot has to be asked for twice', async () => {
    const [slow, witness] = [await joined(), await joined()]
    const seq = await fallBehind(slow, witness, 0)
    await publish(liveEnd(AUCTION, seq))
    await witness.client.nextOf('auctionEnded')
    seqNow = null
    slow.client.ws.resume()
    await eventually(() => questions.length === 1)
    questions[0]?.fail()
    await eventually(() => questions.length === 2)
    questions[1]?.answer(seq + 1)
    expect((await seenUntil(slow, seq + 1)).at(-1)).toEqual(['auctionJoined', seq + 1])
  })

  it('may leave', async () => {
    const [slow, witness] = [await joined(), await joined()]
    await fallBehind(slow, witness, 0)
    seqNow = null
    rooms.leave(AUCTION, slow.watcher)
    rooms.leave(AUCTION, witness.watcher)
    expect(rooms.size).toBe(0)
    slow.client.ws.resume()
    await eventually(() => slow.watcher.writer.unsentBytes === 0)
    expect(questions).toEqual([])
  })

  it('is reported when it has stalled, and sent nothing more', async () => {
    const [slow, witness] = [await joined(), await joined()]
    slow.client.ws.pause()
    // As answers would, which nothing holds back.
    const answer = textFrame(snapshotOf(AUCTION, 0).padEnd(100_000))
    while (slow.watcher.writer.backlog !== 'stalled') slow.watcher.writer.write(answer)
    const { unsentBytes } = slow.watcher.writer
    expect(unsentBytes).toBeGreaterThan(STALLED_BYTES)
    await publish(large(1))
    await witness.client.nextOf('newBid')
    expect(slow.stalls).toBe(1)
    slow.watcher.writer.queue(answer)
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    expect(slow.watcher.writer.unsentBytes).toBe(unsentBytes)
  })
})
