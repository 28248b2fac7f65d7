import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { describe, expect, it } from 'vitest'
import { card, message, transaction } from '../../testing/fixtures.ts'
import { type ConversationNews, emptyConversation, reduceConversation } from './conversation-state.ts'

const after = (...news: ConversationNews[]) => news.reduce(reduceConversation, emptyConversation)
const frame = (frame: ServerFrame): ConversationNews => ({ type: 'frame', frame, otherId: 3 })
const loaded = (ids: readonly number[], nextCursor: string | null = null): ConversationNews => ({
  type: 'loaded',
  messages: ids.map((id) => message(id)),
  nextCursor,
})
const arrives = (id: number) => frame({ type: 'new_message', message: message(id) })
const ids = (state: ReturnType<typeof after>) => state.messages.map(({ id }) => id)

describe('messages', () => {
  it('are in the order of their ids, each once, whatever comes first', () => {
    expect(ids(after(loaded([1, 2]), arrives(4), arrives(3), arrives(4)))).toEqual([1, 2, 3, 4])
    expect(ids(after(arrives(4), loaded([3, 4])))).toEqual([3, 4])
  })

  it('of others belong to other conversations', () => {
    const stranger = message(9, { senderId: 8 })
    expect(ids(after(loaded([1]), frame({ type: 'new_message', message: stranger })))).toEqual([1])
  })

  it('are read, and stay so when older knowledge comes late', () => {
    const read = frame({ type: 'messages_read', readerId: 3, senderId: 10, messageIds: [1, 7] })
    const state = after(loaded([1, 2]), read, loaded([1, 2]))
    expect(state.messages.map(({ isRead }) => isRead)).toEqual([true, false])
  })

  it('before those at hand are put in front', () => {
    const older: ConversationNews = { type: 'loadedOlder', messages: [message(1), message(2)], nextCursor: null }
    const state = after(loaded([3, 4], '3'), older)
    expect([ids(state), state.nextCursor]).toEqual([[1, 2, 3, 4], null])
    // Loading the newest again does not forget that the rest is here.
    expect(after(loaded([3, 4], '3'), older, loaded([3, 4, 5], '3')).nextCursor).toBeNull()
  })

  it('behind a gap are left to the pages that follow', () => {
    const state = after(loaded([1, 2], null), loaded([8, 9], '8'))
    expect([ids(state), state.nextCursor]).toEqual([[8, 9], '8'])
  })
})

describe('what is sent', () => {
  it('in another tab is shown here, too', () => {
    expect(ids(after(loaded([1]), frame({ type: 'message_sent', message: message(5, { senderId: 10 }) })))).toEqual([
      1, 5,
    ])
  })
})

it('fails to load only while nothing is there', () => {
  expect(after({ type: 'loadFailed' }).status).toBe('failed')
  expect(after(loaded([1]), { type: 'loadFailed' }).status).toBe('ready')
})

describe('cards', () => {
  const stepOf = (id: number, fields: Parameters<typeof card>[2] = {}, next?: ReturnType<typeof card>) =>
    frame({ type: 'action_confirmed', message: card(id, 'INITIATE', { isClicked: true, ...fields }), next })
  const cards: ConversationNews = { type: 'loaded', messages: [card(1, 'INITIATE'), message(2)], nextCursor: null }
  const paid = transaction({ status: 'WAITING_DELIVERY', isCancellable: false })
  const delivery = card(3, 'CONFIRM_DELIVERY', { transaction: paid })

  it('are done once their step is taken, and bring the next one', () => {
    const state = after(cards, stepOf(1, {}, card(3, 'CONFIRM_PAYMENT')), stepOf(1, {}, card(3, 'CONFIRM_PAYMENT')))
    expect(state.messages.map(({ id, isClicked }) => [id, isClicked])).toEqual([
      [1, true],
      [2, false],
      [3, false],
    ])
    // Older knowledge that comes late takes nothing back.
    expect(after(cards, stepOf(1), cards).messages[0]?.isClicked).toBe(true)
  })

  it('of one deal agree on how far it is', () => {
    const state = after(cards, stepOf(3, { ...delivery, isClicked: false }))
    expect(state.messages.map((each) => each.transaction)).toEqual([paid, null, paid])
    expect(after(cards, stepOf(3, delivery), cards).messages[0]?.transaction).toEqual(paid)
    const shipped = { ...paid, isShipped: true }
    const before: ConversationNews = { type: 'loaded', messages: [delivery], nextCursor: null }
    const late = after(before, stepOf(3, { ...delivery, isClicked: false, transaction: shipped }), before)
    expect(late.messages[0]?.transaction).toEqual(shipped)
  })

  it('are all cancelled with their deal', () => {
    const cancelled = transaction({ status: 'CANCELLED', isCancellable: false })
    const state = after(cards, stepOf(1, {}, card(3, 'CONFIRM_PAYMENT')), { type: 'cancelled', transaction: cancelled })
    expect(state.messages.map((each) => each.transaction?.status)).toEqual(['CANCELLED', undefined, 'CANCELLED'])
    // What was asked for before that takes nothing back.
    const late = after(cards, { type: 'cancelled', transaction: cancelled }, cards)
    expect(late.messages[0]?.transaction).toEqual(cancelled)
  })

  it('of others belong to other conversations', () => {
    expect(after(cards, stepOf(9, { senderId: 8, receiverId: 10 })).messages).toHaveLength(2)
  })
})
