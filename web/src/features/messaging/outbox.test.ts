import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LiveSocket } from '../../live/live-socket.ts'
import { message } from '../../testing/fixtures.ts'
import { type Answer, Outbox } from './outbox.ts'

const id = '0193a000-0000-7000-8000-000000000001'
const text = { clientMessageId: id, senderId: 10, receiverId: 3, content: 'Hello', productId: null }
const sent = { type: 'message_sent', message: message(5, { senderId: 10 }), clientMessageId: id } as const
const refused = { type: 'error', code: 'unavailable', message: 'No', clientMessageId: id } as const

let receive: (frame: ServerFrame) => void
let outbox: Outbox
let answers: Answer[]
beforeEach(() => {
  vi.useFakeTimers()
  answers = []
  outbox = new Outbox({
    onFrame: (listener: typeof receive) => {
      receive = listener
    },
  } as unknown as LiveSocket)
})
afterEach(() => {
  vi.useRealTimers()
})
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
