import { ringgitFromSen } from '@wangian/contracts/money.ts'
import type { Notice } from '@wangian/contracts/notices.ts'
import { presentProduct } from '../conversations/presenter.ts'
import type { NoticeRow } from './notice-store.ts'

/** A row as the person may see it whose notice it is. */
export function presentNotice(row: NoticeRow): Notice {
  const { id, key, kind, at, isRead, user, product, unreadMessages } = row
  const notice = { id, key, kind, at, isRead, user, unreadMessages, product: presentProduct(product) }
  return { ...notice, auction: presentAuction(row), deal: presentDeal(row), price: presentPrice(row) }
}

function presentAuction(row: NoticeRow): Notice['auction'] {
  const { userId, auctionId, auctionAmountSen, endsAt, leaderId, outcome } = row
  if (auctionId === null || endsAt === null) return null
  const amount = auctionAmountSen === null ? null : ringgitFromSen(auctionAmountSen)
  return { id: auctionId, amount, endsAt, isLeading: leaderId === userId, outcome }
}

function presentPrice({ priceSen, formerPriceSen }: NoticeRow): Notice['price'] {
  if (priceSen === null || formerPriceSen === null) return null
  return { now: ringgitFromSen(priceSen), before: ringgitFromSen(formerPriceSen) }
}

function presentDeal({ userId, dealId, dealAmountSen, sellerId, rating }: NoticeRow): Notice['deal'] {
  if (dealId === null || dealAmountSen === null) return null
  return { id: dealId, amount: ringgitFromSen(dealAmountSen), role: sellerId === userId ? 'seller' : 'buyer', rating }
}
