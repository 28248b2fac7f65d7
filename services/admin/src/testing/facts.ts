import type { CatalogueEvent, ListingFacts } from '@wangian/contracts/events/catalogue.ts'
import type { IdentityEvent } from '@wangian/contracts/events/identity.ts'
import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'

export const [SARAH, HAFIZ, BALA, MEI] = [7, 8, 20, 21] as const

/** A minute of the day on which everything happens. */
export const at = (minute: number) => new Date(Date.UTC(2026, 10, 22, 8, minute)).toISOString()

export function registered(userId: number): IdentityEvent {
  return { type: 'UserRegistered', data: { userId, isSeller: true, isAdmin: false, registeredAt: at(0) } }
}

const listing: ListingFacts = {
  productId: 1,
  sellerId: SARAH,
  name: 'Santal 33',
  brand: 'Le Labo',
  description: 'Cardamom, iris and a lot of sandalwood.',
  priceSen: 68_050,
  categoryId: 4,
  listingType: 'fixed',
  stockQuantity: 1,
  remainingPercentage: 85,
  batchCode: null,
  purchaseYear: 2023,
  boxCondition: 'Good',
  volumeMl: 100,
  isNew: false,
  imageUrl: null,
  createdAt: at(0),
}

export function listed(facts: Partial<ListingFacts> = {}): CatalogueEvent {
  return { type: 'ListingCreated', data: { ...listing, ...facts } }
}

export function updated(facts: Partial<ListingFacts> = {}): CatalogueEvent {
  const { createdAt: _, ...rest } = { ...listing, ...facts }
  return { type: 'ListingUpdated', data: { ...rest, updatedAt: at(1) } }
}

interface Holder {
  readonly productId: number
  readonly transactionId: number | null
  readonly auctionId: number | null
}

const bottle = { sellerId: SARAH, name: 'Santal 33', buyerId: BALA }

export function reserved(holder: Holder): CatalogueEvent {
  return { type: 'ListingReserved', data: { ...bottle, ...holder, amountSen: 100, reservedAt: at(2) } }
}

export function sold(holder: Holder & { readonly transactionId: number }, stockQuantity: number): CatalogueEvent {
  return { type: 'ListingSold', data: { ...bottle, ...holder, amountSen: 100, stockQuantity, soldAt: at(3) } }
}

export function released(
  holder: Holder,
  {
    stockQuantity = 1,
    isKept = false,
    wasSold = false,
  }: { stockQuantity?: number; isKept?: boolean; wasSold?: boolean } = {},
): CatalogueEvent {
  const what = { stockQuantity, isKept, wasSold, reason: 'cancelled', releasedAt: at(4) } as const
  return { type: 'ListingReleased', data: { ...bottle, ...holder, ...what } }
}

type OrderFacts = Omit<Extract<MessagingEvent, { type: 'OrderPlaced' }>['data'], 'placedAt'>

/** A purchase that was confirmed in that minute. */
export function placed(
  orderId: number,
  { minute = 0, ...facts }: Partial<OrderFacts> & { minute?: number } = {},
): MessagingEvent {
  return { type: 'OrderPlaced', data: { ...orderFacts(orderId, facts), placedAt: at(minute) } }
}

export function moved(
  orderId: number,
  status: 'processing' | 'shipped' | 'delivered' | 'cancelled',
  { minute = 10, ...facts }: Partial<OrderFacts> & { minute?: number } = {},
): MessagingEvent {
  return { type: 'OrderStatusChanged', data: { ...orderFacts(orderId, facts), status, changedAt: at(minute) } }
}

function orderFacts(orderId: number, facts: Partial<OrderFacts>): OrderFacts {
  const order = { orderId, productId: 1, productName: 'Santal 33', sellerId: SARAH, buyerId: BALA, totalSen: 68_050 }
  return { ...order, ...facts }
}
