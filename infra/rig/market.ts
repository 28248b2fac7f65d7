import { randomUUID } from 'node:crypto'
import { eventually } from '@wangian/kit/testing/eventually.ts'

const PASSWORD = 'correct horse'
const HOUR_MS = 60 * 60 * 1000
const listing = {
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
}

/** What the site answered; `body` is `null` when it is no JSON. */
export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: what it holds is for the test to say.
  readonly body: any
}

/** Somebody's socket, signed in. */
export interface Seat {
  readonly frames: readonly { readonly type: string; readonly code?: string }[]
  bid(auctionId: number, amount: number): void
  write(receiverId: number, content: string, productId?: number): void
  leave(): void
}

export type Market = ReturnType<typeof marketAt>

/** The system at this address as people use it, for tests that need people who list, bid and write. Addresses need no confirmation there. */
export function marketAt(url: string) {
  async function call(method: string, path: string, token?: string, body?: object): Promise<Answer> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, body: isJson ? JSON.parse(text) : null }
  }

  /** @throws when the answer is a refusal */
  async function succeed(method: string, path: string, token?: string, body?: object): Promise<Answer['body']> {
    const answer = await call(method, path, token, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  async function enter(path: string, email: string, password: string, more: object = {}): Promise<Trader> {
    const session = await succeed('POST', `/auth/v1/${path}`, undefined, { email, password, ...more })
    const exchange = { supabaseToken: session.access_token }
    const { token, user } = await succeed('POST', '/api/v1/auth/session', undefined, exchange)
    return { userId: user.id, username: user.username, token }
  }

  async function list({ token }: Trader, more: object = {}): Promise<number> {
    return (await succeed('POST', '/api/products', token, { ...listing, listingType: 'fixed', ...more })).id
  }

  return {
    call,
    succeed,
    list,
    register: (username: string) => enter('signup', `${username}@example.com`, PASSWORD, { data: { username } }),
    signIn: (email: string, password = PASSWORD) => enter('token?grant_type=password', email, password),
    closeAccount: ({ userId, token }: Trader) =>
      succeed('DELETE', `/api/user/${userId}`, token, { currentPassword: PASSWORD }),

    async openAuction(
      seller: Trader,
      { name = listing.name, endsInMs = HOUR_MS } = {},
    ): Promise<{ readonly productId: number; readonly auctionId: number }> {
      const productId = await list(seller, { name, listingType: 'auction' })
      const endsAt = new Date(Date.now() + endsInMs).toISOString()
      const terms = { productId, startingPrice: 10, bidIncrement: 1, endsAt }
      return { productId, auctionId: (await succeed('POST', '/api/auctions', seller.token, terms)).id }
    },

    async sitDown({ userId, token }: Trader): Promise<Seat> {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`)
      const frames: { type: string; code?: string }[] = []
      socket.addEventListener('message', ({ data }) => frames.push(JSON.parse(String(data))))
      const heard = (type: string) => eventually(() => frames.some((frame) => frame.type === type))
      const send = (frame: object) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
      }
      await heard('connected')
      send({ type: 'auth', token })
      await heard('auth_success')
      return {
        frames,
        bid: (auctionId, amount) => send({ type: 'placeBid', auctionId, userId, amount, bidId: randomUUID() }),
        write: (receiverId, content, productId) =>
          send({ type: 'send_message', receiverId, content, productId, clientMessageId: randomUUID() }),
        leave: () => socket.close(),
      }
    },
  }
}
