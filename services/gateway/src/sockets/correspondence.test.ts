import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { type Message, messagingRequests } from '@wangian/contracts/messaging.ts'
import { encodeUserLive } from '@wangian/contracts/messaging-wire.ts'
import { userLiveSubject } from '@wangian/contracts/subjects.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { createTestTokens, type TestTokens } from '@wangian/kit/testing/test-app.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { z } from 'zod'
import { startTestHub, type TestHub } from '../testing/test-hub.ts'
import type { TestSocket } from '../testing/test-socket.ts'
import { sessionLimits } from './session.ts'

const OWN_ID = '0193a000-0000-7000-8000-000000000001'
const BALA = 5
const SARAH = 2

type Command = z.infer<typeof messagingRequests.sendMessage.body>

const message: Message = {
  id: 9,
  senderId: BALA,
  receiverId: SARAH,
  content: 'Is it still there?',
  messageType: 'text',
  fileUrl: null,
  file_url: null,
  file: null,
  actionType: null,
  transaction: null,
  isRead: false,
  isClicked: false,
  createdAt: '2026-11-22T08:00:00.000Z',
  productId: null,
  sender: { id: BALA, username: 'bala', profileImage: null },
  receiver: { id: SARAH, username: 'sarah', profileImage: null },
  product: null,
  areLinksPlain: false,
}

let nats: TestNats
let tokens: TestTokens
let gateway: TestHub
const sockets: TestSocket[] = []
beforeAll(async () => {
  nats = await startTestNats()
  tokens = await createTestTokens()
})
afterAll(() => nats.stop())
beforeEach(async () => {
  gateway = await startTestHub({ nats: nats.connection, auth: tokens.authenticator })
})
afterEach(async () => {
  await Promise.all(sockets.splice(0).map((socket) => socket.end()))
  await gateway.stop()
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

async function signedIn(id: number): Promise<TestSocket> {
  const socket = await gateway.connectAs(await tokens.tokenFor({ id, username: `user${id}` }))
  sockets.push(socket)
  return socket
}

const servers: { stop(): Promise<void> }[] = []

/** Messaging, as far as sockets know it. */
async function playMessaging(
  answer: (command: Command) => Message | Promise<Message> = (command) => ({ ...message, content: command.content }),
) {
  const commands: Command[] = []
  const reads: z.infer<typeof messagingRequests.markRead.body>[] = []
  const questions: z.infer<typeof messagingRequests.getConversation.body>[] = []
  servers.push(
    serveRequests(nats.connection, 'messaging', messagingRequests.sendMessage, async (command) => {
      commands.push(command)
      return { message: await answer(command) }
    }),
    serveRequests(nats.connection, 'messaging', messagingRequests.markRead, (command) => {
      reads.push(command)
      if ('messageId' in command.what) throw new Rejection('message-not-found')
      return { messageIds: [9] }
    }),
    serveRequests(nats.connection, 'messaging', messagingRequests.getConversation, (question) => {
      questions.push(question)
      return { messages: [message] }
    }),
  )
  await nats.connection.flush()
  return { commands, reads, questions }
}

async function show(userId: number, commandId: string | null, ...frames: object[]): Promise<void> {
  const text = encodeUserLive({ commandId, frames: frames.map((frame) => JSON.stringify(frame)) })
  nats.connection.publish(userLiveSubject(userId), text)
  await nats.connection.flush()
}

const sendMessage = { type: 'send_message', receiverId: SARAH, content: ' Is it still there? ' }

describe('send_action_message', () => {
  const offer = { type: 'send_action_message', receiverId: BALA, productId: 11, actionType: 'INITIATE' }

  it('starts a deal in the name that the token says', async () => {
    const asked: z.infer<typeof messagingRequests.startDeal.body>[] = []
    const card: Message = {
      ...message,
      senderId: SARAH,
      receiverId: BALA,
      messageType: 'ACTION',
      actionType: 'INITIATE',
    }
    servers.push(
      serveRequests(nats.connection, 'messaging', messagingRequests.startDeal, (start) => {
        asked.push(start)
        if (start.productId === 12) throw new Rejection('action-not-allowed')
        return { message: card }
      }),
    )
    await nats.connection.flush()
    const socket = await signedIn(SARAH)
    socket.send({ ...offer, amount: 600.5, clientMessageId: OWN_ID, senderId: BALA })
    expect(await socket.nextOf('message_sent')).toEqual({
      type: 'message_sent',
      message: card,
      clientMessageId: OWN_ID,
    })
    const names = { sellerId: SARAH, sellerName: 'user2', buyerId: BALA, productId: 11, clientMessageId: OWN_ID }
    expect(asked).toEqual([{ ...names, amountSen: 60_050, requestId: expect.any(String) }])
    socket.send({ ...offer, productId: 12 })
    expect(await socket.nextOf('error')).toMatchObject({ code: 'action-not-allowed', message: 'Action Not Allowed' })
  })

  it.each<[ErrorCode, object]>([
    ['action-not-allowed', { actionType: 'REVIEW' }],
    ['action-not-allowed', { actionType: 'CONFIRM_PAYMENT' }],
    ['invalid-amount', { amount: 0 }],
    ['invalid-amount', { amount: -5 }],
    ['invalid-amount', { amount: 0.001 }],
    ['invalid-amount', { amount: '600' }],
    ['bad-request', { actionType: 'BRIBE' }],
  ])('is refused, and not passed on: %s', async (code, change) => {
    const socket = await signedIn(SARAH)
    socket.send({ ...offer, ...change })
    expect(await socket.nextOf('error')).toMatchObject({ code })
  })

  it('is for who is signed in', async () => {
    const socket = await gateway.connect()
    sockets.push(socket)
    socket.send(offer)
    expect(await socket.nextOf('error')).toMatchObject({ code: 'authentication-required' })
  })
})

describe('send_message', () => {
  it('is sent in the name that the token says, and answered', async () => {
    const { commands } = await playMessaging()
    const socket = await signedIn(BALA)
    socket.send({ ...sendMessage, productId: 11, clientMessageId: OWN_ID, senderId: BALA })
    expect(await socket.nextOf('message_sent')).toEqual({ type: 'message_sent', message, clientMessageId: OWN_ID })
    expect(commands).toEqual([
      {
        senderId: BALA,
        senderName: 'user5',
        receiverId: SARAH,
        content: 'Is it still there?',
        productId: 11,
        clientMessageId: OWN_ID,
        requestId: expect.any(String),
      },
    ])
  })

  it('gets an id when it has none', async () => {
    const { commands } = await playMessaging()
    const socket = await signedIn(BALA)
    socket.send(sendMessage)
    expect(await socket.nextOf('message_sent')).not.toHaveProperty('clientMessageId')
    expect(commands[0]?.clientMessageId).toMatch(/^[\da-f-]{36}$/)
  })

  it('keeps its place among others', async () => {
    const { commands } = await playMessaging(async (command) => {
      if (command.content === '1') await nats.connection.flush()
      return { ...message, content: command.content }
    })
    const socket = await signedIn(BALA)
    for (const content of ['1', '2', '3', '4']) socket.send({ ...sendMessage, content })
    for (const content of ['1', '2', '3', '4']) {
      expect((await socket.nextOf('message_sent')).message.content).toBe(content)
    }
    expect(commands.map(({ content }) => content)).toEqual(['1', '2', '3', '4'])
  })

  it.each([
    ['forbidden', { senderId: SARAH }, 'You are not allowed to do this.'],
    ['bad-request', { content: '  ' }, 'Please write a message'],
    ['bad-request', { content: '\u200B \u2800' }, 'Please write a message'],
    ['bad-request', { content: 'x'.repeat(2001) }, 'A message has at most 2000 characters'],
    ['bad-request', { content: 7 }, expect.any(String)],
  ] as const)('is refused: %s', async (code, fields, text) => {
    const { commands } = await playMessaging()
    const socket = await signedIn(BALA)
    socket.send({ ...sendMessage, clientMessageId: OWN_ID, ...fields })
    const about = { clientMessageId: OWN_ID }
    expect(await socket.nextOf('error')).toEqual({ type: 'error', code, message: text, ...about })
    expect(commands).toEqual([])
  })

  it('is refused in the words of messaging', async () => {
    await playMessaging(() => {
      throw new Rejection('own-message')
    })
    const socket = await signedIn(BALA)
    socket.send({ ...sendMessage, clientMessageId: OWN_ID })
    expect(await socket.nextOf('error')).toEqual({
      type: 'error',
      code: 'own-message',
      message: 'Cannot Message Yourself',
      clientMessageId: OWN_ID,
    })
  })

  it('says so when messaging is away, and works when it is back', async () => {
    const socket = await signedIn(BALA)
    socket.send({ ...sendMessage, clientMessageId: OWN_ID })
    expect(await socket.nextOf('error')).toEqual({
      type: 'error',
      code: 'unavailable',
      message: 'Failed to send your message. Please try again.',
      clientMessageId: OWN_ID,
    })
    await playMessaging()
    socket.send({ ...sendMessage, clientMessageId: OWN_ID })
    await socket.nextOf('message_sent')
  })
})

describe('mark_read', () => {
  it('is passed on in the name that the token says', async () => {
    const { reads } = await playMessaging()
    const socket = await signedIn(SARAH)
    socket.send({ type: 'mark_read', senderId: BALA })
    await eventually(() => expect(reads).toMatchObject([{ readerId: SARAH, what: { senderId: BALA } }]))
    socket.send({ type: 'mark_read', messageId: 9 })
    expect(await socket.nextOf('error')).toMatchObject({ code: 'message-not-found' })
  })

  it('needs something to mark', async () => {
    const socket = await signedIn(SARAH)
    socket.send({ type: 'mark_read' })
    expect(await socket.nextOf('error')).toMatchObject({ code: 'bad-request' })
  })
})

it('get_conversation is answered with the conversation', async () => {
  const { questions } = await playMessaging()
  const socket = await signedIn(SARAH)
  socket.send({ type: 'get_conversation', userId: BALA })
  const answer = { type: 'conversation', userId: BALA, productId: null, messages: [message] }
  expect(await socket.nextOf('conversation')).toEqual(answer)
  expect(questions).toEqual([{ readerId: SARAH, userId: BALA, productId: null }])
})

it('get_conversation is for one person, on whatever sockets, asked now and then', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { limit } = sessionLimits.conversations
  const { questions } = await playMessaging()
  const [first, second, ofBala] = [await signedIn(SARAH), await signedIn(SARAH), await signedIn(BALA)]
  for (let count = 0; count < limit; count++) {
    const socket = count % 2 === 0 ? first : second
    socket.send({ type: 'get_conversation', userId: BALA })
    await socket.nextOf('conversation')
  }
  second.send({ type: 'get_conversation', userId: BALA })
  expect(await second.nextOf('error')).toMatchObject({ code: 'rate-limited', userId: BALA })
  ofBala.send({ type: 'get_conversation', userId: SARAH })
  await ofBala.nextOf('conversation')
  expect(questions).toHaveLength(limit + 1)
})

it.each<[ErrorCode, object]>([
  ['authentication-required', sendMessage],
  ['authentication-required', { type: 'mark_read', senderId: BALA }],
  ['authentication-required', { type: 'get_conversation', userId: BALA }],
])('a guest is refused: %s', async (code, frame) => {
  const { commands, reads, questions } = await playMessaging()
  const socket = await gateway.connect()
  sockets.push(socket)
  socket.send(frame)
  expect(await socket.nextOf('error')).toMatchObject({ code, message: 'Authentication Required' })
  expect([commands, reads, questions]).toEqual([[], [], []])
})

/** Frames are taken in their order: what was sent before this one has come when it is answered. */
async function untilAsked(socket: TestSocket): Promise<void> {
  socket.send({ type: 'joinAuction', auctionId: 1 })
  await socket.nextOf('auctionJoined')
}

describe('a gateway that stops', () => {
  it('still has done what its sockets have asked for, the closed ones, too', async () => {
    const isFree = Promise.withResolvers<void>()
    const { commands, reads } = await playMessaging(async (command) => {
      await isFree.promise
      return { ...message, content: command.content }
    })
    const [staying, leaving] = [await signedIn(BALA), await signedIn(SARAH)]
    for (const socket of [staying, leaving]) {
      socket.send(sendMessage)
      socket.send({ type: 'mark_read', senderId: 7 })
      await untilAsked(socket)
    }
    await leaving.end()
    await eventually(() => gateway.hub.size === 1)

    const stopped = gateway.hub.stop()
    await staying.closed()
    isFree.resolve()
    await stopped
    expect(commands).toHaveLength(2)
    expect(reads.map(({ readerId }) => readerId).sort()).toEqual([SARAH, BALA])
  })

  it('does not wait for long when nobody does it', async () => {
    const isFree = Promise.withResolvers<Message>()
    await playMessaging(() => isFree.promise)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const socket = await signedIn(BALA)
    for (let count = 0; count < 5; count++) socket.send(sendMessage)
    await untilAsked(socket)
    const stopped = gateway.hub.stop()
    await eventually(() => gateway.hub.size === 0)
    vi.advanceTimersByTime(3000)
    await stopped
    isFree.resolve(message)
  })
})

describe('what is for a person', () => {
  it('comes to all their sockets, and to nobody else', async () => {
    const [first, second, other] = [await signedIn(SARAH), await signedIn(SARAH), await signedIn(BALA)]
    await nats.connection.flush()
    await show(SARAH, null, { type: 'new_message', message }, { type: 'unread_count', count: 3 })
    for (const socket of [first, second]) {
      expect(await socket.nextOf('new_message')).toEqual({ type: 'new_message', message })
      expect(await socket.nextOf('unread_count')).toEqual({ type: 'unread_count', count: 3 })
    }
    await show(BALA, null, { type: 'unread_count', count: 1 })
    expect(await other.nextOf('unread_count')).toMatchObject({ count: 1 })
  })

  it('comes once to the socket that caused it', async () => {
    await playMessaging()
    const [first, second] = [await signedIn(BALA), await signedIn(BALA)]
    first.send({ ...sendMessage, clientMessageId: OWN_ID })
    await first.nextOf('message_sent')
    await show(BALA, OWN_ID, { type: 'message_sent', message, clientMessageId: OWN_ID })
    await show(BALA, null, { type: 'unread_count', count: 0 })
    expect(await second.nextOf('message_sent')).toMatchObject({ message: { id: 9 } })
    await second.nextOf('unread_count')
    await first.nextOf('unread_count')
  })

  describe('when messaging has no answer for the socket that caused it', () => {
    let answer: PromiseWithResolvers<Message>
    beforeEach(async () => {
      answer = Promise.withResolvers<Message>()
      await playMessaging(() => answer.promise)
    })
    afterEach(() => answer.resolve(message))
    const sent = { type: 'message_sent', message, clientMessageId: OWN_ID }

    it('comes to that socket, too, whenever it comes', async () => {
      const socket = await signedIn(BALA)
      socket.send({ ...sendMessage, clientMessageId: OWN_ID })
      expect(await socket.nextOf('error')).toMatchObject({ code: 'unavailable', clientMessageId: OWN_ID })
      await show(BALA, OWN_ID, sent)
      expect(await socket.nextOf('message_sent')).toEqual(sent)
    })

    it('is the answer if it has come before', async () => {
      const socket = await signedIn(BALA)
      socket.send({ ...sendMessage, clientMessageId: OWN_ID })
      await untilAsked(socket)
      await show(BALA, OWN_ID, sent)
      expect(await socket.next()).toEqual(sent)
    })
  })

  it('is listened to only while they have a socket', async () => {
    const [first, second] = [await signedIn(SARAH), await signedIn(SARAH)]
    expect(gateway.channels.size).toBe(1)
    await first.end()
    await second.end()
    await eventually(() => expect(gateway.channels.size).toBe(0))
  })

  it('may be lost while the bus is away, and who is signed in is told so that they read it', async () => {
    const [first, second, other] = [await signedIn(SARAH), await signedIn(SARAH), await signedIn(BALA)]
    const guest = await gateway.connect()
    sockets.push(guest)
    await gateway.channels.resync()
    for (const socket of [first, second]) expect(await socket.next()).toEqual({ type: 'auth_success', userId: SARAH })
    expect(await other.next()).toEqual({ type: 'auth_success', userId: BALA })
    guest.send({ type: 'joinAuction', auctionId: 1 })
    expect(await guest.next()).toMatchObject({ type: 'auctionJoined' })
  })

  it('is not passed on when it is no message of ours', async () => {
    const socket = await signedIn(SARAH)
    await nats.connection.flush()
    nats.connection.publish(userLiveSubject(SARAH), 'nonsense')
    await show(SARAH, null, { type: 'unread_count', count: 2 })
    expect(await socket.nextOf('unread_count')).toMatchObject({ count: 2 })
  })
})
