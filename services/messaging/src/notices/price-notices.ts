import { catalogueRequests, FAVORERS_AT_ONCE_MAX } from '@wangian/contracts/catalogue.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import type { EventHandlers } from '@wangian/kit/log/event-handlers.ts'
import type { Teller } from './teller.ts'

/** Whoever keeps a product as a favourite is told that it costs less. Catalogue is asked who that is now. */
export function priceNotices({ nats, teller }: { nats: NatsConnection; teller: Teller }): EventHandlers<'catalogue'> {
  return {
    PriceLowered: {
      async prepare({ data: { productId, sellerId, priceSen, formerPriceSen, loweredAt: at } }) {
        const userIds = await listFavorers(nats, productId)
        const tellings = userIds
          .filter((userId) => userId !== sellerId)
          .map((userId) => ({
            userId,
            topic: 'favorite' as const,
            topicId: productId,
            kind: 'price-drop' as const,
            otherId: sellerId,
            productId,
            price: { priceSen, formerPriceSen },
            at,
          }))
        return (transaction) => teller.tell(transaction, tellings)
      },
    },
  }
}

async function listFavorers(nats: NatsConnection, productId: number): Promise<number[]> {
  const all: number[] = []
  for (;;) {
    const asked = { productId, afterId: all.at(-1) ?? 0 }
    const { userIds } = await request(nats, 'catalogue', catalogueRequests.listFavorers, asked)
    all.push(...userIds)
    if (userIds.length < FAVORERS_AT_ONCE_MAX) return all
  }
}
