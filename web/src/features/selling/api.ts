import { type Auction, auctionRoutes } from '@wangian/contracts/auction.ts'
import { type OwnProduct, sellingRoutes } from '@wangian/contracts/selling.ts'
import { useCallback, useEffect, useState } from 'react'
import { isApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { serverNow } from '../../lib/server-clock.ts'

/** A listing as its seller changes it. */
export interface OwnListing {
  readonly product: OwnProduct
  /** `missing`: it is for auction and has none; `unread`: it may have one, but that could not be read. */
  readonly auction: Auction | null | 'missing' | 'unread'
  /** When it was read. */
  readonly readAtMs: number
}

export type OwnListingState =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: unknown }
  | ({ readonly status: 'read' } & OwnListing)

/** A listing of the signed-in seller as it is now: changes are made to what is, not to what was read earlier. */
export function useOwnListing(productId: number): OwnListingState & { reload: () => void } {
  const [tries, setTries] = useState(0)
  const [read, setRead] = useState<{ of: string; state: OwnListingState } | null>(null)
  const wanted = `${productId} ${tries}`
  useEffect(() => {
    let isOver = false
    void readOwnListing(productId).then((state) => isOver || setRead({ of: wanted, state }))
    return () => {
      isOver = true
    }
  }, [productId, wanted])
  const reload = useCallback(() => setTries((before) => before + 1), [])
  const state: OwnListingState = read?.of === wanted ? read.state : { status: 'loading' }
  return { ...state, reload }
}

async function readOwnListing(productId: number): Promise<OwnListingState> {
  try {
    const product = await call(sellingRoutes.getOwnProduct, { params: { productId } })
    const auction = product.listingType === 'auction' ? await readAuction(productId) : null
    return { status: 'read', product, auction, readAtMs: serverNow() }
  } catch (error) {
    return { status: 'failed', error }
  }
}

async function readAuction(productId: number): Promise<OwnListing['auction']> {
  try {
    return await call(auctionRoutes.getAuctionOfProduct, { params: { productId } })
  } catch (error) {
    return isApiError(error, 'auction-not-found') ? 'missing' : 'unread'
  }
}
