import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import type { ListingFacts } from '@wangian/contracts/events/catalogue.ts'
import { messagingRequests } from '@wangian/contracts/messaging.ts'
import { decodeUserLive } from '@wangian/contracts/messaging-wire.ts'
import { userLiveSubject } from '@wangian/contracts/subjects.ts'
import { request, serveRequests } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { type EventConsumer, startConsumer } from '@wangian/kit/log/consumer.ts'
import { startPublishing } from '@wangian/kit/log/publishing.ts'
import type { Relay } from '@wangian/kit/log/relay.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { countUnread } from './conversations/conversation-store.ts'
import { liveHandlers } from './conversations/live.ts'
import { getMessage } from './conversations/message-store.ts'
import { insertMessages } from './conversations/sending-store.ts'
import { createSentRows } from './conversations/sent-rows.ts'
import { saveProducts, setPictures, setRemoved } from './people-store.ts'
import { serveMessaging } from './requests.ts'
import { BALA, introducePeople, MEI, migrationsDirectory, PRODUCT, SARAH } from './testing/fixtures.ts'

const OWN_ID = '0193a000-0000-7000-8000-00000000000a'

let database: TestDatabase
let nats: TestNats
let relay: Relay
let serving: { stop(): Promise<void> }
let showing: EventConsumer
const sentRows = createSentRows()

beforeAll(async () => {
  database = await createTestDatabase({ service: 'messaging', migrationsDirectory })
  nats = await startTestNats()
  const { pool, url: databaseUrl } = database
  const { connection } = nats
  relay = startPublishing({ service: 'messaging', databaseUrl, nats: connection })
  serving = serveMessaging({ nats: connection, pool, onAppended: () => relay.nudge(), sentRows, rateLimitFactor: 100 })
  showing = startConsumer({
    service: 'messaging',
    source: 'messaging',
    name: 'live',
    nats: connection,
    pool,
    bulkHandlers: liveHandlers(connection, sentRows),
  })
})
afterAll(async () => {
  await showing.stop()
  await serving.stop()
  await relay.stop()
  await nats.stop()
  await database.drop()
})
beforeEach(async () => {
  await emptyTables(database.pool, 'messages, message_texts, conversations, known_people, products')
  await introducePeople(database.pool)
})

const sendMessage = (fields: Partial<z.input<typeof messagingRequests.sendMessage.body>> = {}) =>
  request(nats.connection, 'messaging', messagingRequests.sendMessage, {
    senderId: BALA,
    senderName: 'bala',
    receiverId: SARAH,
    content: '  Is it still there? ',
    productId: PRODUCT,
    clientMessageId: OWN_ID,
    requestId: 'test',
    ...fields,
  })
const markRead = (readerId: number, what: { messageId: number } | { senderId: number }) =>
  request(nats.connection, 'messaging', messagingRequests.markRead, { readerId, what, requestId: 'test' })

/** A listing as catalogue tells it. */
const layton: ListingFacts & { imageUrls: string[] } = {
  productId: 80,
  sellerId: SARAH,
  name: 'Layton',
  brand: 'Parfums de Marly',
  description: 'Apple, vanilla and a warm wood.',
  priceSen: 51_250,
  categoryId: 4,
  listingType: 'fixed',
  stockQuantity: 1,
  remainingPercentage: 90,
  batchCode: null,
  purchaseYear: null,
  boxCondition: 'Good',
  volumeMl: 125,
  isNew: false,
  imageUrl: null,
  createdAt: '2026-11-22T08:00:00.000Z',
  imageUrls: ['layton-picture'],
}

/** What the sockets of somebody are shown from now on. */
function follow(userId: number) {
  const shown: { commandId: string | null; type: string; [field: string]: unknown }[] = []
  nats.connection.subscribe(userLiveSubject(userId), {
    callback: (_, message) => {
      const { commandId, frames } = decodeUserLive(message.string())
      for (const frame of frames) shown.push({ commandId, ...JSON.parse(frame) })
    },
  })
  return shown
}

describe('sending', () => {
  it('answers with the message, and shows it to both when it is committed', async () => {
    const [atSarahs, atBalas, atMeis] = [follow(SARAH), follow(BALA), follow(MEI)]
    await nats.connection.flush()
    const { message } = await sendMessage()
    expect(message).toMatchObject({ content: 'Is it still there?', sender: { username: 'bala' }, isRead: false })
    await eventually(() => expect([atSarahs.length, atBalas.length]).toEqual([2, 1]))
    expect(atSarahs).toEqual([
      { commandId: null, type: 'new_message', message },
      { commandId: null, type: 'unread_count', count: 1 },
    ])
    expect(atBalas).toEqual([{ commandId: OWN_ID, type: 'message_sent', message, clientMessageId: OWN_ID }])

    expect(await markRead(SARAH, { senderId: BALA })).toEqual({ messageIds: [message.id] })
    expect(await markRead(SARAH, { senderId: BALA })).toEqual({ messageIds: [] })
    await eventually(() => expect([atSarahs.length, atBalas.length]).toEqual([4, 2]))
    const read = { commandId: null, type: 'messages_read', readerId: SARAH, senderId: BALA, messageIds: [message.id] }
    expect(atSarahs.slice(2)).toEqual([read, { commandId: null, type: 'unread_count', count: 0 }])
    expect(atBalas.slice(1)).toEqual([read])
    expect(atMeis).toEqual([])
  })

  it('of very many that are read writes some at a time', async () => {
    const { pool } = database
    const ids = Array.from({ length: 1_200 }, (_, index) => index + 1)
    const sent = { senderId: BALA, receiverId: SARAH, productId: null, kind: 'text', transactionId: null } as const
    await insertMessages(
      pool,
      ids.map((messageId) => ({
        sent: { ...sent, messageId, actionType: null, sentAt: '2026-11-22T08:00:00.000Z' },
        commandId: null,
        content: 'So many',
      })),
    )
    expect(await markRead(SARAH, { senderId: BALA })).toEqual({ messageIds: ids.slice(0, 500) })
    expect(await countUnread(pool, SARAH)).toBe(0)
    const counts = await pool.anyFirst(sql.unsafe`
      select sum(jsonb_array_length(data -> 'messageIds'))::int from events
       where type = 'MessagesRead' and stream = 'conversation-2-5'
       group by tx order by tx desc limit 3`)
    expect(counts).toEqual([200, 500, 500])
  })

  it('shows the row that was read for the sender, and reads what is not there', async () => {
    const { pool } = database
    const shown = follow(SARAH)
    const contents = () => shown.flatMap(({ message }) => (message ? (message as { content: string }).content : []))
    await nats.connection.flush()
    const first = await sendMessage({ clientMessageId: '0193a000-0000-7000-8000-00000000000c' })
    await sendMessage({ clientMessageId: '0193a000-0000-7000-8000-00000000000d', content: 'And this?' })
    const sentBefore = createSentRows(() => 0)
    sentBefore.keep(
      first.message.id,
      Promise.resolve({ ...(await getMessage(pool, first.message.id)), content: 'Row' }),
    )
    await eventually(() => expect(contents()).toHaveLength(2))
    const again = startConsumer({
      service: 'messaging',
      source: 'messaging',
      name: 'live-again',
      nats: nats.connection,
      pool,
      bulkHandlers: liveHandlers(nats.connection, sentBefore),
    })
    await eventually(() => expect(contents().slice(2)).toEqual(expect.arrayContaining(['Row', 'And this?'])))
    await again.stop()
  })

  it('again with the same id answers the same', async () => {
    const clientMessageId = '0193a000-0000-7000-8000-00000000000b'
    const first = await sendMessage({ clientMessageId })
    expect(await sendMessage({ clientMessageId })).toEqual(first)
  })

  it('is refused with the reason', async () => {
    await expect(sendMessage({ receiverId: BALA })).rejects.toMatchObject({
      code: 'own-message',
      message: 'Cannot Message Yourself',
    })
    await expect(markRead(MEI, { messageId: 4711 })).rejects.toMatchObject({ code: 'message-not-found' })
  })

  it('about a listing that is not known yet asks catalogue', async () => {
    const catalogue = serveRequests(nats.connection, 'catalogue', catalogueRequests.getListing, ({ productId }) => ({
      listing: productId === 80 ? layton : null,
    }))
    await nats.connection.flush()
    const { message } = await sendMessage({ productId: 80, clientMessageId: '0193a000-0000-7000-8000-00000000000c' })
    expect(message.product).toEqual({
      id: 80,
      name: 'Layton',
      price: 512.5,
      imageUrl: 'layton-picture',
      isRemoved: false,
    })
    await expect(
      sendMessage({ productId: 81, clientMessageId: '0193a000-0000-7000-8000-00000000000d' }),
    ).rejects.toMatchObject({ code: 'product-not-found' })
    await catalogue.stop()
  })

  it('about a listing of which is heard meanwhile what is newer shows that', async () => {
    const catalogue = serveRequests(nats.connection, 'catalogue', catalogueRequests.getListing, async () => {
      await saveProducts(database.pool, [{ productId: 80, name: 'Layton Exclusif', priceSen: 60_000, imageUrl: null }])
      await setPictures(database.pool, [{ productId: 80, picture: 'newer-picture' }])
      return { listing: layton }
    })
    await nats.connection.flush()
    const { message } = await sendMessage({ productId: 80, clientMessageId: '0193a000-0000-7000-8000-00000000001c' })
    expect(message.product).toMatchObject({ name: 'Layton Exclusif', price: 600, imageUrl: 'newer-picture' })
    await catalogue.stop()
  })
})

it('about a listing that was taken away goes on where it was spoken of, and begins nowhere', async () => {
  await sendMessage()
  await setRemoved(database.pool, [PRODUCT])
  const { message } = await sendMessage({ senderId: SARAH, senderName: 'sarah', receiverId: BALA })
  expect(message.product).toMatchObject({ id: PRODUCT, name: 'Santal 33', isRemoved: true })
  const mei = { senderId: MEI, senderName: 'mei', clientMessageId: '0193a000-0000-7000-8000-00000000000f' }
  await expect(sendMessage(mei)).rejects.toMatchObject({ code: 'product-not-found' })
})

it('tells a conversation in its order', async () => {
  const { message } = await sendMessage({ clientMessageId: '0193a000-0000-7000-8000-00000000000e' })
  const conversation = (readerId: number, userId: number) =>
    request(nats.connection, 'messaging', messagingRequests.getConversation, { readerId, userId, productId: null })
  expect(await conversation(SARAH, BALA)).toEqual({ messages: [message] })
  expect(await conversation(MEI, BALA)).toEqual({ messages: [] })
})
