import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { INVALID_AMOUNT_SEN } from '@wangian/contracts/auction-wire.ts'
import { type ErrorCode, errorCatalogue } from '@wangian/contracts/errors.ts'
import type { ServerFrame } from '@wangian/contracts/frames.ts'
import type { RevocationReason } from '@wangian/contracts/revocations.ts'
import { auctionLiveSubject, auctionPartition } from '@wangian/contracts/subjects.ts'
import { Failure } from '@wangian/kit/errors.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { createTestTokens, type TestTokens } from '@wangian/kit/testing/test-app.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { liveBid, snapshotOf } from '../testing/live-frames.ts'
import { acceptAll, playOwner, type ScriptedOwner } from '../testing/scripted-owner.ts'
import { startTestHub, type TestHub } from '../testing/test-hub.ts'
import type { TestSocket } from '../testing/test-socket.ts'
import { Session } from './session.ts'

const AUCTION = 7
const MISSING_AUCTION = 404
const UNREACHABLE_AUCTION = 503
const BID_ID = '0190d8a0-0000-7000-8000-000000000001'

let nats: TestNats
let tokens: TestTokens
beforeAll(async () => {
  nats = await startTestNats()
  tokens = await createTestTokens()
})
afterAll(() => nats.stop())

let gateway: TestHub
let owner: ScriptedOwner
let script: Parameters<typeof playOwner>[2]
let areSnapshotsAway: boolean
/** What the next snapshots wait for. */
let snapshotsAfter: Promise<void>[]
const sockets: TestSocket[] = []
const ended = new Map<string, RevocationReason>()
let onVerified: () => void | Promise<void> = () => {}
beforeEach(async () => {
  ended.clear()
  areSnapshotsAway = false
  snapshotsAfter = []
  onVerified = () => {}
  const checker = tokens.authenticatorWith({ revocationOf: (sessionId) => ended.get(sessionId) ?? null })
  gateway = await startTestHub({
    nats: nats.connection,
    auth: {
      async verify(token) {
        const caller = await checker.verify(token)
        await onVerified()
        return caller
      },
    },
    revocations: { reasonOf: (sessionId) => ended.get(sessionId) ?? null },
    timings: { pingEveryMs: 20_000, sweepEveryMs: 20 },
    snapshots: async (auctionId) => {
      await snapshotsAfter.shift()
      if (auctionId === UNREACHABLE_AUCTION || areSnapshotsAway) throw new Failure('nobody answers')
      return auctionId === MISSING_AUCTION ? null : snapshotOf(auctionId, 3)
    },
  })
  script = acceptAll()
  owner = await playOwner(nats.connection, [auctionPartition(AUCTION)], (message) => script?.(message))
})
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  await Promise.all(sockets.splice(0).map((socket) => socket.end()))
  await gateway.stop()
  await owner.leave()
})

async function guest(): Promise<TestSocket> {
  const socket = await gateway.connect()
  sockets.push(socket)
  return socket
}

async function signedIn(id = 3): Promise<TestSocket> {
  const socket = await gateway.connectAs(await tokens.tokenFor({ id, username: `user${id}` }))
  sockets.push(socket)
  return socket
}

const bid = (fields: object = {}) => ({ type: 'placeBid', auctionId: AUCTION, userId: 3, amount: 120.5, ...fields })

/** The bids that reached the owner: [bidder, sen]. */
const reached = () => owner.messages.flatMap(({ bids }) => bids.map(([, bidderId, sen]) => [bidderId, sen]))

describe('a session that ends', () => {
  const end = (sessionId: string, reason: RevocationReason) => {
    ended.set(sessionId, reason)
    gateway.hub.revoke(sessionId, reason)
  }

  it.each(['signed-out', 'password-changed', 'closed', 'token-reused'] as const)(
    'closes its sockets at once, and nobody else’s: %s',
    async (reason) => {
      const [first, second, other, unknown] = [await signedIn(3), await signedIn(3), await signedIn(4), await guest()]
      end('session-3', reason)
      // It is on its way when the socket is closed.
      first.send(bid())
      expect(await first.closed()).toEqual({ code: 4401, reason: 'Session ended' })
      expect(await second.closed()).toEqual({ code: 4401, reason: 'Session ended' })
      other.send(bid({ userId: 4 }))
      await other.nextOf('bidAccepted')
      expect(reached()).toEqual([[4, 12_050]])
      unknown.send({ type: 'joinAuction', auctionId: AUCTION })
      await unknown.nextOf('auctionJoined')
    },
  )

  it('is looked for among its own sockets only, whichever session they have by now', async () => {
    const looked = vi.spyOn(Session.prototype, 'onRevoked')
    const [socket, other] = [await signedIn(3), await signedIn(4)]
    for (let count = 0; count < 5; count += 1) await guest()
    socket.send({ type: 'auth', token: await tokens.tokenFor({ id: 3, username: 'user3', sessionId: 'later' }) })
    await socket.nextOf('auth_success')
    end('session-3', 'signed-out')
    expect(looked).not.toHaveBeenCalled()
    end('later', 'signed-out')
    expect(await socket.closed()).toMatchObject({ code: 4401 })
    expect(looked).toHaveBeenCalledTimes(1)
    expect(other.isClosed).toBe(false)
  })

  it('by a ban says so, and takes no bid that comes after', async () => {
    const socket = await signedIn(3)
    end('session-3', 'banned')
    socket.send(bid())
    expect(await socket.nextOf('error')).toMatchObject({ code: 'account-suspended' })
    expect(await socket.closed()).toEqual({ code: 4403, reason: 'Account suspended' })
    expect(reached()).toEqual([])
  })

  it('while its token is being checked is noticed all the same', async () => {
    const socket = await guest()
    const token = await tokens.tokenFor({ id: 3 })
    onVerified = () => end('session-3', 'banned')
    socket.send({ type: 'auth', token })
    expect(await socket.closed()).toMatchObject({ code: 4403 })
    expect(socket.frames.some(({ type }) => type === 'auth_success')).toBe(false)
  })

  it('by a ban takes back the bids that wait for an owner', async () => {
    await owner.leave()
    const placed = vi.spyOn(gateway.bids, 'place')
    const socket = await signedIn(3)
    socket.send(bid())
    const [waiting] = await eventually(() => placed.mock.calls[0] ?? false)
    const refused = vi.spyOn(waiting, 'onRefused')
    end('session-3', 'banned')
    await socket.closed()
    await eventually(() => expect(refused).toHaveBeenCalledWith('account-suspended', 0))
    owner = await playOwner(nats.connection, [auctionPartition(AUCTION)], acceptAll())
    const other = await signedIn(4)
    other.send(bid({ userId: 4 }))
    await other.nextOf('bidAccepted')
    expect(reached()).toEqual([[4, 12_050]])
  })
})

describe('a new socket', () => {
  it('is greeted with the time of the server', async () => {
    const { frames } = await guest()
    expect(frames).toHaveLength(1)
    const [greeting] = frames
    if (greeting?.type !== 'connected') throw new Error('no greeting')
    expect(Math.abs(Date.parse(greeting.serverTime) - Date.now())).toBeLessThan(5000)
  })
})

describe('signing in', () => {
  it('tells who the token belongs to', async () => {
    const socket = await guest()
    socket.send({ type: 'auth', token: await tokens.tokenFor({ id: 12 }) })
    expect(await socket.next()).toEqual({ type: 'auth_success', userId: 12 })
  })

  it('is refused for tokens that are not ours, and the third one closes the socket', async () => {
    const foreign = await createTestTokens()
    const socket = await guest()
    for (const token of ['', await foreign.tokenFor({ id: 12 }), 'a.b.c\u0000\ud800']) {
      socket.send({ type: 'auth', token })
      expect(await socket.next()).toMatchObject({ type: 'error', code: 'invalid-token', message: 'Invalid token' })
    }
    expect(await socket.closed()).toMatchObject({ code: 1008 })
  })

  it('may succeed after two mistakes, which are then forgotten', async () => {
    const socket = await guest()
    const token = await tokens.tokenFor({ id: 12 })
    for (const tried of ['x', 'x', token, 'x', 'x', token]) {
      socket.send({ type: 'auth', token: tried })
      await socket.nextOf(tried === token ? 'auth_success' : 'error')
    }
  })

  it('as somebody else is refused, and the first one stays', async () => {
    const socket = await signedIn(3)
    socket.send({ type: 'auth', token: await tokens.tokenFor({ id: 4 }) })
    expect(await socket.next()).toMatchObject({ type: 'error', code: 'forbidden' })
    socket.send(bid())
    await socket.nextOf('bidAccepted')
    expect(reached()).toEqual([[3, 12_050]])
  })

  it('ends with the token', async () => {
    const socket = await guest()
    // Accepted within the tolerance for clocks, and then over at once.
    socket.send({ type: 'auth', token: await tokens.tokenFor({ id: 3, expiresAt: Date.now() - 1000 }) })
    await socket.nextOf('auth_success')
    expect(await socket.closed()).toEqual({ code: 4401, reason: 'Token expired' })
  })

  it('is refused for a banned person, whose socket is closed', async () => {
    const socket = await guest()
    const token = await tokens.tokenFor({ id: 3 })
    ended.set('session-3', 'banned')
    socket.send({ type: 'auth', token })
    expect(await socket.next()).toMatchObject({ type: 'error', code: 'account-suspended' })
    expect(await socket.closed()).toEqual({ code: 4403, reason: 'Account suspended' })
  })

  it('is refused for a session that has ended', async () => {
    const socket = await guest()
    const token = await tokens.tokenFor({ id: 3 })
    ended.set('session-3', 'signed-out')
    socket.send({ type: 'auth', token })
    expect(await socket.next()).toMatchObject({ type: 'error', code: 'invalid-token' })
    expect((await signedIn(4)).frames.at(-1)).toMatchObject({ type: 'auth_success' })
  })

  it('again with a newer token keeps the socket open', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const expiresAt = Math.ceil(Date.now() / 1000) * 1000 + 60_000
    const early = await tokens.tokenFor({ id: 3, expiresAt })
    const [renewed, forgetful] = [await gateway.connectAs(early), await gateway.connectAs(early)]
    sockets.push(renewed, forgetful)
    renewed.send({ type: 'auth', token: await tokens.tokenFor({ id: 3 }) })
    await renewed.nextOf('auth_success')
    vi.setSystemTime(expiresAt - 1)
    forgetful.send(bid())
    await forgetful.nextOf('bidAccepted')
    vi.setSystemTime(expiresAt)
    expect(await forgetful.closed()).toMatchObject({ code: 4401 })
    renewed.send(bid())
    await renewed.nextOf('bidAccepted')
  })

  it('works for 20 sockets of one person, and again when one has gone', async () => {
    const token = await tokens.tokenFor({ id: 9 })
    for (let count = 0; count < 20; count++) sockets.push(await gateway.connectAs(token))
    const excess = await guest()
    excess.send({ type: 'auth', token })
    expect(await excess.next()).toMatchObject({ type: 'error', code: 'rate-limited' })
    expect(await excess.closed()).toMatchObject({ code: 1008 })
    await sockets[0]?.end()
    await eventually(async () => {
      const socket = await guest()
      socket.send({ type: 'auth', token })
      await socket.nextOf('auth_success')
    })
  })
})

describe('a socket that goes while its token is being checked', () => {
  it('takes no place from those that come', async () => {
    const token = await tokens.tokenFor({ id: 9 })
    for (let count = 0; count < 20; count++) {
      const socket = await guest()
      const { promise: checked, resolve } = Promise.withResolvers<void>()
      onVerified = async () => {
        await socket.end()
        await eventually(() => gateway.hub.size === 0)
        resolve()
      }
      socket.send({ type: 'auth', token })
      await checked
    }
    onVerified = () => {}
    sockets.push(await gateway.connectAs(token))
  })
})

describe('a frame that is not one', () => {
  const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)
  const malformed: [string, string | Buffer][] = [
    ['nothing', ''],
    ['no JSON', 'placeBid'],
    ['cut-off JSON', '{"type":"placeBid","auctionId":7'],
    ['a list', '[{"type":"placeBid"}]'],
    ['a string', '"placeBid"'],
    ['null', 'null'],
    ['a binary frame', Buffer.from(JSON.stringify({ type: 'joinAuction', auctionId: AUCTION }))],
    ['no type', '{"auctionId":7}'],
    ['an unknown type', '{"type":"launch"}'],
    ['the name of an inherited property as type', '{"type":"constructor"}'],
    ['a type from a prototype', '{"__proto__":{"type":"placeBid","auctionId":7,"amount":120}}'],
    ['a list as type', '{"type":["placeBid"],"auctionId":7,"amount":120}'],
    ['no auction', '{"type":"placeBid","amount":120}'],
    ['an auction as text', '{"type":"placeBid","auctionId":"7","amount":120}'],
    ['an auction in a list', '{"type":"placeBid","auctionId":[7],"amount":120}'],
    ['auction 0', '{"type":"placeBid","auctionId":0,"amount":120}'],
    ['a negative auction', '{"type":"joinAuction","auctionId":-1}'],
    ['half an auction', '{"type":"joinAuction","auctionId":1.5}'],
    ['an unsafe auction', '{"type":"joinAuction","auctionId":9007199254740993}'],
    ['an infinite auction', '{"type":"joinAuction","auctionId":1e999}'],
    ['an auction from a prototype', '{"type":"joinAuction","__proto__":{"auctionId":7}}'],
    ['__proto__ beside what is valid', '{"type":"placeBid","auctionId":7,"amount":120,"__proto__":{"isAdmin":true}}'],
    ['__proto__ as an escape', '{"type":"placeBid","auctionId":7,"amount":120,"__pr\\u006fto__":{}}'],
    ['__proto__ deep inside', '{"type":"placeBid","auctionId":7,"amount":120,"more":[{"__proto__":1}]}'],
    ['constructor.prototype', '{"type":"placeBid","auctionId":7,"amount":120,"constructor":{"prototype":{}}}'],
    ['a person as text', '{"type":"placeBid","auctionId":7,"amount":120,"userId":"3"}'],
    ['a bid id that is none', '{"type":"placeBid","auctionId":7,"amount":120,"bidId":"1"}'],
    ['a bid id with NUL', '{"type":"placeBid","auctionId":7,"amount":120,"bidId":"\\u0000"}'],
    ['a token that is a number', '{"type":"auth","token":5}'],
    ['no token', '{"type":"auth"}'],
    ['a token beyond all measure', JSON.stringify({ type: 'auth', token: 'x'.repeat(9000) })],
    ['lists 8,000 deep', deep('[', ']', 8000)],
    ['objects 2,500 deep', `${'{"a":'.repeat(2500)}1${'}'.repeat(2500)}`],
    ['a type 7,000 lists deep', `{"type":${deep('[', ']', 7000)}}`],
    ['the same key very often', `{${'"type":"x",'.repeat(1000)}"type":"y"}`],
    ['NUL', '\u0000'],
  ]

  it.each(malformed)('is answered: %s', async (_, frame) => {
    const socket = await signedIn()
    socket.ws.send(frame)
    const answer = await socket.nextOf('error')
    expect(answer.code).toBe('bad-request')
    expect(answer.message).toMatch(/^(The request|(Auction|User|Bid) id|Token) (is|must be) /)
    expect(reached()).toEqual([])
  })

  it.each([
    ['{"type":"leaveAuction"}', 'Auction id is required'],
    ['{"type":"leaveAuction","auctionId":"7"}', 'Auction id is not valid'],
    ['{"type":"leaveAuction","auctionId":0}', 'Auction id must be greater than 0'],
    [JSON.stringify({ type: 'auth', token: 'x'.repeat(9000) }), 'Token must be 8,192 characters or less'],
    ['{"type":"send_message","receiverId":7}', 'Content is required'],
  ])('is answered in the words that HTTP has: %.40s', async (frame, message) => {
    const socket = await signedIn()
    socket.ws.send(frame)
    expect(await socket.nextOf('error')).toMatchObject({ code: 'bad-request', message })
  })

  it('ends the socket when it is the fifth in a row', async () => {
    const socket = await guest()
    for (let count = 0; count < 4; count++) socket.ws.send('{')
    socket.send({ type: 'leaveAuction', auctionId: AUCTION })
    for (let count = 0; count < 5; count++) socket.ws.send('{')
    expect(await socket.closed()).toEqual({ code: 1008, reason: 'Too many bad frames' })
    expect(socket.frames.filter(({ type }) => type === 'error')).toHaveLength(9)
  })

  it('closes with 1009 when it is larger than 16 KiB, and does not when it is exactly that', async () => {
    const sized = (bytes: number) => JSON.stringify({ type: 'leaveAuction', auctionId: AUCTION, x: '' }).padEnd(bytes)
    const socket = await guest()
    socket.ws.send(sized(16_384))
    socket.send({ type: 'joinAuction', auctionId: AUCTION })
    await socket.nextOf('auctionJoined')
    socket.ws.send(sized(16_385))
    expect(await socket.closed()).toMatchObject({ code: 1009 })
  })

  it('closes with 1009 when its fragments together are too large', async () => {
    const socket = await guest()
    for (let count = 0; count < 17; count++) socket.ws.send('x'.repeat(1024), { fin: false })
    expect(await socket.closed()).toMatchObject({ code: 1009 })
  })

  it('closes with 1007 when it is not UTF-8', async () => {
    const socket = await guest()
    socket.ws.send(Buffer.from([0x7b, 0xff, 0xfe]), { binary: false })
    expect(await socket.closed()).toMatchObject({ code: 1007 })
  })

  it('may come in fragments', async () => {
    const socket = await signedIn()
    const text = JSON.stringify(bid())
    for (const part of text) socket.ws.send(part, { fin: false })
    socket.ws.send('', { fin: true })
    expect(await socket.next()).toMatchObject({ type: 'bidAccepted', amount: 120.5 })
  })
})

describe('a bid', () => {
  it('reaches the owner as the person of the token, and is answered when it is accepted', async () => {
    const socket = await signedIn()
    socket.send(bid({ bidId: BID_ID, timestamp: '1999-01-01T00:00:00Z', isAdmin: true }))
    expect(await socket.next()).toEqual({
      type: 'bidAccepted',
      message: 'Bid Accepted',
      auctionId: AUCTION,
      bidId: BID_ID,
      amount: 120.5,
      seq: 1,
    })
    expect(owner.messages[0]?.bids).toEqual([[AUCTION, 3, 12_050, BID_ID, 'user3']])
  })

  it('that repeats an earlier one is answered with what was accepted then', async () => {
    script = ({ answer }) => answer([[0, 0, 4, 9950]])
    const socket = await signedIn()
    socket.send(bid({ bidId: BID_ID }))
    expect(await socket.next()).toMatchObject({ type: 'bidAccepted', bidId: BID_ID, amount: 99.5, seq: 4 })
  })

  it('needs neither a person nor an id', async () => {
    const socket = await signedIn()
    socket.send({ type: 'placeBid', auctionId: AUCTION, amount: 10.1 })
    expect(await socket.next()).toEqual({
      type: 'bidAccepted',
      message: 'Bid Accepted',
      auctionId: AUCTION,
      amount: 10.1,
      seq: 1,
    })
    expect(owner.messages[0]?.bids).toEqual([[AUCTION, 3, 1010, null, 'user3']])
  })

  it('of a guest is refused', async () => {
    const socket = await guest()
    socket.send(bid({ bidId: BID_ID }))
    expect(await socket.next()).toEqual({
      type: 'error',
      message: 'Authentication Required',
      code: 'authentication-required',
      auctionId: AUCTION,
      bidId: BID_ID,
    })
    expect(reached()).toEqual([])
  })

  it('in the name of somebody else is refused', async () => {
    const socket = await signedIn(3)
    socket.send(bid({ userId: 4 }))
    expect(await socket.next()).toMatchObject({ type: 'error', code: 'forbidden', auctionId: AUCTION })
    expect(reached()).toEqual([])
  })

  // Text, because JSON.stringify knows neither 1e999 nor two ways to write ten ringgit ten.
  it.each([
    ['"120.5"', INVALID_AMOUNT_SEN],
    ['null', INVALID_AMOUNT_SEN],
    ['true', INVALID_AMOUNT_SEN],
    ['[120]', INVALID_AMOUNT_SEN],
    ['{"valueOf":120}', INVALID_AMOUNT_SEN],
    ['1e309', INVALID_AMOUNT_SEN],
    ['-1e309', INVALID_AMOUNT_SEN],
    ['1e-9', INVALID_AMOUNT_SEN],
    ['0.001', INVALID_AMOUNT_SEN],
    ['-5', INVALID_AMOUNT_SEN],
    ['10000000', INVALID_AMOUNT_SEN],
    ['9999999.995', INVALID_AMOUNT_SEN],
    ['0.29', 29],
    ['10.10', 1010],
    ['10.1', 1010],
    ['1e2', 10_000],
    ['9999999.99', 999_999_999],
  ])('over %s is judged by the owner as %d sen', async (amount, sen) => {
    const socket = await signedIn()
    socket.ws.send(`{"type":"placeBid","auctionId":${AUCTION},"amount":${amount}}`)
    const answer = await socket.next()
    expect(reached()).toEqual([[3, sen]])
    if (sen === INVALID_AMOUNT_SEN) {
      expect(answer).toMatchObject({ code: 'invalid-amount', message: 'Please enter a valid number.' })
    } else expect(answer).toMatchObject({ type: 'bidAccepted', amount: sen / 100 })
  })

  it('without an amount is for the owner to judge, too', async () => {
    const socket = await signedIn()
    socket.send({ type: 'placeBid', auctionId: AUCTION })
    await socket.next()
    expect(reached()).toEqual([[3, INVALID_AMOUNT_SEN]])
  })

  const refusals: ErrorCode[] = [
    'own-listing',
    'invalid-amount',
    'auction-not-found',
    'auction-not-started',
    'auction-ended',
    'busy',
    'outcome-unknown',
  ]
  it.each(refusals)('that the owner refuses as %s is answered with that', async (code) => {
    script = ({ answer }) => answer([[0, code, 0]])
    const socket = await signedIn()
    socket.send(bid({ bidId: BID_ID }))
    expect(await socket.next()).toEqual({
      type: 'error',
      code,
      message: errorCatalogue[code].message,
      auctionId: AUCTION,
      bidId: BID_ID,
    })
  })

  it('that is too low is told what would do', async () => {
    script = ({ answer }) => answer([[0, 'bid-too-low', 123_450]])
    const socket = await signedIn()
    socket.send(bid())
    expect(await socket.next()).toEqual({
      type: 'error',
      code: 'bid-too-low',
      message: 'Your bid must be at least RM\u00a01,234.50.',
      minimum: 1234.5,
      auctionId: AUCTION,
    })
  })

  it('is refused when it is the sixth in a second on one auction, whichever socket it comes from', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const [first, second] = [await signedIn(), await signedIn()]
    for (let count = 0; count < 5; count++) first.send(bid())
    for (let count = 0; count < 5; count++) await first.nextOf('bidAccepted')
    second.send(bid({ bidId: BID_ID }))
    expect(await second.next()).toMatchObject({ type: 'error', code: 'rate-limited', bidId: BID_ID })
    second.send(bid({ auctionId: AUCTION + 64 }))
    await second.nextOf('bidAccepted')
    const other = await signedIn(4)
    other.send(bid({ userId: 4 }))
    await other.nextOf('bidAccepted')
  })

  it('whose socket is gone when the verdict comes harms nobody', async () => {
    const waiting: (() => void)[] = []
    script = ({ answer }) => waiting.push(() => answer([[0, 0, 1]]))
    const gone = await signedIn()
    gone.send(bid())
    await eventually(() => waiting.length === 1)
    await gone.end()
    await eventually(() => gateway.hub.size === 0)
    waiting[0]?.()
    script = acceptAll()
    const socket = await signedIn()
    socket.send(bid())
    await socket.nextOf('bidAccepted')
  })
})

describe('a room', () => {
  it('is entered by guests, whoever they say they are', async () => {
    const socket = await guest()
    for (const userId of ['guest', 99]) {
      socket.send({ type: 'joinAuction', auctionId: AUCTION, userId })
      expect(await socket.next()).toMatchObject({ type: 'auctionJoined', auctionId: AUCTION, seq: 3 })
    }
    expect(gateway.rooms.size).toBe(1)
  })

  it('of an auction that does not exist is refused', async () => {
    const socket = await guest()
    socket.send({ type: 'joinAuction', auctionId: MISSING_AUCTION })
    expect(await socket.next()).toEqual({
      type: 'error',
      message: 'Auction not found',
      code: 'auction-not-found',
      auctionId: MISSING_AUCTION,
    })
    expect(gateway.rooms.size).toBe(0)
  })

  it('that nobody can tell about right now is unavailable', async () => {
    const socket = await guest()
    socket.send({ type: 'joinAuction', auctionId: UNREACHABLE_AUCTION })
    expect(await socket.next()).toMatchObject({ code: 'unavailable', auctionId: UNREACHABLE_AUCTION })
    expect(gateway.rooms.size).toBe(0)
  })

  it('is not left by whoever asks once more while nobody can tell', async () => {
    const socket = await guest()
    socket.send({ type: 'joinAuction', auctionId: AUCTION })
    await socket.nextOf('auctionJoined')
    areSnapshotsAway = true
    socket.send({ type: 'joinAuction', auctionId: AUCTION })
    expect(await socket.next()).toMatchObject({ code: 'unavailable', auctionId: AUCTION })
    nats.connection.publish(auctionLiveSubject(AUCTION), liveBid(AUCTION, 4))
    expect(await socket.next()).toMatchObject({ type: 'newBid', seq: 4 })
    socket.send({ type: 'leaveAuction', auctionId: AUCTION })
    await eventually(() => gateway.rooms.size === 0)
  })

  it('is not left by whoever left it before and is back when nobody could tell then', async () => {
    const first = Promise.withResolvers<void>()
    snapshotsAfter = [first.promise]
    const socket = await guest()
    for (const type of ['joinAuction', 'leaveAuction', 'joinAuction']) socket.send({ type, auctionId: AUCTION })
    await socket.nextOf('auctionJoined')
    first.reject(new Failure('nobody answers'))
    socket.send({ type: 'joinAuction', auctionId: MISSING_AUCTION })
    expect(await socket.next()).toMatchObject({ code: 'auction-not-found' })
    nats.connection.publish(auctionLiveSubject(AUCTION), liveBid(AUCTION, 4))
    expect(await socket.next()).toMatchObject({ type: 'newBid', seq: 4 })
  })

  it('is left when asked, and with the socket', async () => {
    const socket = await guest()
    socket.send({ type: 'joinAuction', auctionId: 1 })
    socket.send({ type: 'joinAuction', auctionId: 2 })
    await socket.nextOf('auctionJoined')
    await socket.nextOf('auctionJoined')
    expect(gateway.rooms.size).toBe(2)
    socket.send({ type: 'leaveAuction', auctionId: 1 })
    socket.send({ type: 'leaveAuction', auctionId: 1 })
    await eventually(() => gateway.rooms.size === 1)
    await socket.end()
    await eventually(() => gateway.rooms.size === 0)
  })

  it('is the last one when there are 50, until one is left', async () => {
    const socket = await guest()
    for (let auctionId = 1000; auctionId < 1050; auctionId++) socket.send({ type: 'joinAuction', auctionId })
    for (let count = 0; count < 50; count++) await socket.nextOf('auctionJoined')
    socket.send({ type: 'joinAuction', auctionId: 1050 })
    expect(await socket.next()).toMatchObject({ code: 'rate-limited', auctionId: 1050 })
    socket.send({ type: 'joinAuction', auctionId: 1000 })
    await socket.nextOf('auctionJoined')
    socket.send({ type: 'leaveAuction', auctionId: 1000 })
    socket.send({ type: 'joinAuction', auctionId: 1050 })
    expect(await socket.next()).toMatchObject({ type: 'auctionJoined', auctionId: 1050 })
    expect(gateway.rooms.size).toBe(50)
  })
})

describe('a flood of frames', () => {
  it('is warned five times and then closed, while others are answered', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const calm = await signedIn(4)
    const flooder = await signedIn(3)
    for (let count = 0; count < 5000; count++) flooder.send({ type: 'leaveAuction', auctionId: AUCTION })
    calm.send(bid({ userId: 4 }))
    await calm.nextOf('bidAccepted')
    expect(await flooder.closed()).toEqual({ code: 1008, reason: 'Too many requests' })
    const warnings = flooder.frames.filter((frame) => frame.type === 'error')
    expect(warnings).toHaveLength(5)
    expect(warnings).toContainEqual({ type: 'error', code: 'rate-limited', message: 'Too many requests' })
  })

  it('is forgiven after a while', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const socket = await guest()
    for (let round = 0; round < 4; round += 1) {
      for (let count = 0; count < 63; count += 1) socket.send({ type: 'leaveAuction', auctionId: AUCTION })
      for (let count = 0; count < 3; count += 1)
        expect(await socket.nextOf('error')).toMatchObject({ code: 'rate-limited' })
      vi.advanceTimersByTime(40_000)
    }
    socket.send({ type: 'joinAuction', auctionId: AUCTION })
    await socket.nextOf('auctionJoined')
  })

  const joinsOf = async (socket: TestSocket, most: number) => {
    for (let count = 0; count < most; count += 1) {
      socket.send({ type: 'joinAuction', auctionId: AUCTION })
      if ((await socket.next()).type === 'error') return count
    }
    return most
  }

  it('of joins is refused beyond a hundred a minute', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const socket = await guest()
    let joined = 0
    for (let round = 0; round < 3; round += 1) {
      joined += await joinsOf(socket, 50)
      vi.advanceTimersByTime(3000)
    }
    // Some are given back while time goes by.
    expect(joined).toBe(110)
    expect(await joinsOf(await guest(), 1)).toBe(1)
  })

  it('of joins ends the socket that does not stop', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const flooder = await guest()
    for (const joined of [50, 50, 10]) {
      expect(await joinsOf(flooder, 50)).toBe(joined)
      vi.advanceTimersByTime(3000)
    }
    for (let count = 0; count < 20; count += 1) flooder.send({ type: 'joinAuction', auctionId: AUCTION })
    expect(await flooder.closed()).toEqual({ code: 1008, reason: 'Too many requests' })
  })

  it('of joins is refused beyond 600 a minute of one address', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    for (let socket = 0; socket < 12; socket += 1) expect(await joinsOf(await guest(), 50)).toBe(50)
    const late = await guest()
    late.send({ type: 'joinAuction', auctionId: AUCTION })
    expect(await late.nextOf('error')).toMatchObject({ code: 'rate-limited', auctionId: AUCTION })
    vi.advanceTimersByTime(1000)
    expect(await joinsOf(late, 50)).toBe(10)
  })

  it('of pings is cut off', async () => {
    const calm = await signedIn(4)
    const flooder = await guest()
    for (let count = 0; count < 5000; count++) flooder.ws.ping()
    await flooder.closed()
    calm.send(bid({ userId: 4 }))
    await calm.nextOf('bidAccepted')
  })
})

describe('anything at all', () => {
  const key = fc.constantFrom('type', 'auctionId', 'userId', 'amount', 'token', 'bidId', 'timestamp', '__proto__', '')
  const value = fc.oneof(
    fc.constantFrom('placeBid', 'joinAuction', 'leaveAuction', 'auth', 'guest', BID_ID, AUCTION, 3, 120.5, 1e308, -0),
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ unit: 'binary' }),
  )
  const almost = fc
    .tuple(
      fc.constantFrom('placeBid', 'joinAuction', 'leaveAuction', 'auth'),
      fc.array(fc.tuple(key, value), { maxLength: 6 }),
    )
    .map(([type, fields]) => JSON.stringify({ type, ...Object.fromEntries(fields) }))
  const frame = fc.oneof(
    almost,
    fc.json(),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  )

  it('is answered by frames of the contract only, and harms nobody', async () => {
    script = ({ bids, answer }) => {
      // What reaches an owner is one of a signed-in person's bids and nothing else.
      for (const [, bidderId] of bids) expect(bidderId).toBe(3)
      answer(bids.map((_, index) => [index, 'auction-ended', 0]))
    }
    const answers: ServerFrame[] = []
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 8 }), async (texts) => {
        const socket = await signedIn(3)
        for (const text of texts) socket.ws.send(text)
        socket.send({ type: 'joinAuction', auctionId: 1 })
        // Either the last frame is answered, or the socket was closed for one before it; both mean that all were looked at.
        await socket.until(
          () =>
            socket.isClosed ||
            socket.frames.some((answer) => answer.type === 'auctionJoined' && answer.auctionId === 1),
        )
        for (const _ of socket.frames.slice(2)) answers.push(await socket.next())
        await socket.end()
      }),
      { numRuns: 150 },
    )
    expect(new Set(answers.map(({ type }) => type)).size).toBeGreaterThan(1)
    const socket = await signedIn(5)
    socket.send(bid({ userId: 5, auctionId: 8 }))
    await socket.next()
  }, 60_000)

  it('may even be no WebSocket at all', async () => {
    const { port } = new URL(gateway.url)
    for (let count = 0; count < 20; count++) {
      const raw = connect(Number(port), '127.0.0.1')
      raw.on('error', () => {})
      raw.write(
        'GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
      )
      await once(raw, 'data')
      raw.write(randomBytes(3000))
      await eventually(() => raw.closed || raw.readableEnded || raw.resume().readableEnded)
      raw.destroy()
    }
    await eventually(() => gateway.hub.size === 0)
    await guest()
  })
})
