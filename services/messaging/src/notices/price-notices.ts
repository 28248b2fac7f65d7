import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { EventHandlers } from '@wangian/kit/log/event-handlers.ts'
import { saveAnnouncements } from './announcement-store.ts'
import { listFavorers, tellNextFavorers } from './announcements.ts'
import type { Teller } from './teller.ts'

/** Whoever keeps a product as a favourite is told that it costs less. Catalogue is asked who that is now. */
export function priceNotices({ nats, teller }: { nats: NatsConnection; teller: Teller }): EventHandlers<'catalogue'> {
  return {
    PriceLowered: {
      async prepare({ data: { productId, sellerId, priceSen, formerPriceSen, loweredAt: at } }) {
        const first = { topicId: productId, toldUserId: 0 }
        const favorers = await listFavorers(nats, first)
        const announcement = {
          ...first,
          topic: 'favorite',
          audience: 'favorers',
          kind: 'price-drop',
          otherId: sellerId,
          productId,
          price: { priceSen, formerPriceSen },
          at,
          exceptIds: [sellerId],
        } as const
        return async (transaction) => {
          await saveAnnouncements(transaction, [announcement])
          await tellNextFavorers(transaction, teller.tell, announcement, favorers)
        }
      },
    },
  }
}
