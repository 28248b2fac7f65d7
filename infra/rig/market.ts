import { randomUUID } from 'node:crypto'
import { eventually } from '@wangian/kit/testing/eventually.ts'

/** Everybody's who registers here. */
export const PASSWORD = 'correct horse'
const HOUR_MS = 60 * 60 * 1000
/** Whoever has no answer then asks again, within what a test waits. */
const ANSWERED = { timeoutMs: 10_000 }
/** What people list here, but for how it is sold. */
export const listing = {
  name: 'Santal 33',
  brand: 'Le Labo',
  description: 'Cardamom, iris and a lot of sandalwood.',
  price: 680.5,
  categoryId: 4,
  stockQuantity: 1,
  remainingPercentage: 85,
  purchaseYear: 2023,
  boxCondition: 'Good',
  batchCode: 'LL2301',
  volume: 100,
}

/** Somebody who is signed in. */
export interface Trader {
  readonly userId: number
  readonly username: string
  readonly token: string
  /** What the identity provider gave for it. */
  readonly provider: { readonly accessToken: string; readonly refreshToken: string }
}

/** What the site answered; `body` is `null` when it is no JSON. */
export interface Answer {
  readonly status: number
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what it holds is for the test to say.
  readonly body: any
}

interface Frame {
  readonly type: string
  readonly code?: string
  readonly clientMessageId?: string
  readonly message?: unknown
}

/** A socket, with what it has heard. */
export interface Line {
  readonly frames: readonly Frame[]
  readonly closed: Promise<{ readonly code: number; readonly reason: string; readonly atMs: number }>
  /** Waits until a frame of this type has come. */
  heard(type: string): Promise<unknown>
  isOpen(): boolean
  /** Says nothing when it is closed. */
  send(frame: object): void
  leave(): void
}

/** Somebody's socket, signed in. */
export interface Seat extends Line {
  bid(auctionId: number, amount: number): void
  write(receiverId: number, content: string, productId?: number): void
  /** Starts a deal about what this one sells; resolves when the card is there. */
  offer(buyerId: number, productId: number): Promise<Card>
}

/** What asks the buyer, or the seller, for the next step of a deal. */
export interface Card {
  readonly messageId: number
  readonly transactionId: number
}

export type Market = ReturnType<typeof marketAt>

/** The system at this address as people use it, for tests that need people who list, bid and write. Addresses need no confirmation there. */
export function marketAt(url: string) {
  async function call(method: string, path: string, token?: string, body?: object): Promise<Answer> {
    const isForm = body instanceof FormData
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, text, body: isJson ? JSON.parse(text) : null }
  }

  /** @throws when the answer is a refusal */
  async function succeed(method: string, path: string, token?: string, body?: object): Promise<Answer['body']> {
    const answer = await call(method, path, token, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }

  async function enter(path: string, email: string, password: string, more: object = {}): Promise<Trader> {
    const session = await succeed('POST', `/auth/v1/${path}`, undefined, { email, password, ...more })
    const exchange = { supabaseToken: session.access_token }
    const { token, user } = await succeed('POST', '/api/v1/auth/session', undefined, exchange)
    const provider = { accessToken: session.access_token, refreshToken: session.refresh_token }
    return { userId: user.id, username: user.username, token, provider }
  }

  async function list({ token }: Trader, more: object = {}): Promise<number> {
    return (await succeed('POST', '/api/products', token, { ...listing, listingType: 'fixed', ...more })).id
  }

  async function connect(): Promise<Line> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`)
    const frames: Frame[] = []
    const closed = new Promise<{ code: number; reason: string; atMs: number }>((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason, atMs: performance.now() }))
    })
    socket.addEventListener('message', ({ data }) => frames.push(JSON.parse(String(data))))
    const heard = async (type: string) => {
      const isThere = () => frames.some((frame) => frame.type === type)
      // What has not come on a socket that is closed never comes.
      await eventually(() => isThere() || socket.readyState === WebSocket.CLOSED, ANSWERED)
      if (!isThere()) throw new Error(`closed before ${type}`)
    }
    const isOpen = () => socket.readyState === WebSocket.OPEN
    await heard('connected')
    return {
      frames,
      closed,
      heard,
      isOpen,
      send: (frame) => {
        if (isOpen()) socket.send(JSON.stringify(frame))
      },
      leave: () => socket.close(),
    }
  }

  return {
    call,
    succeed,
    list,
    connect,
    register: (username: string, email = `${username}@example.com`) =>
      enter('signup', email, PASSWORD, { data: { username } }),
    signIn: (email: string, password = PASSWORD) => enter('token?grant_type=password', email, password),
    /** Takes the step that a card asks for. */
    confirm: ({ token }: Trader, { messageId }: Pick<Card, 'messageId'>) =>
      call('POST', '/api/messages/action/confirm', token, { messageId }),
    callOff: ({ token }: Trader, { transactionId }: Card) =>
      call('POST', `/api/messages/transactions/${transactionId}/cancel`, token),
    review: ({ token }: Trader, { messageId }: Pick<Card, 'messageId'>, rating = 4.5) =>
      call('POST', `/api/messages/submit-review/${messageId}`, token, { rating, comment: 'Well packed.' }),
    closeAccount: ({ userId, token }: Trader) =>
      succeed('DELETE', `/api/user/${userId}`, token, { currentPassword: PASSWORD }),

    async openAuction(
      seller: Trader,
      {
        name = listing.name,
        endsInMs = HOUR_MS,
        ...more
      }: { name?: string; endsInMs?: number; reservePrice?: number; buyNowPrice?: number } = {},
    ): Promise<{ readonly productId: number; readonly auctionId: number }> {
      const productId = await list(seller, { name, listingType: 'auction' })
      const endsAt = new Date(Date.now() + endsInMs).toISOString()
      const terms = { productId, startingPrice: 10, bidIncrement: 1, endsAt, ...more }
      return { productId, auctionId: (await succeed('POST', '/api/auctions', seller.token, terms)).id }
    },

    async sitDown({ userId, token }: Pick<Trader, 'userId' | 'token'>): Promise<Seat> {
      const line = await connect()
      line.send({ type: 'auth', token })
      await line.heard('auth_success')
      return {
        ...line,
        bid: (auctionId, amount) => line.send({ type: 'placeBid', auctionId, userId, amount, bidId: randomUUID() }),
        write: (receiverId, content, productId) =>
          line.send({ type: 'send_message', receiverId, content, productId, clientMessageId: randomUUID() }),
        offer: async (receiverId, productId) => {
          const answer = await eventually(async () => {
            const clientMessageId = randomUUID()
            const card = { type: 'send_action_message', actionType: 'INITIATE', receiverId, productId, clientMessageId }
            line.send(card)
            const found = await eventually(
              () => line.frames.find((one) => one.clientMessageId === clientMessageId) ?? false,
              ANSWERED,
            )
            // Whoever has just registered is heard of there a moment later.
            return found.code === 'user-not-found' ? false : found
          })
          if (answer.type !== 'message_sent') throw new Error(`no deal: ${JSON.stringify(answer)}`)
          const { id, transaction } = answer.message as { id: number; transaction: { id: number } }
          return { messageId: id, transactionId: transaction.id }
        },
      }
    },
  }
}
