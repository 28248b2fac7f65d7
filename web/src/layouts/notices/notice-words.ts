import { formatRinggit } from '@wangian/contracts/money.ts'
import type { Notice } from '@wangian/contracts/notices.ts'
import type { Translate } from '../../i18n/translate.ts'
import { formatDateTime } from '../../lib/date-time.ts'
import { paths } from '../../paths.ts'

export interface NoticeWords {
  readonly title: string
  readonly detail: string | null
}

/** What a notice says: what has happened, and how it is now or what comes next. */
export function noticeWords(notice: Notice, t: Translate): NoticeWords {
  const { kind, auction, deal } = notice
  const isBack = kind === 'outbid' && auction?.isLeading === true
  const names = namesIn(notice, t)
  const title = isBack ? t('notices.leading', names) : t(`notices.kinds.${kind}`, names)
  const amount = auction?.amount ?? deal?.amount ?? null
  return { title, detail: detailOf(notice, t, { ...names, amount: amount === null ? '' : formatRinggit(amount) }) }
}

// A type, which unlike an interface may be given as the words of a text.
type Names = { readonly name: string; readonly product: string }

function namesIn({ user, product }: Notice, t: Translate): Names {
  return { name: user?.username ?? t('person.deleted'), product: product?.name ?? t('notices.someListing') }
}

function detailOf(notice: Notice, t: Translate, words: Names & { readonly amount: string }): string | null {
  const { kind, auction, deal, product, price, unreadMessages } = notice
  const isSeller = deal?.role === 'seller'
  switch (kind) {
    case 'outbid':
      return auction && t('notices.ends', { amount: words.amount, ends: formatDateTime(auction.endsAt) })
    case 'auction-ending': {
      if (auction === null) return null
      const ends = formatDateTime(auction.endsAt)
      if (auction.amount === null) return t('notices.details.endsWithoutBid', { ends })
      const now = { amount: words.amount, ends }
      return auction.isLeading ? t('notices.details.endsLeading', now) : t('notices.ends', now)
    }
    case 'auction-won':
      return t('notices.details.won', words)
    case 'lot-released':
      return t('notices.details.lotReleased')
    case 'auction-lost':
      return auction?.outcome === 'won' ? t('notices.details.lost', words) : t('notices.details.nobodyWon')
    case 'auction-sold':
      return t('notices.details.sold', words)
    case 'auction-unsold': {
      const outcome = auction?.outcome
      const isKnown = outcome === 'no-bids' || outcome === 'reserve-not-met' || outcome === 'winner-unavailable'
      return isKnown ? t(`notices.details.${outcome}`) : null
    }
    case 'auction-cancelled':
    case 'deal-shipped':
      return null
    case 'message': {
      const count = unreadMessages ?? 0
      const parts = [
        ...(count > 1 ? [t('notices.details.messages', { count })] : []),
        ...(product ? [t('notices.details.about', words)] : []),
      ]
      return parts.join(' · ') || null
    }
    case 'deal-offered':
      return t('notices.details.offered', words)
    case 'deal-purchased':
      return t('notices.details.purchased', words)
    case 'deal-paid':
      return isSeller ? t('notices.details.paidSeller', words) : t('notices.details.paidBuyer')
    case 'deal-delivered':
      return isSeller ? t('notices.details.deliveredSeller', words) : t('notices.details.deliveredBuyer')
    case 'deal-reminder':
      return t('notices.details.nextStep', words)
    case 'deal-cancelled':
      return t('notices.details.cancelled', words)
    case 'review':
      return deal?.rating == null ? null : t('notices.details.stars', { rating: deal.rating })
    case 'listing-removed':
      return t('notices.details.removed')
    case 'price-drop':
      return price && t('notices.details.price', { now: formatRinggit(price.now), before: formatRinggit(price.before) })
    default:
      return kind satisfies never
  }
}

/** Where one goes on from a notice. */
export function noticeTarget({ kind, user, product, auction, deal }: Notice): string {
  if (kind === 'auction-unsold' && product !== null && !product.isRemoved) return paths.relistProduct(product.id)
  if (kind === 'price-drop' && product !== null) return paths.product(product.id)
  if (kind === 'review' && deal !== null) return paths.order(deal.id)
  if (auction !== null) return paths.auction(auction.id)
  return user === null ? paths.messages() : paths.conversation(user.id, product?.isRemoved ? undefined : product?.id)
}
