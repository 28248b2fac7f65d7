import type { AuctionOutcome } from '@wangian/contracts/catalogue.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import type { ReportDecision, ReportKind } from '@wangian/contracts/reports.ts'
import type { Mail } from '@wangian/kit/mail/mail.ts'
import { type Recipient, textMail } from './text-mail.ts'
import type { DealNews } from './words/deal-news.ts'
import { type MailText, mailWords } from './words/mail-words.ts'

/*
 * News that people can do without, and one that they cannot. What strangers chose is in them, a listing's name and a username: they go to
 * people who dealt with each other here, and never to an address that somebody has typed.
 */

interface Notice {
  readonly publicUrl: string
  readonly productId: number
  /** Of the listing. */
  readonly name: string
}

/** To the seller of an auction that has a winner. @param winner `null` for somebody who has left since */
export function auctionSoldMail(
  reader: Recipient,
  notice: Notice & { readonly amountSen: number; readonly winnerId: number; readonly winner: string | null },
): Mail {
  const { publicUrl, productId, name, winnerId, winner } = notice
  const text = mailWords(reader.language).auctionSold({ name, price: priceOf(notice), winner })
  return sellerMail(reader, publicUrl, 'sale', text, conversationUrl(publicUrl, winnerId, productId))
}

/** To the seller of an auction that has none. */
export function auctionUnsoldMail(
  reader: Recipient,
  notice: Notice & { readonly reason: Exclude<AuctionOutcome, 'won'> },
): Mail {
  const { publicUrl, productId } = notice
  const text = mailWords(reader.language).auctionUnsold(notice)
  return sellerMail(reader, publicUrl, 'unsold', text, `${publicUrl}/seller/products/${productId}/relist`)
}

/** To whoever has won an auction. No setting stops it. @param seller `null` for somebody who has left since */
export function auctionWonMail(
  reader: Recipient,
  notice: Notice & { readonly amountSen: number; readonly sellerId: number; readonly seller: string | null },
): Mail {
  const { publicUrl, productId, name, sellerId, seller } = notice
  const text = mailWords(reader.language).auctionWon({ name, price: priceOf(notice), seller })
  return certainMail(reader, publicUrl, 'auction-won', text, conversationUrl(publicUrl, sellerId, productId))
}

/** To whoever led an auction at its end and could not win it, being banned. No setting stops it. */
export function bidVoidMail(reader: Recipient, name: string): Mail {
  // They cannot sign in to any settings.
  return textMail(reader, 'bid-void', mailWords(reader.language).bidVoid({ name }))
}

/** To a seller who has few left of something, or nothing. */
export function stockLowMail(reader: Recipient, notice: Notice & { readonly stockQuantity: number }): Mail {
  const { publicUrl, productId, name, stockQuantity: left } = notice
  const words = mailWords(reader.language)
  const text = left === 0 ? words.soldOut({ name }) : words.stockLow({ name, left })
  return sellerMail(reader, publicUrl, 'low-stock', text, `${publicUrl}/seller/products/${productId}/edit`)
}

/**
 * To a seller of whom somebody has said something. What they wrote is left to the page: mailboxes turn addresses in it into links.
 * @param buyer `null` for somebody who has left since
 */
export function newReviewMail(
  reader: Recipient,
  notice: Notice & { readonly rating: number; readonly hasComment: boolean; readonly buyer: string | null },
): Mail {
  const { publicUrl } = notice
  const text = mailWords(reader.language).newReview(notice)
  return sellerMail(reader, publicUrl, 'new-review', text, `${publicUrl}/sellers/${reader.userId}`)
}

/**
 * To a seller whose listing an administrator has taken away. No setting stops it.
 * @param removed.name `null` where none was kept
 */
export function listingRemovedMail(
  reader: Recipient,
  removed: { readonly publicUrl: string; readonly name: string | null; readonly reason: string },
): Mail {
  const { publicUrl, reason } = removed
  const words = mailWords(reader.language)
  const text = words.listingRemoved({ name: removed.name ?? words.aListing, reason })
  return certainMail(reader, publicUrl, 'listing-removed', text, `${publicUrl}/messages`)
}

/**
 * To somebody who has bid on what an administrator has taken away, or has won it. No setting stops it.
 * @param removed.name `null` where none was kept
 */
export function auctionRemovedMail(
  reader: Recipient,
  removed: { readonly publicUrl: string; readonly name: string | null },
): Mail {
  const words = mailWords(reader.language)
  const text = words.auctionRemoved({ name: removed.name ?? words.aListing })
  return certainMail(reader, removed.publicUrl, 'auction-removed', text)
}

/** To somebody who has reported something. No setting stops it. What it was is not said in their words or anybody's. */
export function reportDecidedMail(
  reader: Recipient,
  decided: { readonly publicUrl: string; readonly kind: ReportKind; readonly decision: ReportDecision },
): Mail {
  const text = mailWords(reader.language).reportDecided(decided)
  return certainMail(reader, decided.publicUrl, `report-${decided.decision}`, text)
}

/**
 * To one of the two people of a deal. What they must do next is a card in their conversation, where the mail leads.
 * @param notice.other `null` for somebody who has left since
 */
export function dealMail(
  reader: Recipient,
  news: DealNews,
  notice: Notice & {
    readonly amountSen: number
    readonly otherId: number
    readonly other: string | null
    readonly isSeller: boolean
    /** They have never bought anything of the other one: what that one calls a listing is in no subject. */
    readonly isStranger: boolean
    /** An administrator did it, in the place of one of the two. */
    readonly isByAdmin: boolean
  },
): Mail {
  const { publicUrl, productId, name, otherId, other, isSeller, isStranger, isByAdmin } = notice
  const { deal, dealByAdmin } = mailWords(reader.language)
  const text = (isByAdmin ? dealByAdmin : deal)(news, { name, price: priceOf(notice), other, isSeller, isStranger })
  const mail = isSeller ? sellerMail : certainMail
  return mail(reader, publicUrl, `deal-${news}`, text, conversationUrl(publicUrl, otherId, productId))
}

/** To a seller whose payment for a boost has come. No setting stops it. */
export function boostPaidMail(
  reader: Recipient,
  paid: {
    readonly publicUrl: string
    readonly packageName: string
    readonly amountSen: number
    readonly number: number
  },
): Mail {
  const { publicUrl, packageName, number } = paid
  const text = mailWords(reader.language).boostPaid({ price: priceOf(paid), packageName, number })
  return certainMail(reader, publicUrl, 'boost-paid', text, boostsUrl(publicUrl))
}

/** To a seller who has paid for what can no longer be boosted. No setting stops it. */
export function boostCaseMail(
  reader: Recipient,
  opened: { readonly publicUrl: string; readonly name: string; readonly amountSen: number },
): Mail {
  const { publicUrl, name } = opened
  const text = mailWords(reader.language).boostCase({ name, price: priceOf(opened) })
  return certainMail(reader, publicUrl, 'boost-case', text, boostsUrl(publicUrl))
}

/** To a seller whose share of a payment was paid back. No setting stops it. */
export function boostRefundMail(
  reader: Recipient,
  refunded: { readonly publicUrl: string; readonly name: string; readonly amountSen: number },
): Mail {
  const { publicUrl, name } = refunded
  const text = mailWords(reader.language).boostRefund({ name, price: priceOf(refunded) })
  return certainMail(reader, publicUrl, 'boost-refund', text, boostsUrl(publicUrl))
}

/** One of those that the three settings of the seller dashboard are about. */
function sellerMail(reader: Recipient, publicUrl: string, kind: string, text: MailText, url: string): Mail {
  const label = mailWords(reader.language).mailSettings
  const settings = { label, url: `${publicUrl}/seller/dashboard?tab=settings` }
  return textMail(reader, kind, text, { url, settings })
}

/** One that no setting stops. */
function certainMail(reader: Recipient, publicUrl: string, kind: string, text: MailText, url?: string): Mail {
  const label = mailWords(reader.language).accountSettings
  const settings = { label, url: `${publicUrl}/account/settings` }
  return textMail(reader, kind, text, { settings, ...(url !== undefined && { url }) })
}

function priceOf({ amountSen }: { readonly amountSen: number }): string {
  return formatRinggit(ringgitFromSen(amountSen))
}

function conversationUrl(publicUrl: string, userId: number, productId: number): string {
  return `${publicUrl}/messages?with=${userId}&product=${productId}`
}

function boostsUrl(publicUrl: string): string {
  return `${publicUrl}/seller/dashboard?tab=boosted`
}
