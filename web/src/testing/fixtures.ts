import type { AuctionPage, Bid } from '@wangian/contracts/auction.ts'
import type { FrameBid } from '@wangian/contracts/auction-frames.ts'
import type { BoostPackage, BoostPayment } from '@wangian/contracts/boost.ts'
import type { Product } from '@wangian/contracts/catalogue.ts'
import type { ServerFrame } from '@wangian/contracts/frames.ts'
import type { CurrentUser } from '@wangian/contracts/identity.ts'
import type { ActionType, Conversation, Message, Order } from '@wangian/contracts/messaging.ts'
import { type Report, ReportForm } from '@wangian/contracts/reports.ts'
import type { OwnProduct } from '@wangian/contracts/selling.ts'
import type { Seller } from '@wangian/contracts/shop.ts'

/** The server's clock when these things are said. */
export const now = '2026-11-21T08:00:00.000Z'
export const nowMs = Date.parse(now)

/** Milliseconds after `now` as an instant. */
export function later(afterMs: number): string {
  return new Date(nowMs + afterMs).toISOString()
}

export const product: Product = {
  id: 7,
  name: 'Oud Wood',
  brand: 'Tom Ford',
  description: 'Kept in the dark.',
  price: 50,
  imageUrl: null,
  images: [],
  stockQuantity: 1,
  categoryId: 4,
  category: 'Niche',
  isNew: false,
  isFeatured: false,
  featuredUntil: null,
  featured_until: null,
  boost_package_id: null,
  remainingPercentage: 72,
  batchCode: 'A42',
  purchaseYear: 2021,
  boxCondition: 'Good',
  listingType: 'auction',
  volume: 100,
  sellerId: 3,
  seller: { id: 3, username: 'sarah', profileImage: null, avatar_url: null },
  status: 'active',
  createdAt: now,
  updatedAt: now,
  averageRating: null,
  reviewCount: 0,
  auction: null,
}

/** The product as its seller, sarah, sees it. */
export function ownProduct(changes: Partial<OwnProduct> = {}): OwnProduct {
  return { ...product, favoriteCount: 0, viewCount: 0, reservedQuantity: 0, reservation: null, ...changes }
}

/** The buyer who has the id 10. */
export const currentUser: CurrentUser = {
  id: 10,
  username: 'bala',
  email: 'bala@wangian.test',
  firstName: null,
  lastName: null,
  address: null,
  profileImage: null,
  avatarUrl: null,
  coverPhoto: null,
  shopName: null,
  location: null,
  bio: null,
  isSeller: false,
  isAdmin: false,
  needsSecondFactor: false,
  isBanned: false,
  isVerified: true,
  hasPassword: true,
  createdAt: now,
}

export const seller: Seller = {
  id: 3,
  username: 'sarah',
  shopName: "Sarah's Shop",
  location: null,
  bio: null,
  profileImage: null,
  coverPhoto: null,
  isSeller: true,
  isVerified: false,
  badge: [],
  createdAt: '2024-06-01T00:00:00.000Z',
  averageRating: 4.8,
  reviewCount: 12,
  productCount: 1,
  soldCount: 25,
}

/** The names behind the ids that bids are placed with. */
export const bidders: Readonly<Record<number, string>> = { 10: 'bala', 11: 'mei' }

/** The bid number `seq`: 10 and 11 in turn, five ringgit more each time, from 55. */
export function bid(seq: number): Bid {
  const bidderId = seq % 2 === 1 ? 10 : 11
  return {
    id: seq,
    auctionId: 1,
    seq,
    bidId: null,
    bidderId,
    bidder: { name: bidders[bidderId] ?? '' },
    amount: 50 + 5 * seq,
    placedAt: later(seq * 1000),
    isWinning: false,
  }
}

export function frameBid(seq: number): FrameBid {
  const { id, bidderId, amount, placedAt } = bid(seq)
  return { id, bidderId, bidderName: bidders[bidderId] ?? '', amount, placedAt }
}

/** The state after `seq` bids. */
export function liveAfter(seq: number, status: 'active' | 'ended' = 'active') {
  return {
    status,
    currentBid: seq === 0 ? null : bid(seq).amount,
    currentBidderId: seq === 0 ? null : bid(seq).bidderId,
    bidCount: seq,
    minimumBid: 50 + 5 * (seq + 1),
    endsAt: later(600_000),
  }
}

export function auctionPage(seq: number, changes: Partial<AuctionPage> = {}): AuctionPage {
  return {
    ...liveAfter(seq),
    id: 1,
    productId: 7,
    sellerId: 3,
    startingPrice: 50,
    hasReserve: false,
    reserveMet: true,
    buyNowPrice: null,
    bidIncrement: 5,
    startsAt: later(-600_000),
    outcome: null,
    winnerId: null,
    seq,
    serverTime: later(seq * 1000),
    createdAt: later(-600_000),
    updatedAt: later(seq * 1000),
    bids: newestBids(seq),
    product,
    ...changes,
  }
}

/** The newest 50 of `seq` bids, newest first. */
export function newestBids(seq: number): Bid[] {
  return Array.from({ length: Math.min(50, seq) }, (_, place) => bid(seq - place))
}

export function newBid(seq: number): ServerFrame {
  return {
    type: 'newBid',
    auctionId: 1,
    bid: frameBid(seq),
    auction: liveAfter(seq),
    seq,
    serverTime: later(seq * 1000),
  }
}

export function joined(seq: number): ServerFrame {
  return {
    type: 'auctionJoined',
    auctionId: 1,
    auction: liveAfter(seq),
    bids: newestBids(seq),
    seq,
    serverTime: later(seq * 1000),
  }
}

export function ended(seq: number): ServerFrame {
  return {
    type: 'auctionEnded',
    auctionId: 1,
    outcome: seq === 0 ? 'no-bids' : 'won',
    winnerId: seq === 0 ? null : bid(seq).bidderId,
    amount: seq === 0 ? null : bid(seq).amount,
    auction: liveAfter(seq, 'ended'),
    seq,
    serverTime: later(600_000),
  }
}

/** An application token as the server writes it; nobody here checks its signature. */
export function tokenFor(
  holder: { id: number; username: string; isSeller?: boolean; isAdmin?: boolean },
  expiresAtMs: number,
): string {
  const claims = {
    sub: String(holder.id),
    username: holder.username,
    isSeller: holder.isSeller ?? false,
    isAdmin: holder.isAdmin ?? false,
    sid: 'session-1',
    iat: expiresAtMs / 1000 - 900,
    exp: expiresAtMs / 1000,
  }
  return `header.${btoa(JSON.stringify(claims))}.signature`
}

const people = {
  10: { id: 10, username: 'bala', profileImage: null },
  3: { id: 3, username: 'sarah', profileImage: null },
}

/** A message from sarah to bala, or the other way round when `senderId` is 10. */
export function message(id: number, fields: Partial<Message> = {}): Message {
  const isOwn = fields.senderId === 10
  return {
    id,
    senderId: isOwn ? 10 : 3,
    receiverId: isOwn ? 3 : 10,
    content: `Message ${id}`,
    messageType: 'text',
    fileUrl: null,
    file_url: null,
    file: null,
    actionType: null,
    transaction: null,
    isRead: false,
    isClicked: false,
    createdAt: now,
    productId: null,
    sender: people[isOwn ? 10 : 3],
    receiver: people[isOwn ? 3 : 10],
    product: null,
    areLinksPlain: false,
    ...fields,
  }
}

/** A card of the deal 5 about the Oud Wood, to bala or, when `senderId` is 10, to sarah. */
export function card(id: number, actionType: ActionType, fields: Partial<Message> = {}): Message {
  return message(id, {
    messageType: 'ACTION',
    actionType,
    productId: 7,
    product: { id: 7, name: 'Oud Wood', price: 60, imageUrl: null, isRemoved: false },
    transaction: transaction(),
    ...fields,
  })
}

/** The deal 5, as it begins. */
export function transaction(
  fields: Partial<NonNullable<Message['transaction']>> = {},
): NonNullable<Message['transaction']> {
  return {
    id: 5,
    status: 'WAITING_PAYMENT',
    amount: 1250,
    isCancellable: true,
    isShipped: false,
    rating: null,
    ...fields,
  }
}

/** What bala has bought of sarah, until its payment is confirmed. */
export function order(fields: Partial<Order> = {}): Order {
  return {
    id: 5,
    transactionId: 5,
    userId: 10,
    total: 1250,
    status: 'pending',
    createdAt: now,
    updatedAt: now,
    paidAt: null,
    deliveredAt: null,
    items: [{ productId: 7, name: 'Oud Wood', imageUrl: null, isRemoved: false, quantity: 1, price: 1250 }],
    buyer: people[10],
    seller: people[3],
    transactionStatus: 'WAITING_PAYMENT',
    isCancellable: true,
    rating: null,
    waiting: { for: 'seller', actionType: 'CONFIRM_PAYMENT', messageId: 4, since: now },
    ...fields,
  }
}

/** What bala sees of his conversation with sarah. */
export function conversation(lastMessage: Message, fields: Partial<Conversation> = {}): Conversation {
  return { user: people[3], lastMessage, unreadCount: 0, isBlocked: false, product: null, ...fields }
}

/** What becomes of the report in a request. */
export function report(body: unknown): Report {
  const { text, ...filed } = ReportForm.parse(body)
  return { ...filed, id: 1, text: text ?? null, status: 'open', createdAt: now }
}

/** Three days in the first places for so many products, at RM 9 each. */
export function boostPackage(id: number, count: number): BoostPackage {
  return {
    id,
    name: `Package ${id}`,
    package_type: id >= 5 ? 'premium' : 'standard',
    item_count: count,
    price: 900 * count,
    effective_price: 900,
    duration_hours: 72,
    duration_formatted: '3 days',
  }
}

/** An order of the package 1 for the Oud Wood, which waits for its payment. */
export function boostPayment(fields: Partial<BoostPayment> = {}): BoostPayment {
  return {
    id: 41,
    orderId: '0b6ed3a8-6b3e-4a7c-9f57-6a3e3c7a9d10',
    billId: 'zq0tm2wc',
    amount: 900,
    status: 'pending',
    paymentType: 'boost',
    featureDuration: 72,
    boostOptionId: 1,
    packageName: 'Package 1',
    packageType: 'standard',
    productIds: [7],
    products: [{ productId: 7, name: 'Oud Wood', amount: 900, state: 'waiting', boostedUntil: null }],
    paymentChannel: null,
    transactionId: null,
    paidAt: null,
    createdAt: now,
    updatedAt: now,
    expiresAt: later(86_400_000),
    ...fields,
  }
}
