import { people, siteUrl, tokenOf, type Who } from './site.ts'

/** Somebody who bids without a page. */
interface Bidder {
  /** @throws when the bid is refused */
  bid(auctionId: number, amount: number): Promise<void>
  close(): void
}

/** Lets somebody bid at once: an auction that ends soon does not wait until a busy machine has shown a page of it. */
export async function openBidding(who: Who): Promise<Bidder> {
  const token = await tokenOf(who)
  const socket = new WebSocket(new URL('/ws', siteUrl()).href.replace(/^http/, 'ws'))
  const waiting = new Map<string, () => void>()
  const failures: unknown[] = []
  /** What is sent, and the frame that says that it was done. */
  const ask = async (frame: object, done: string) => {
    const answered = Promise.withResolvers<void>()
    waiting.set(done, answered.resolve)
    waiting.set('error', () => answered.reject(new Error(`${people[who].username}: ${JSON.stringify(failures)}`)))
    socket.send(JSON.stringify(frame))
    await answered.promise
  }
  socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const frame = JSON.parse(data) as { type: string }
    if (frame.type === 'error') failures.push(frame)
    waiting.get(frame.type)?.()
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  await ask({ type: 'auth', token }, 'auth_success')
  return {
    bid: (auctionId, amount) => ask({ type: 'placeBid', auctionId, amount }, 'bidAccepted'),
    close: () => socket.close(),
  }
}
