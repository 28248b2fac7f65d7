import type { NotificationSettings } from '@wangian/contracts/account.ts'
import { auctionRequests } from '@wangian/contracts/auction.ts'
import type { PublishedData } from '@wangian/contracts/events/definition.ts'
import type { messagingEvents } from '@wangian/contracts/events/messaging.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import type { Executor } from '@wangian/kit/database/postgres.ts'
import type { EventHandlers } from '@wangian/kit/log/event-handlers.ts'
import { queueMail } from '@wangian/kit/mail/mail.ts'
import { countStrangersOffering, hasBought, isOfferMailed, noteOffer, notePurchase } from './mails/deal-pair-store.ts'
import {
  auctionRemovedMail,
  auctionSoldMail,
  auctionUnsoldMail,
  auctionWonMail,
  bidVoidMail,
  boostCaseMail,
  boostPaidMail,
  boostRefundMail,
  dealMail,
  listingRemovedMail,
  newReviewMail,
  reportDecidedMail,
  stockLowMail,
} from './mails/notice-mails.ts'
import { getNotificationSettings } from './mails/notification-store.ts'
import type { Recipient } from './mails/text-mail.ts'
import type { DealNews } from './mails/words/deal-news.ts'
import { findAccount } from './store.ts'

/** A seller may offer something to anybody, as often as they like: so often somebody is mailed of it. */
const OFFERS_APART_HOURS = 24
/** Nor does it help to be many: of so many who are strangers to the buyer somebody is mailed within that time. They see all offers in their messages. */
const STRANGERS_OFFERING_MAX = 5
/** Of an offer that was called off before this, nobody is mailed the end. */
const OFFER_SETTLED_MINUTES = 15

/** Where the links of mails lead. */
interface Site {
  readonly publicUrl: string
}

/**
 * News of what people sell and win, mailed to them.
 * @param site.nats where the auction service is asked who has bid
 */
export function catalogueReactions({
  publicUrl,
  nats,
}: Site & { readonly nats: NatsConnection }): EventHandlers<'catalogue'> {
  return {
    ListingRemoved: {
      async prepare({ data: { productId, sellerId, name = null, by, reason } }) {
        if (by !== 'admin') return async () => {}
        const { userIds } = await request(nats, 'auction', auctionRequests.listBidders, { productId })
        return async (executor) => {
          const seller = await findReader(executor, sellerId)
          if (seller !== null)
            await queueMail(executor, listingRemovedMail(seller, { publicUrl, name, reason: reason ?? '' }))
          for (const userId of userIds) {
            const bidder = await findReader(executor, userId)
            if (bidder !== null) await queueMail(executor, auctionRemovedMail(bidder, { publicUrl, name }))
          }
        }
      },
    },

    async ListingReserved(executor, { data }) {
      const { sellerId, buyerId, productId, name, amountSen, transactionId } = data
      // Of deals people are told as their steps are taken.
      if (transactionId !== null) return
      const notice = { publicUrl, productId, name, amountSen }
      const seller = await findSubscriber(executor, sellerId, 'sales')
      if (seller !== null) {
        const winner = await findName(executor, buyerId)
        await queueMail(executor, auctionSoldMail(seller, { ...notice, winnerId: buyerId, winner }))
      }
      const winner = await findReader(executor, buyerId)
      if (winner !== null) {
        const sellerName = await findName(executor, sellerId)
        await queueMail(executor, auctionWonMail(winner, { ...notice, sellerId, seller: sellerName }))
      }
    },

    async ListingReturned(executor, { data: { sellerId, leaderId, ...notice } }) {
      const seller = await findSubscriber(executor, sellerId, 'sales')
      if (seller !== null) await queueMail(executor, auctionUnsoldMail(seller, { publicUrl, ...notice }))
      if (notice.reason !== 'winner-unavailable' || leaderId === null) return
      // Who has left has no address any more. Who is banned cannot sign in, and reads nothing but this.
      const leader = await findAccount(executor, leaderId)
      if (leader?.emailConfirmedAt) await queueMail(executor, bidVoidMail(leader, notice.name))
    },

    async StockLow(executor, { data: { sellerId, ...notice } }) {
      const seller = await findSubscriber(executor, sellerId, 'lowStock')
      if (seller !== null) await queueMail(executor, stockLowMail(seller, { publicUrl, ...notice }))
    },
  }
}

/** News of what others say of people, and of deals, mailed to whoever has to know. */
export function messagingReactions({ publicUrl }: Site): EventHandlers<'messaging'> {
  const tellOfDeal = async (
    executor: Executor,
    to: 'seller' | 'buyer',
    news: DealNews,
    deal: DealFacts,
    { isByAdmin = false } = {},
  ) => {
    const { sellerId, buyerId, productId, productName: name, amountSen } = deal
    const isSeller = to === 'seller'
    const [readerId, otherId] = isSeller ? [sellerId, buyerId] : [buyerId, sellerId]
    const reader = isSeller ? await findSubscriber(executor, readerId, 'sales') : await findReader(executor, readerId)
    if (reader === null) return
    const other = await findName(executor, otherId)
    const isStranger = !isSeller && deal.auctionId === null && !(await hasBought(executor, deal))
    const notice = { publicUrl, productId, name, amountSen, otherId, other, isSeller, isStranger, isByAdmin }
    await queueMail(executor, dealMail(reader, news, notice))
  }
  /** Whether the buyer was mailed of an offer that they have not taken: only then they are mailed what becomes of it. */
  const wasOffered = (executor: Executor, deal: Offer, at: string) =>
    isOfferMailed(executor, deal, { at, minutes: OFFER_SETTLED_MINUTES })
  return {
    async TransactionStarted(executor, { data }) {
      const within = { at: data.startedAt, hours: OFFERS_APART_HOURS }
      const isStranger = data.auctionId === null && !(await hasBought(executor, data))
      if (isStranger && (await countStrangersOffering(executor, data.buyerId, within)) >= STRANGERS_OFFERING_MAX) return
      const isMailed = await noteOffer(executor, data, within)
      if (isMailed) await tellOfDeal(executor, 'buyer', 'offered', data)
    },
    async TransactionStepConfirmed(executor, { data, metadata: { actorId } }) {
      if (data.step === 'purchase') await notePurchase(executor, data)
      const isByAdmin = actorId !== null && actorId !== data.sellerId && actorId !== data.buyerId
      // Whoever has done it themselves knows.
      const readers = isByAdmin
        ? (['buyer', 'seller'] as const)
        : ([data.step === 'payment' ? 'buyer' : 'seller'] as const)
      for (const to of readers) await tellOfDeal(executor, to, `${data.step}-confirmed`, data, { isByAdmin })
    },
    async TransactionReminded(executor, { data }) {
      if (data.step === 'purchase' && !(await wasOffered(executor, data, data.remindedAt))) return
      await tellOfDeal(executor, 'buyer', `remind-${data.step}`, data)
    },
    async TransactionCancelled(executor, { data }) {
      const isByAdmin = data.by === 'admin'
      const isNewsToBuyer = data.after !== null || (await wasOffered(executor, data, data.cancelledAt))
      if (data.by !== 'buyer' && isNewsToBuyer) await tellOfDeal(executor, 'buyer', 'cancelled', data, { isByAdmin })
      if (data.by !== 'seller') await tellOfDeal(executor, 'seller', 'cancelled', data, { isByAdmin })
    },

    async ReportDecided(executor, { data: { reporterId, kind, decision } }) {
      const reporter = await findReader(executor, reporterId)
      if (reporter !== null) await queueMail(executor, reportDecidedMail(reporter, { publicUrl, kind, decision }))
    },

    async ReviewSubmitted(executor, { data }) {
      const { sellerId, buyerId, productId, productName: name, rating, comment } = data
      const seller = await findSubscriber(executor, sellerId, 'newReviews')
      if (seller === null) return
      const buyer = await findName(executor, buyerId)
      const hasComment = comment !== null && comment.trim() !== ''
      await queueMail(executor, newReviewMail(seller, { publicUrl, productId, name, rating, hasComment, buyer }))
    },
  }
}

/** What became of payments for boosts, mailed to who has paid. */
export function boostReactions({ publicUrl }: Site): EventHandlers<'boost'> {
  return {
    async BoostOrderSettled(executor, { data: { userId, packageName, amountSen, paymentId: number } }) {
      const reader = await findReader(executor, userId)
      if (reader !== null)
        await queueMail(executor, boostPaidMail(reader, { publicUrl, packageName, amountSen, number }))
    },

    async BoostCaseOpened(executor, { data: { userId, productName: name, amountSen } }) {
      const reader = await findReader(executor, userId)
      if (reader !== null) await queueMail(executor, boostCaseMail(reader, { publicUrl, name, amountSen }))
    },

    async BoostCaseRefunded(executor, { data: { userId, productName: name, amountSen } }) {
      const reader = await findReader(executor, userId)
      if (reader !== null) await queueMail(executor, boostRefundMail(reader, { publicUrl, name, amountSen }))
    },
  }
}

type DealFacts = Pick<
  PublishedData<typeof messagingEvents.TransactionStarted>,
  'sellerId' | 'buyerId' | 'productId' | 'productName' | 'amountSen' | 'auctionId'
>
type Offer = Pick<PublishedData<typeof messagingEvents.TransactionStarted>, 'sellerId' | 'buyerId' | 'transactionId'>

/** Somebody who wants to hear of this. */
async function findSubscriber(
  executor: Executor,
  userId: number,
  topic: keyof NotificationSettings,
): Promise<Recipient | null> {
  const reader = await findReader(executor, userId)
  if (reader === null) return null
  return (await getNotificationSettings(executor, userId))[topic] ? reader : null
}

/** Nobody who has left, who is banned, or whose address may be somebody else's. */
async function findReader(executor: Executor, userId: number): Promise<Recipient | null> {
  const account = await findAccount(executor, userId)
  return account === null || account.isBanned || account.emailConfirmedAt === null ? null : account
}

async function findName(executor: Executor, userId: number): Promise<string | null> {
  return (await findAccount(executor, userId))?.username ?? null
}
