import { type OwnerAnswer, OwnerCommand } from '@wangian/contracts/auction-wire.ts'
import { auctionCommandSubject, auctionPartition } from '@wangian/contracts/subjects.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'

export const SELLER_ID = 1_000_000
export const openingTerms = { startingPriceSen: 1000, incrementSen: 10 } as const

const DAY_MS = 86_400_000
const ORDERS_AT_ONCE_MAX = 250
const ANSWER_TIMEOUT_MS = 5000
const TRIES_MAX = 20
const RETRY_DELAY_MS = 100

/** Opens auctions by ordering them from their owners, as the auction service's HTTP side does. */
export class OpenedAuctions {
  readonly #nats: NatsConnection
  #nextId = 1

  constructor(nats: NatsConnection) {
    this.#nats = nats
  }

  /** Takes effect at once; resolves to the ids, which are consecutive. Bidding is open when this resolves. */
  async open(
    count: number,
    terms: { readonly endsInMs?: number; readonly reserveSen?: number | null } = {},
  ): Promise<number[]> {
    const ids = Array.from({ length: count }, () => this.#nextId++)
    for (let start = 0; start < count; start += ORDERS_AT_ONCE_MAX) {
      await Promise.all(ids.slice(start, start + ORDERS_AT_ONCE_MAX).map((auctionId) => this.#open(auctionId, terms)))
    }
    return ids
  }

  /** Leaves these ids to auctions that were made otherwise. */
  skipTo(nextId: number): void {
    this.#nextId = Math.max(this.#nextId, nextId)
  }

  async #open(auctionId: number, terms: { endsInMs?: number; reserveSen?: number | null }): Promise<void> {
    const nowMs = Date.now()
    const command: OwnerCommand = {
      kind: 'open',
      terms: {
        auctionId,
        productId: auctionId,
        sellerId: SELLER_ID,
        startingPriceSen: openingTerms.startingPriceSen,
        incrementSen: openingTerms.incrementSen,
        reserveSen: terms.reserveSen ?? null,
        buyNowSen: null,
        startsAt: new Date(nowMs - 60_000).toISOString(),
        endsAt: new Date(nowMs + (terms.endsInMs ?? DAY_MS)).toISOString(),
      },
      actorId: SELLER_ID,
      requestId: `rig-${auctionId}`,
    }
    const payload = JSON.stringify(OwnerCommand.parse(command))
    const subject = auctionCommandSubject(auctionPartition(auctionId))
    for (let attempt = 1; ; attempt++) {
      try {
        const message = await this.#nats.request(subject, payload, { timeout: ANSWER_TIMEOUT_MS })
        const answer = message.json<OwnerAnswer>()
        if (answer.ok) return
        throw new Error(`auction ${auctionId} was not opened: ${answer.code}`)
      } catch (error) {
        if (attempt === TRIES_MAX) throw error
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS))
      }
    }
  }
}
