import { randomUUID } from 'node:crypto'
import type { Opened } from './auctions.ts'
import type { Person } from './site.ts'
import { connect } from './socket.ts'

/** Has two people outbid each other in auctions that have just opened, as often as each auction's plan says. */
export async function placeBids(
  url: string,
  people: readonly [Person, Person],
  opened: readonly Opened[],
): Promise<void> {
  const bidders = await Promise.all(people.map(async (person) => ({ person, socket: await connect(url, person) })))
  try {
    await Promise.all(
      opened.map(async ({ auction, plan }) => {
        let amount = auction.startingPrice
        for (let count = 0; count < plan.bidCount; count += 1) {
          // One to three increments, not always the same.
          amount += plan.incrementRinggit * (1 + ((auction.id + count * 2) % 3))
          const bidder = bidders[(count + auction.id) % bidders.length]
          const bidId = randomUUID()
          // Whatever the answer: somebody else may have been faster.
          await bidder?.socket.ask(bidId, {
            type: 'placeBid',
            auctionId: auction.id,
            userId: bidder.person.userId,
            amount,
            bidId,
          })
        }
      }),
    )
  } finally {
    for (const { socket } of bidders) socket.close()
  }
}
