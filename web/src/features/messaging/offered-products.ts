import { type OwnProduct, sellingRoutes } from '@wangian/contracts/selling.ts'
import { useEffect, useState } from 'react'
import type { AnswerOf } from '../../api/client.ts'
import { useApi } from '../../api/use-api.ts'
import { useUser } from '../../session/use-session.ts'

const PAGE_PRODUCTS = 50
const searchDelayMs = 300

/** On what terms something is sold in a conversation. */
export interface Terms {
  readonly kind: 'won' | 'fixed' | 'negotiable' | 'buyNow' | 'unsold'
  /** In ringgit; `null` where the list does not know it. */
  readonly price: number | null
  readonly isNegotiable: boolean
}

export function termsOf({ listingType, price, reservation, auction }: OwnProduct): Terms {
  if (reservation) return { kind: 'won', price: reservation.amount, isNegotiable: false }
  if (listingType !== 'auction') return { kind: listingType, price, isNegotiable: listingType === 'negotiable' }
  // The price of an auction's listing is where its bids begin.
  if (!auction || isOver(auction)) return { kind: 'unsold', price, isNegotiable: true }
  return { kind: 'buyNow', price: null, isNegotiable: false }
}

/**
 * What somebody may offer a buyer: what they list, except what people bid on, and what the buyer has won of it. What the conversation is about comes
 * first.
 */
export function useOfferedProducts({
  buyerId,
  aboutId,
  search,
}: {
  buyerId: number
  aboutId: number | null
  search: string
}) {
  const sellerId = useUser()?.id
  const searched = useLater(search.trim(), searchDelayMs)
  const fresh = { revalidateOnMount: true, keepPreviousData: true }
  // Without its seller the list has the shape of the boost flow.
  const listed = (status: 'active' | 'pending') =>
    sellerId === undefined ? null : { query: { sellerId, status, limit: PAGE_PRODUCTS, search: searched } }
  const active = useApi(sellingRoutes.listOwnProducts, listed('active'), fresh)
  const won = useApi(sellingRoutes.listOwnProducts, listed('pending'), fresh)
  // Whoever does not sell it is refused.
  const asked = useApi(sellingRoutes.getOwnProduct, aboutId === null ? null : { params: { productId: aboutId } }, fresh)
  const isAboutKnown = aboutId === null || asked.data !== undefined || asked.error !== undefined
  const about = asked.data && isOffered(asked.data, buyerId) ? asked.data : null
  const error: unknown = active.error ?? won.error
  const offered =
    active.data && won.data && isAboutKnown
      ? [...fullOnes(won.data), ...fullOnes(active.data)].filter((product) => isOffered(product, buyerId))
      : undefined
  const others = offered?.filter(({ id }) => id !== about?.id)
  return {
    /** `undefined` while they load. */
    products: others && (about && searched === '' ? [about, ...others] : offered),
    /** What the conversation is about, where it may be offered. */
    about,
    error,
    reload: () => void Promise.all([active.mutate(), won.mutate()]),
  }
}

function isOffered(
  { status, stockQuantity, reservedQuantity, auction, reservation }: OwnProduct,
  buyerId: number,
): boolean {
  if (reservation) return reservation.buyerId === buyerId
  const isBidOn = auction !== null && !isOver(auction) && auction.bidCount > 0
  return (status === 'active' || status === 'featured') && stockQuantity > reservedQuantity && !isBidOn
}

function isOver({ status }: NonNullable<OwnProduct['auction']>): boolean {
  return status === 'ended' || status === 'cancelled'
}

/** The other shape is that of the boost flow. */
function fullOnes(products: AnswerOf<typeof sellingRoutes.listOwnProducts>): readonly OwnProduct[] {
  return (products as readonly (OwnProduct | (typeof products)[number])[]).filter(
    (product): product is OwnProduct => 'listingType' in product,
  )
}

/** A value once it has not changed for a while. */
function useLater(value: string, delayMs: number): string {
  const [later, setLater] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return later
}
