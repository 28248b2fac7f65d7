import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Message, messagingRoutes } from '@wangian/contracts/messaging.ts'
import { z } from 'zod'
import { inParallel } from './in-parallel.ts'
import type { Listed } from './listings.ts'
import type { People } from './people.ts'
import type { Person } from './site.ts'
import { connect, type Socket } from './socket.ts'

const Line = z.tuple([z.enum(['buyer', 'seller']), z.string()])

/** A deal of the demo, told in the order in which it happens. */
const Deal = z.strictObject({
  seller: z.string(),
  buyer: z.string(),
  /** What the seller's listing is called. */
  perfume: z.string(),
  /** What they write before the seller offers it. */
  before: z.array(Line).min(1),
  /** In ringgit, where it was agreed on. */
  amount: z.number().optional(),
  /** The step it waits for in the end, or how it has ended. */
  stage: z.enum(['purchase', 'payment', 'delivery', 'review', 'completed', 'cancelled']),
  /** What they write after that. */
  after: z.array(Line).default([]),
  review: z.strictObject({ rating: z.number(), comment: z.string() }).optional(),
})
export type Deal = z.infer<typeof Deal>

export const deals: readonly Deal[] = z
  .array(Deal)
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'deals.json'), 'utf8')))

const CONVERSATIONS_MAX = 8
/** Who takes the step of each card that is confirmed. */
const takers = [
  ['INITIATE', 'buyer'],
  ['CONFIRM_PAYMENT', 'seller'],
  ['CONFIRM_DELIVERY', 'buyer'],
] as const
const stepsUntil = { purchase: 0, cancelled: 0, payment: 1, delivery: 2, review: 3, completed: 3 } as const

const routes = messagingRoutes

/**
 * Has buyers and sellers talk and deal, in several conversations at once. What was said and done before is read first and not repeated, so
 * that an interrupted one goes on, and people may take over any deal.
 * @returns whether none failed
 */
export async function makeDeals(
  url: string,
  people: People,
  listed: readonly Listed[],
  log: (line: string) => void,
): Promise<boolean> {
  let failedCount = 0
  const sockets = new Map<string, Promise<Socket>>()
  const enter = async (username: string) => {
    const person = await people.find(username)
    if (person === null) return null
    const socket = sockets.get(username) ?? connect(url, person)
    sockets.set(username, socket)
    return { person, socket: await socket }
  }
  const known = deals.flatMap((deal) => {
    const found = listed.find(({ perfume }) => perfume.seller === deal.seller && perfume.name === deal.perfume)
    return found === undefined ? [] : [{ deal, productId: found.product.id }]
  })
  const conversations = Map.groupBy(known, ({ deal }) => `${deal.seller} ${deal.buyer}`)
  try {
    await inParallel(CONVERSATIONS_MAX, [...conversations.values()], async (told) => {
      for (const { deal, productId } of told) {
        const [buyer, seller] = [await enter(deal.buyer), await enter(deal.seller)]
        if (buyer === null || seller === null) continue
        await tell(deal, productId, { buyer, seller }).catch((error: Error) => {
          failedCount += 1
          log(`a deal of ${deal.seller} and ${deal.buyer} stays as it is: ${error.message}`)
        })
      }
    })
  } finally {
    for (const socket of sockets.values()) await socket.then((each) => each.close()).catch(() => {})
  }
  return failedCount === 0
}

interface Party {
  readonly person: Person
  readonly socket: Socket
}

async function tell(deal: Deal, productId: number, parties: Record<'buyer' | 'seller', Party>): Promise<void> {
  const { buyer, seller } = parties
  const path = routes.getConversation.path.replace(':userId', String(seller.person.userId))
  const said = await buyer.person.get(`${path}?productId=${productId}&limit=500`, routes.getConversation.answers[200])
  const [opening] = deal.before
  // They have come to speak of it in another way.
  if (said.length > 0 && !said.some(({ content }) => content === opening?.[1])) return
  let isNew = false
  const send = async (who: 'buyer' | 'seller', what: object): Promise<Message> => {
    isNew = true
    const receiver = who === 'buyer' ? seller : buyer
    const clientMessageId = crypto.randomUUID()
    const frame = { ...what, receiverId: receiver.person.userId, productId, clientMessageId }
    const answer = await parties[who].socket.ask(clientMessageId, frame)
    if (answer.type !== 'message_sent') throw new Error(answer.type === 'error' ? answer.message : answer.type)
    return answer.message
  }
  const write = async (lines: Deal['before']) => {
    for (const [who, content] of lines) {
      if (!said.some((message) => message.content === content)) await send(who, { type: 'send_message', content })
    }
  }
  const cardOf = (action: Message['actionType']) => said.find(({ actionType }) => actionType === action) ?? null

  await write(deal.before)
  const offer = { type: 'send_action_message', actionType: 'INITIATE', amount: deal.amount }
  let card: Message | null = cardOf('INITIATE') ?? (await send('seller', offer))
  const { transaction } = card
  for (const [action, who] of takers.slice(0, stepsUntil[deal.stage])) {
    if (card?.isClicked) {
      card = said.find(({ id, actionType }) => id > (card?.id ?? 0) && actionType !== null) ?? null
      continue
    }
    if (card?.actionType !== action) break
    isNew = true
    const body = { messageId: card.id }
    const taken: { next: Message | null } = await parties[who].person.post(
      routes.confirmAction.path,
      body,
      routes.confirmAction.answers[200],
    )
    card = taken.next
  }
  if (deal.review && card?.actionType === 'REVIEW' && !card.isClicked) {
    isNew = true
    const reviewPath = routes.submitReview.path.replace(':messageId', String(card.id))
    await buyer.person.post(reviewPath, deal.review, routes.submitReview.answers[200])
  }
  if (deal.stage === 'cancelled' && transaction?.isCancellable) {
    isNew = true
    const cancelPath = routes.cancelTransaction.path.replace(':transactionId', String(transaction.id))
    await seller.person.post(cancelPath, {}, routes.cancelTransaction.answers[200])
  }
  await write(deal.after)
  if (!isNew) return
  // Whoever wrote last has read what came before; the other one has something to read while the deal goes on.
  const lastWriter = deal.after.at(-1)?.[0]
  const isOver = deal.stage === 'completed'
  for (const [who, other] of [
    ['buyer', seller],
    ['seller', buyer],
  ] as const) {
    if (isOver || lastWriter === who) parties[who].socket.say({ type: 'mark_read', senderId: other.person.userId })
  }
}
