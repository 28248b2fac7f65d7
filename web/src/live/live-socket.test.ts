import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { serverNow } from '../lib/server-clock.ts'
import { FakeSocket } from '../testing/fake-socket.ts'
import { joined, newBid, now } from '../testing/fixtures.ts'
import { LiveSocket } from './live-socket.ts'

let token: string | null
let stop: () => void
const renewToken = vi.fn(async () => token)

function openSocket(): LiveSocket {
  const socket = new LiveSocket({
    token: () => token,
    renewToken,
    openSocket: () => FakeSocket.open(),
  })
  stop = socket.start()
  return socket
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  FakeSocket.opened.length = 0
  token = null
  renewToken.mockReset().mockImplementation(async () => token)
})
afterEach(() => {
  stop()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const signedIn: ServerFrame = { type: 'auth_success', userId: 10 }
const refused = (
  code: 'invalid-token' | 'unavailable' | 'rate-limited' | 'forbidden',
  auctionId?: number,
): ServerFrame => ({
  type: 'error',
  code,
  message: 'No',
  ...(auctionId !== undefined && { auctionId }),
})

describe('a socket that nobody needs', () => {
  it('is not opened', () => {
    openSocket()
    expect(FakeSocket.opened).toHaveLength(0)
  })

  it('is closed a moment after the last use', () => {
    const socket = openSocket()
    const leave = socket.join(1)
    FakeSocket.newest().accept()
    leave()
    expect(FakeSocket.newest().sentOf('leaveAuction')).toEqual([{ type: 'leaveAuction', auctionId: 1 }])
    expect(socket.status()).toBe('connected')
    vi.advanceTimersByTime(2_000)
    expect(FakeSocket.newest().readyState).toBe(WebSocket.CLOSED)
    expect(socket.status()).toBe('disconnected')
  })

  it('stays open when somebody else needs it meanwhile', () => {
    const socket = openSocket()
    socket.join(1)()
    socket.join(2)
    FakeSocket.newest().accept()
    vi.advanceTimersByTime(10_000)
    expect(socket.status()).toBe('connected')
    expect(FakeSocket.newest().sentOf('joinAuction')).toEqual([{ type: 'joinAuction', auctionId: 2 }])
  })
})

describe('a guest', () => {
  it('joins without signing in and gets the frames', () => {
    const socket = openSocket()
    const frames: string[] = []
    socket.onFrame((frame) => frames.push(frame.type))
    socket.join(1)
    FakeSocket.newest().accept()
    FakeSocket.newest().receive(joined(0))
    FakeSocket.newest().receive(newBid(1))
    expect(FakeSocket.newest().sent).toEqual([{ type: 'joinAuction', auctionId: 1 }])
    expect(frames).toEqual(['connected', 'auctionJoined', 'newBid'])
  })

  it('is authenticated in the same connection when the person signs in, and leaves it when signing out', () => {
    const socket = openSocket()
    socket.join(1)
    FakeSocket.newest().accept()
    token = 'token-1'
    socket.tokenChanged()
    expect(FakeSocket.newest().sentOf('auth')).toEqual([{ type: 'auth', token: 'token-1' }])
    expect([socket.status(), socket.standing()]).toEqual(['connected', 'guest'])
    FakeSocket.newest().receive(signedIn)
    expect(socket.standing()).toBe('signed-in')
    token = null
    socket.tokenChanged()
    expect(socket.standing()).toBe('guest')
    expect(FakeSocket.opened).toHaveLength(2)
  })
})

describe('a signed-in person', () => {
  beforeEach(() => {
    token = 'token-1'
  })

  it('is connected once the server knows who it is', () => {
    const socket = openSocket()
    socket.join(1)
    FakeSocket.newest().accept()
    expect(FakeSocket.newest().sent.map((frame) => frame.type)).toEqual(['auth', 'joinAuction'])
    expect(socket.status()).toBe('disconnected')
    FakeSocket.newest().receive(signedIn)
    expect(socket.status()).toBe('connected')
  })

  it('gets a new token when the old one is refused', async () => {
    const socket = openSocket()
    socket.join(1)
    FakeSocket.newest().accept()
    token = 'token-2'
    FakeSocket.newest().receive(refused('invalid-token'))
    await vi.waitFor(() => expect(FakeSocket.newest().sentOf('auth')).toHaveLength(2))
    expect(renewToken).toHaveBeenCalledOnce()
    FakeSocket.newest().receive(signedIn)
    expect(socket.status()).toBe('connected')
  })

  it('is refused once fresh tokens are, too, until one is taken', async () => {
    const socket = openSocket()
    const frames: string[] = []
    socket.onFrame((frame) => frames.push(frame.type))
    socket.hold()
    FakeSocket.newest().accept()
    for (const count of [1, 2, 3]) {
      await vi.waitFor(() => expect(FakeSocket.newest().sentOf('auth')).toHaveLength(count))
      expect(socket.standing()).toBe('guest')
      FakeSocket.newest().receive(refused('invalid-token'))
    }
    expect(socket.standing()).toBe('refused')
    // Asked again after a silence, the server refuses again, and takes nobody for signed in.
    vi.advanceTimersByTime(30_000)
    expect(FakeSocket.newest().sentOf('auth')).toHaveLength(4)
    FakeSocket.newest().receive(refused('invalid-token'))
    FakeSocket.newest().lose(1008)
    vi.advanceTimersByTime(2_000)
    FakeSocket.newest().accept()
    expect([socket.status(), socket.standing(), renewToken.mock.calls.length]).toEqual(['disconnected', 'refused', 2])
    expect(frames).toEqual(['connected', 'connected'])
    FakeSocket.newest().receive(signedIn)
    expect([socket.status(), socket.standing()]).toEqual(['connected', 'signed-in'])
  })

  it('is not refused while nobody can tell whether there is a fresh token', async () => {
    const socket = openSocket()
    socket.hold()
    renewToken.mockRejectedValue(new Error('identity is away'))
    FakeSocket.newest().accept()
    FakeSocket.newest().receive(signedIn)
    FakeSocket.newest().lose(4401)
    const beRefusedAgain = async () => {
      const before = FakeSocket.opened.length
      for (let seconds = 0; seconds < 10 && FakeSocket.opened.length === before; seconds += 1)
        await vi.advanceTimersByTimeAsync(1_000)
      FakeSocket.newest().accept()
      FakeSocket.newest().receive(refused('invalid-token'))
      await vi.advanceTimersByTimeAsync(0)
    }
    for (let count = 2; count < 6; count += 1) {
      await beRefusedAgain()
      expect([socket.standing(), renewToken.mock.calls.length]).toEqual(['guest', count])
    }
    renewToken.mockResolvedValue('token-2')
    await beRefusedAgain()
    expect(FakeSocket.newest().sentOf('auth')).toHaveLength(2)
  })

  it('is not refused any more after signing out, or once everything is tried anew', async () => {
    const socket = openSocket()
    socket.hold()
    FakeSocket.newest().accept()
    const beRefused = async () => {
      for (const count of [1, 2, 3]) {
        await vi.waitFor(() => expect(FakeSocket.newest().sentOf('auth')).toHaveLength(count))
        FakeSocket.newest().receive(refused('invalid-token'))
      }
      expect(socket.standing()).toBe('refused')
    }
    await beRefused()
    socket.retry()
    expect(socket.standing()).toBe('guest')
    FakeSocket.newest().accept()
    await beRefused()
    token = null
    socket.tokenChanged()
    expect(socket.standing()).toBe('guest')
  })

  it('comes back with a new token when the server closes because the old one ran out', async () => {
    const socket = openSocket()
    socket.join(1)
    FakeSocket.newest().accept()
    FakeSocket.newest().receive(signedIn)
    FakeSocket.newest().lose(4401)
    await vi.waitFor(() => expect(FakeSocket.opened).toHaveLength(2))
    expect(renewToken).toHaveBeenCalledOnce()
  })

  it('takes a new connection when the one at hand belongs to somebody else', () => {
    const socket = openSocket()
    socket.join(1)
    FakeSocket.newest().accept()
    FakeSocket.newest().receive(refused('forbidden'))
    expect(FakeSocket.opened).toHaveLength(2)
  })

  it('takes a new connection for another person, also when the server has just confirmed the one before', () => {
    const socket = openSocket()
    socket.join(1)
    FakeSocket.newest().accept()
    FakeSocket.newest().receive(signedIn)
    token = 'token-2'
    socket.tokenChanged()
    FakeSocket.newest().receive(signedIn)
    FakeSocket.newest().receive(refused('forbidden'))
    expect(FakeSocket.opened).toHaveLength(2)
  })
})

describe('a lost connection', () => {
  it('is tried again faster at first, then every ten seconds, for ever', () => {
    const socket = openSocket()
    socket.join(1)
    for (const delayMs of [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
      const before = FakeSocket.opened.length
      FakeSocket.newest().lose()
      vi.advanceTimersByTime(delayMs - 1)
      expect(FakeSocket.opened).toHaveLength(before)
      vi.advanceTimersByTime(1)
      expect(FakeSocket.opened).toHaveLength(before + 1)
    }
    expect(socket.failures()).toBe(7)
  })

  it('that nobody waits for is tried again more calmly', () => {
    const socket = openSocket()
    socket.hold()
    for (const delayMs of [2_000, 4_000, 8_000, 10_000, 10_000]) {
      const before = FakeSocket.opened.length
      FakeSocket.newest().lose()
      vi.advanceTimersByTime(delayMs - 1)
      expect(FakeSocket.opened).toHaveLength(before)
      vi.advanceTimersByTime(1)
      expect(FakeSocket.opened).toHaveLength(before + 1)
    }
  })

  it('is noticed by its silence where no auction is watched, too', () => {
    token = 'token-1'
    const socket = openSocket()
    socket.hold()
    FakeSocket.newest().accept()
    FakeSocket.newest().receive(signedIn)
    vi.advanceTimersByTime(30_000)
    expect(FakeSocket.newest().sentOf('auth')).toHaveLength(2)
    FakeSocket.newest().receive(signedIn)
    vi.advanceTimersByTime(36_000)
    expect(socket.status()).toBe('disconnected')
  })

  it('is joined again, and counted as new', () => {
    const socket = openSocket()
    socket.join(1)
    FakeSocket.newest().accept()
    FakeSocket.newest().lose(1012)
    expect(socket.status()).toBe('disconnected')
    vi.advanceTimersByTime(500)
    FakeSocket.newest().accept()
    expect(FakeSocket.newest().sent).toEqual([{ type: 'joinAuction', auctionId: 1 }])
    expect([socket.status(), socket.failures()]).toEqual(['connected', 0])
  })

  it('is tried again at once when the network returns', () => {
    const socket = openSocket()
    socket.join(1)
    FakeSocket.newest().accept()
    window.dispatchEvent(new Event('offline'))
    expect(socket.status()).toBe('disconnected')
    window.dispatchEvent(new Event('online'))
    expect(FakeSocket.opened).toHaveLength(2)
  })

  it('is noticed by its silence', () => {
    const socket = openSocket()
    socket.join(1)
    FakeSocket.newest().accept()
    vi.advanceTimersByTime(30_000)
    expect(FakeSocket.newest().sentOf('joinAuction')).toHaveLength(2)
    FakeSocket.newest().receive(joined(0))
    vi.advanceTimersByTime(30_000)
    expect(FakeSocket.newest().sentOf('joinAuction')).toHaveLength(3)
    vi.advanceTimersByTime(6_000)
    expect(socket.status()).toBe('disconnected')
  })

  it.each(['unavailable', 'rate-limited'] as const)(
    'is given up, and told why, when the server lets nobody into the room: %s',
    (code) => {
      const socket = openSocket()
      const frames: string[] = []
      socket.onFrame((frame) => frames.push(frame.type))
      socket.join(1)
      FakeSocket.newest().accept()
      FakeSocket.newest().receive(refused(code, 1))
      expect(socket.status()).toBe('disconnected')
      expect(frames).toEqual(['connected', 'error'])
      vi.advanceTimersByTime(500)
      expect(FakeSocket.opened).toHaveLength(2)
    },
  )

  it('is tried again later each time that the server lets nobody into the room, though it connects', () => {
    const socket = openSocket()
    socket.join(1)
    const refuse = () => {
      FakeSocket.newest().accept()
      FakeSocket.newest().receive(refused('unavailable', 1))
    }
    for (const delayMs of [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
      const before = FakeSocket.opened.length
      refuse()
      vi.advanceTimersByTime(delayMs - 1)
      expect(FakeSocket.opened).toHaveLength(before)
      vi.advanceTimersByTime(1)
      expect(FakeSocket.opened).toHaveLength(before + 1)
    }
    FakeSocket.newest().accept()
    FakeSocket.newest().receive(joined(0))
    FakeSocket.newest().lose()
    vi.advanceTimersByTime(500)
    refuse()
    vi.advanceTimersByTime(500)
    expect(FakeSocket.opened).toHaveLength(10)
  })
})

describe("the server's clock", () => {
  const wake = () => document.dispatchEvent(new Event('visibilitychange'))
  const offsetMs = () => serverNow() - Date.now()
  const snapshot = (ageMs: number) =>
    FakeSocket.newest().receive({
      ...joined(0),
      serverTime: new Date(Date.now() - ageMs).toISOString(),
    } as ServerFrame)
  beforeEach(() => {
    openSocket().join(1)
    FakeSocket.newest().accept()
    snapshot(0)
  })

  it('is not set back by a snapshot that a network without reception held up', () => {
    wake()
    vi.advanceTimersByTime(5_000)
    wake()
    snapshot(4_900)
    snapshot(4_900)
    expect(offsetMs()).toBe(0)
  })

  it('is known by the next snapshot when the device has changed its own', () => {
    const hourMs = 3_600_000
    vi.setSystemTime(Date.now() + hourMs)
    wake()
    snapshot(hourMs)
    expect(offsetMs()).toBe(-hourMs)
  })
})

describe('what is no frame of ours', () => {
  it('is let pass', () => {
    const socket = openSocket()
    socket.join(1)
    const frames: string[] = []
    socket.onFrame((frame) => frames.push(frame.type))
    FakeSocket.newest().accept()
    for (const data of ['{', '[]', '{"type":"something_new"}', new ArrayBuffer(2)]) {
      FakeSocket.newest().dispatchEvent(new MessageEvent('message', { data }))
    }
    FakeSocket.newest().receive({ type: 'connected', serverTime: now })
    expect(frames).toEqual(['connected', 'connected'])
  })
})
