import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { describe, expect, it } from 'vitest'
import {
  conversationStream,
  decideReading,
  decideSending,
  type Exchange,
  productionLimits,
  type SendMessage,
} from './domain.ts'

const sentAt = '2026-11-22T08:00:00.000Z'
const command: SendMessage = { messageId: 9, senderId: 2, receiverId: 7, productId: 5, sentAt, isAutomatic: false }
const open: Exchange = {
  sender: 'here',
  receiver: 'here',
  isBlocked: false,
  isOpen: true,
  sentLately: 0,
  sentInMinute: 0,
  openedLately: 0,
  isNewcomer: false,
}

function refusalOf(change: Partial<SendMessage>, exchange: Partial<Exchange> = {}): ErrorCode | null {
  try {
    decideSending({ ...command, ...change }, { ...open, ...exchange }, productionLimits)
    return null
  } catch (error) {
    if (error instanceof Rejection) return error.code
    throw error
  }
}

describe('a message', () => {
  it('is sent', () => {
    expect(decideSending(command, open, productionLimits)).toEqual([
      {
        type: 'MessageSent',
        data: {
          messageId: 9,
          senderId: 2,
          receiverId: 7,
          productId: 5,
          kind: 'text',
          transactionId: null,
          actionType: null,
          sentAt,
        },
      },
    ])
  })

  it.each<[ErrorCode, Partial<SendMessage>, Partial<Exchange>]>([
    ['own-message', { receiverId: 2 }, {}],
    ['account-suspended', {}, { sender: 'banned' }],
    ['forbidden', {}, { sender: 'gone' }],
    ['user-not-found', {}, { receiver: 'unknown' }],
    ['user-gone', {}, { receiver: 'gone' }],
    ['blocked', {}, { isBlocked: true }],
    ['rate-limited', {}, { sentLately: 10 }],
    ['rate-limited', {}, { sentInMinute: 20 }],
    ['rate-limited', {}, { isOpen: false, openedLately: 20 }],
    ['rate-limited', {}, { isOpen: false, openedLately: 5, isNewcomer: true }],
  ])('is refused: %s', (code, change, exchange) => {
    expect(refusalOf(change, exchange)).toBe(code)
  })

  it('may be the last one within the limits', () => {
    expect(refusalOf({}, { sentLately: 9 })).toBeNull()
    expect(refusalOf({}, { isOpen: false, openedLately: 19 })).toBeNull()
    expect(refusalOf({}, { sentInMinute: 19 })).toBeNull()
    expect(refusalOf({}, { isOpen: false, openedLately: 4, isNewcomer: true })).toBeNull()
  })

  it('goes on where many conversations were begun', () => {
    expect(refusalOf({}, { isOpen: true, openedLately: 50 })).toBeNull()
  })

  it('of the product itself costs nothing of what people may send', () => {
    expect(
      refusalOf({ isAutomatic: true }, { isBlocked: true, isOpen: false, sentLately: 50, openedLately: 50 }),
    ).toBeNull()
    expect(refusalOf({ isAutomatic: true }, { receiver: 'gone' })).toBe('user-gone')
  })
})

describe('reading', () => {
  const reading = { readerId: 7, senderId: 2, readAt: sentAt }

  it('marks what is unread', () => {
    expect(decideReading(reading, [1, 4])).toEqual([{ type: 'MessagesRead', data: { ...reading, messageIds: [1, 4] } }])
  })

  it('of what is read already changes nothing', () => {
    expect(decideReading(reading, [])).toEqual([])
  })
})

it('has one stream for two people, whoever begins', () => {
  expect(conversationStream(7, 2)).toBe('conversation-2-7')
  expect(conversationStream(2, 7)).toBe('conversation-2-7')
})
