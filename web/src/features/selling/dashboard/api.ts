import { type BoostPackage, boostRoutes } from '@wangian/contracts/boost.ts'
import {
  type BoostableProduct,
  type OwnProduct,
  type SellerAnalytics,
  sellingRoutes,
} from '@wangian/contracts/selling.ts'
import { useEffect, useRef, useState } from 'react'
import useSWR, { type SWRResponse, useSWRConfig } from 'swr'
import useSWRInfinite from 'swr/infinite'
import { call, callPage, type PageOf, urlOf } from '../../../api/client.ts'
import { useApi } from '../../../api/use-api.ts'
import { useUser } from '../../../session/use-session.ts'

const pageSize = 50
/** What is older is read again when its owner comes back to the tab. */
const freshForMs = 30_000

export function useSummary() {
  return useApi(sellingRoutes.getSummary, {})
}

export interface OwnProducts {
  readonly products: readonly OwnProduct[] | undefined
  /** Of all pages; `null` while it is not known. */
  readonly total: number | null
  readonly error: Error | undefined
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly showMore: () => void
  readonly reload: () => void
  /** Shows one of them as it will be once the server has heard of it, or takes it out (`null`). */
  readonly change: (productId: number, change: (product: OwnProduct) => OwnProduct | null) => void
}

type OwnPage = PageOf<readonly OwnProduct[]>

/** The own products that pass a filter in the order of the server, page after page; read again whenever they come into view. */
export function useOwnProducts(filter: { search?: string; status?: 'featured' }): OwnProducts {
  const sellerId = useUser()?.id
  const queryOf = (cursor: string | null) => ({ sellerId, ...filter, limit: pageSize, cursor: cursor ?? undefined })
  const { data, error, size, setSize, isValidating, mutate } = useSWRInfinite<OwnPage>(
    (_: number, previous: OwnPage | null) =>
      sellerId === undefined || (previous && previous.nextCursor === null)
        ? null
        : [
            'own-products',
            urlOf(sellingRoutes.listOwnProducts, { query: queryOf(previous?.nextCursor ?? null) }),
            previous?.nextCursor ?? null,
          ],
    async ([, , cursor]: readonly [string, string, string | null]) => {
      const { answer, ...page } = await callPage(sellingRoutes.listOwnProducts, { query: queryOf(cursor) })
      return { ...page, answer: (answer as readonly (OwnProduct | BoostableProduct)[]).filter(isFull) }
    },
    { revalidateFirstPage: false, revalidateOnMount: true },
  )
  const reload = () => void mutate()
  useReturn(reload)
  return {
    products: data?.flatMap((page) => page.answer),
    total: data?.[0]?.total ?? null,
    error: error as Error | undefined,
    hasMore: data?.at(-1)?.nextCursor != null,
    isLoadingMore: isValidating && data !== undefined && data.length < size,
    showMore: () => void setSize(size + 1),
    reload,
    change: (productId, change) =>
      void mutate((pages) => pages?.map((page) => changePage(page, productId, change)), { revalidate: false }),
  }
}

/** Takes a listing away. Every list may have held it. */
export function useDeleteProduct(): (productId: number) => Promise<void> {
  const { mutate } = useSWRConfig()
  return async (productId) => {
    await call(sellingRoutes.deleteProduct, { params: { productId } })
    void mutate(urlOf(sellingRoutes.getSummary, {}))
    void mutate((key) => Array.isArray(key) || key === 'home-auctions' || key === 'recent-listings')
  }
}

/** What would go with a listing, as it is now: each time that it is asked, anew. */
export function useDeletionEffects(productId: number) {
  const [askedAt] = useState(() => crypto.randomUUID())
  return useSWR(['deletion', productId, askedAt], () =>
    call(sellingRoutes.getDeletionEffects, { params: { productId } }),
  )
}

export function useAnalytics(days: SellerAnalytics['days']) {
  return useApi(
    sellingRoutes.getAnalytics,
    { query: { days: String(days) } },
    { keepPreviousData: true, revalidateOnMount: true },
  )
}

export function useBoostPackages(): SWRResponse<BoostPackage[]> {
  return useApi(boostRoutes.listPackages, {})
}

function isFull(product: OwnProduct | BoostableProduct): product is OwnProduct {
  return 'listingType' in product
}

function changePage(page: OwnPage, productId: number, change: (product: OwnProduct) => OwnProduct | null): OwnPage {
  const answer = page.answer.flatMap((product) => (product.id === productId ? (change(product) ?? []) : product))
  return { ...page, answer, total: page.total && page.total - (page.answer.length - answer.length) }
}

/** Calls when somebody comes back to this tab after a while. */
function useReturn(onReturn: () => void): void {
  const latest = useRef(onReturn)
  useEffect(() => {
    latest.current = onReturn
  })
  useEffect(() => {
    let leftAtMs = Date.now()
    const listen = () => {
      if (document.hidden) leftAtMs = Date.now()
      else if (Date.now() - leftAtMs > freshForMs) latest.current()
    }
    document.addEventListener('visibilitychange', listen)
    return () => document.removeEventListener('visibilitychange', listen)
  }, [])
}
