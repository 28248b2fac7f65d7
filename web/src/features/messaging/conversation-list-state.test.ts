import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { describe, expect, it } from 'vitest'
import { card, conversation, message } from '../../testing/fixtures.ts'
import { withFrame, withPage } from './conversation-list-state.ts'

const mei = { id: 4, username: 'mei', profileImage: null }
const withMei = conversation(message(5), { user: mei, unreadCount: 1 })
const withSarah = conversation(message(2, { senderId: 10 }))
const list = [withMei, withSarah]
const product = { id: 7, name: 'Oud Wood', price: 50, imageUrl: null, isRemoved: false }

describe('the list', () => {
  it('has the conversation first in which something is new, and counts it', () => {
    const news = message(6, { product, productId: 7 })
    const next = withFrame(list, { type: 'new_message', message: news }, 10)
    expect(next).toEqual([conversation(news, { unreadCount: 1, product }), withMei])
    // What comes twice, or late, changes nothing.
    expect(withFrame(next, { type: 'new_message', message: news }, 10)).toBe(next)
    expect(withFrame(next, { type: 'new_message', message: message(1) }, 10)).toBe(next)
  })

  it('does not count what one wrote oneself, and keeps what it is about', () => {
    const own = message(6, { senderId: 10 })
    const known = [conversation(message(2), { unreadCount: 1, product })]
    expect(withFrame(known, { type: 'message_sent', message: own }, 10)).toEqual([
      conversation(own, { unreadCount: 1, product }),
    ])
  })

  it('shows the card that follows a step, and counts it for who has to act', () => {
    const next = card(7, 'CONFIRM_DELIVERY')
    const frame: ServerFrame = { type: 'action_confirmed', message: card(6, 'CONFIRM_PAYMENT', { senderId: 10 }), next }
    expect(withFrame(list, frame, 10)[0]).toEqual(conversation(next, { unreadCount: 1, product: next.product }))
    expect(withFrame(list, { ...frame, next: null }, 10)).toBe(list)
  })

  it('begins with the first message of somebody', () => {
    const news = message(9)
    expect(withFrame([], { type: 'new_message', message: news }, 10)).toEqual([conversation(news, { unreadCount: 1 })])
  })

  it('counts no more what was read', () => {
    const unread = [conversation(message(8), { unreadCount: 2 })]
    const read: ServerFrame = { type: 'messages_read', readerId: 10, senderId: 3, messageIds: [7, 8] }
    expect(withFrame(unread, read, 10)).toMatchObject([{ unreadCount: 0, lastMessage: { isRead: true } }])
    const seenByOther: ServerFrame = { type: 'messages_read', readerId: 3, senderId: 10, messageIds: [2] }
    expect(withFrame(list, seenByOther, 10)[1]).toMatchObject({ unreadCount: 0, lastMessage: { isRead: true } })
  })

  it('takes a page in without forgetting the others', () => {
    const newer = conversation(message(9), { unreadCount: 3 })
    expect(withPage(list, [newer]).map(({ user, unreadCount }) => [user.username, unreadCount])).toEqual([
      ['sarah', 3],
      ['mei', 1],
    ])
  })
})
