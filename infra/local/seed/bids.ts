import { randomUUID } from 'node:crypto'
import { ServerFrame } from '@wangian/contracts/frames.ts'
import type { Opened } from './auctions.ts'
import type { Person } from './site.ts'

const SOCKET_TIMEOUT_MS = 5_000
const BID_TIMEOUT_MS = 3_000

/** Has two people outbid each other in auctions that have just opened, as often as each auction's plan says. */
export async function placeBids(
  url: string,
  people: readonly [Person, Person],
  opened: readonly Opened[],
): Promise<void> {
  const bidders = await Promise.all(people.map((person) => connectBidder(url, person)))
  try {
    await Promise.all(
      opened.map(async ({ auction, plan }) => {
        let amount = auction.startingPrice
        for (let count = 0; count < plan.bidCount; count += 1) {
          // One to three increments, not always the same.
          amount += plan.incrementRinggit * (1 + ((auction.id + count * 2) % 3))
          const bidder = bidders[(count + auction.id) % bidders.length]
          await bidder?.bid(auction.id, amount)
        }
      }),
    )
  } finally {
    for (const bidder of bidders) bidder.close()
  }
}

interface Bidder {
  /** Resolves when the bid was answered, whatever the answer: somebody else may have been faster. */
  bid(auctionId: number, amount: number): Promise<void>
  close(): void
}

async function connectBidder(url: string, person: Person): Promise<Bidder> {
  const socket = new WebSocket(new URL('/ws', url.replace(/^http/, 'ws')))
  const answered = new Map<string, () => void>()
  const signedIn = Promise.withResolvers<void>()
  socket.addEventListener('open', () => socket.send(JSON.stringify({ type: 'auth', token: person.token })))
  socket.addEventListener('close', () => signedIn.reject(new Error('the socket was closed')))
  socket.addEventListener('message', ({ data }) => {
    const frame = ServerFrame.safeParse(JSON.parse(String(data))).data
    if (frame?.type === 'auth_success') signedIn.resolve()
    if (frame?.type === 'error' && frame.bidId === undefined) signedIn.reject(new Error(frame.message))
    if ((frame?.type === 'bidAccepted' || frame?.type === 'error') && frame.bidId !== undefined) {
      answered.get(frame.bidId)?.()
    }
  })
  await within(SOCKET_TIMEOUT_MS, signedIn.promise)
  return {
    async bid(auctionId, amount) {
      const bidId = randomUUID()
      const answer = new Promise<void>((resolve) => answered.set(bidId, resolve))
      socket.send(JSON.stringify({ type: 'placeBid', auctionId, userId: person.userId, amount, bidId }))
      await within(BID_TIMEOUT_MS, answer)
    },
    close: () => socket.close(),
  }
}

async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
