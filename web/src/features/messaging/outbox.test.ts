import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { appToken } from '../../api/app-token.ts'
import type { ClientFrame, LiveSocket } from '../../live/live-socket.ts'
import { message, tokenFor } from '../../testing/fixtures.ts'
import { type Answer, Outbox } from './outbox.ts'

const id = '0193a000-0000-7000-8000-000000000001'
const text = { clientMessageId: id, senderId: 10, receiverId: 3, content: 'Hello', productId: null }
const sent = { type: 'message_sent', message: message(5, { senderId: 10 }), clientMessageId: id } as const
const refused = { type: 'error', code: 'unavailable', message: 'No', clientMessageId: id } as const

let receive: (frame: ServerFrame) => void
let outbox: Outbox
let answers: Answer[]
let frames: ClientFrame[]
beforeEach(() => {
  vi.useFakeTimers()
  localStorage.clear()
  sessionStorage.clear()
  answers = []
  frames = []
  signIn(10)
  load()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})
const signIn = (holderId: number) => appToken.store(tokenFor({ id: holderId, username: 'bala' }, Date.now() + 900_000))
/** The page is loaded, again. */
const load = () => {
  outbox = new Outbox({
    onFrame: (listener: typeof receive) => {
      receive = listener
    },
    send: (frame: ClientFrame) => frames.push(frame) > 0,
    tokenChanged: () => receive({ type: 'auth_success', userId: 10 }),
  } as unknown as LiveSocket)
}
const add = () => outbox.add(text, (answer) => answers.push(answer))

describe('a text', () => {
  it('is held until it is stored', () => {
    add()
    expect(outbox.texts()).toEqual([{ ...text, isFailed: false }])
    receive(sent)
    expect(outbox.texts()).toEqual([])
    vi.runAllTimers()
    expect(answers).toEqual([{ kind: 'stored' }])
  })

  it('that is refused is held, and may be sent again', () => {
    add()
    receive(refused)
    expect(outbox.texts()).toEqual([{ ...text, isFailed: true }])
    add()
    expect(outbox.texts()).toEqual([{ ...text, isFailed: false }])
    receive(sent)
    expect(outbox.texts()).toEqual([])
    expect(answers).toEqual([{ kind: 'refused', refusal: refused }, { kind: 'stored' }])
  })

  it('without an answer is held, unless it had got through after all', () => {
    add()
    vi.advanceTimersByTime(10_000)
    expect(answers).toEqual([{ kind: 'unanswered' }])
    expect(outbox.texts()).toEqual([{ ...text, isFailed: true }])
    receive(sent)
    expect(outbox.texts()).toEqual([])
    expect(answers).toHaveLength(1)
  })
})

const frame = { type: 'send_message', receiverId: 3, content: 'Hello', productId: null, clientMessageId: id } as const

describe('on another connection', () => {
  const connect = () => {
    receive({ type: 'connected', serverTime: '2026-11-30T10:00:00.000Z' })
    receive({ type: 'auth_success', userId: 10 })
  }

  it('what is not answered is sent once more under the same id', () => {
    add()
    const offer = { ...frame, type: 'send_action_message', productId: 7, actionType: 'INITIATE' } as const
    const offered = { ...offer, clientMessageId: `${id}-offer` }
    outbox.expect(offered, (answer) => answers.push(answer))
    connect()
    expect(frames).toEqual([frame, offered])
    receive(sent)
    connect()
    expect(frames).toEqual([frame, offered, offered])
    receive({ ...sent, clientMessageId: offered.clientMessageId })
    expect(answers).toEqual([{ kind: 'stored' }, { kind: 'stored' }])
    expect(outbox.texts()).toEqual([])
  })

  it('nothing is sent that was answered, or was written by somebody else', () => {
    add()
    receive(refused)
    connect()
    add()
    receive({ type: 'connected', serverTime: '2026-11-30T10:00:00.000Z' })
    signIn(11)
    receive({ type: 'auth_success', userId: 11 })
    expect(frames).toEqual([])
  })

  it('nothing is sent again for a token that is renewed', () => {
    add()
    receive({ type: 'auth_success', userId: 10 })
    expect(frames).toEqual([])
  })

  it('what gets no answer there either was not sent', () => {
    add()
    connect()
    vi.advanceTimersByTime(10_000)
    expect(answers).toEqual([{ kind: 'unanswered' }])
  })
})

describe('beyond a reload', () => {
  it('what was not sent is there, and may be discarded', () => {
    add()
    receive(refused)
    load()
    expect(outbox.texts()).toEqual([{ ...text, isFailed: true }])
    expect(frames).toEqual([])
    outbox.discard(id)
    expect(outbox.texts()).toEqual([])
    load()
    expect(outbox.texts()).toEqual([])
  })

  it('what was on its way is asked for once more under the same id, by who wrote it', () => {
    add()
    load()
    expect(frames).toEqual([frame])
    receive({ type: 'auth_success', userId: 10 })
    expect(frames).toEqual([frame])
    expect(outbox.texts()).toEqual([{ ...text, isFailed: false }])
    receive(sent)
    load()
    expect(outbox.texts()).toEqual([])
    expect(frames).toEqual([frame])
  })

  it('what was on its way and gets no answer now either was not sent', () => {
    add()
    load()
    vi.advanceTimersByTime(10_000)
    expect(outbox.texts()).toEqual([{ ...text, isFailed: true }])
  })

  it('what somebody else wrote is gone, in memory and in storage', () => {
    add()
    receive(refused)
    signIn(11)
    expect(outbox.texts()).toEqual([])
    add()
    sessionStorage.setItem('unsentMessages', JSON.stringify({ texts: [{ ...text, isFailed: false }], files: [] }))
    load()
    expect(outbox.texts()).toEqual([])
    expect(frames).toEqual([])
  })

  it('what somebody wrote who has left is gone, in memory and in storage', () => {
    add()
    appToken.clear()
    expect(outbox.texts()).toEqual([])
    expect(sessionStorage.getItem('unsentMessages')).toBeNull()
  })

  it.each([
    ['somebody else', () => signIn(11)],
    ['nobody', () => appToken.clear()],
  ])('what is not answered is told to nobody once its writer has left and %s is here', (_who, leave) => {
    add()
    leave()
    vi.advanceTimersByTime(10_000)
    expect(answers).toEqual([])
  })

  it('what is not answered is told to its writer, whose token was renewed meanwhile', () => {
    add()
    signIn(10)
    vi.advanceTimersByTime(10_000)
    expect(answers).toEqual([{ kind: 'unanswered' }])
  })

  it('of many texts the newest are kept', () => {
    for (let count = 0; count < 25; count++) {
      outbox.add({ ...text, clientMessageId: `${id}-${count}` }, () => {})
      receive({ ...refused, clientMessageId: `${id}-${count}` })
    }
    expect(outbox.texts()).toHaveLength(25)
    load()
    expect(outbox.texts()).toHaveLength(20)
    expect(outbox.texts().at(-1)).toMatchObject({ clientMessageId: `${id}-24` })
  })

  it.each(['not json', '{"texts":[{"content":7}]}', 'null'])('what nobody can read (%s) is nothing', (stored) => {
    sessionStorage.setItem('unsentMessages', stored)
    load()
    expect(outbox.texts()).toEqual([])
  })

  it('nothing is there where storage is full or switched off, and all goes on', () => {
    const fail = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    for (const name of ['setItem', 'getItem', 'removeItem'] as const) {
      vi.spyOn(Storage.prototype, name).mockImplementation(fail)
    }
    load()
    add()
    receive(refused)
    expect(outbox.texts()).toEqual([{ ...text, isFailed: true }])
  })
})
