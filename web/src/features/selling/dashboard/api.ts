import {
  type BoostableProduct,
  type OwnProduct,
  type SellerAnalytics,
  sellingRoutes,
} from '@wangian/contracts/selling.ts'
import { useEffect, useRef, useState } from 'react'
import useSWR, { useSWRConfig } from 'swr'
import useSWRInfinite from 'swr/infinite'
import { changeKnown, unasked } from '../../../api/change-known.ts'
import { call, callPage, type PageOf, urlOf } from '../../../api/client.ts'
import { useApi } from '../../../api/use-api.ts'
import { useUser } from '../../../session/use-session.ts'
import { dropDraftsOf } from '../draft-store.ts'

const pageSize = 50
/** What is older is read again when its owner comes back to the tab. */
const freshForMs = 30_000

export function useSummary() {
  return useApi(sellingRoutes.getSummary, {})
}

export interface OwnProducts {
  /** Of the page, or of the last one when there are fewer pages. */
  readonly products: readonly OwnProduct[] | undefined
  /** Of all pages; `null` while it is not known. */
  readonly total: number | null
  /** How many pages there are; the last one that is known of while the rest is not. */
  readonly pages: number
  readonly error: Error | undefined
  readonly reload: () => void
  /** Shows one of them as it will be once the server has heard of it, or takes it out (`null`). */
  readonly change: (productId: number, change: (product: OwnProduct) => OwnProduct | null) => void
}

type OwnPage = PageOf<readonly OwnProduct[]> & { readonly search: string | undefined }

/**
 * One page of the own products that pass a filter, counted from 1, in the order of the server; read again whenever they come into view.
 * The server knows where a page begins from the end of the one before, so those are read first.
 */
export function useOwnProducts(filter: { search?: string; status?: 'featured' }, page: number): OwnProducts {
  const sellerId = useUser()?.id
  const queryOf = (cursor: string | null) => ({ sellerId, ...filter, limit: pageSize, cursor: cursor ?? undefined })
  const [initialSize] = useState(page)
  const { data, error, size, setSize, mutate } = useSWRInfinite<OwnPage>(
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
      return {
        ...page,
        search: filter.search,
        answer: (answer as readonly (OwnProduct | BoostableProduct)[]).filter(isFull),
      }
    },
    { revalidateFirstPage: false, revalidateOnMount: true, keepPreviousData: true, initialSize },
  )
  useEffect(() => {
    if (size < page) void setSize(page)
  }, [size, page, setSize])
  const reload = () => void mutate()
  useReturn(reload)
  const total = data?.[0]?.total ?? null
  // What was found before stays until the next answer is there, or a menu that is open in one of its rows would close.
  const isOfSearchBefore = data !== undefined && data[0]?.search !== filter.search
  const isPast = data !== undefined && data.length < page && data.at(-1)?.nextCursor === null
  const pages = total === null ? (data?.length ?? 1) : Math.ceil(total / pageSize)
  // The last row of the last page may have been taken out.
  const shown = isPast ? data.at(-1) : data?.[Math.max(Math.min(page, pages), 1) - 1]
  return {
    products: isOfSearchBefore && (error || isEmpty(data)) ? undefined : shown?.answer,
    total,
    pages,
    error: error as Error | undefined,
    reload,
    change: (productId, change) =>
      void changeKnown<OwnPage[]>({ set: (pages) => mutate(pages, unasked), ask: mutate }, (pages) =>
        changePages(pages, productId, change),
      ),
  }
}

function isEmpty(pages: readonly OwnPage[]): boolean {
  return pages.every(({ answer }) => answer.length === 0)
}

/** Takes a listing away. Every list may have held it. */
export function useDeleteProduct(): (productId: number) => Promise<void> {
  const { mutate } = useSWRConfig()
  const sellerId = useUser()?.id
  return async (productId) => {
    // It leaves the list before the server has answered, and must go though the page is left, too.
    await call(sellingRoutes.deleteProduct, { params: { productId } }, { outlivesPage: true })
    if (sellerId !== undefined) dropDraftsOf(sellerId, productId)
    void mutate(urlOf(sellingRoutes.getSummary, {}))
    void mutate((key) => Array.isArray(key))
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

function isFull(product: OwnProduct | BoostableProduct): product is OwnProduct {
  return 'listingType' in product
}

/** Each page says how many there are on all of them. */
function changePages(
  pages: readonly OwnPage[],
  productId: number,
  change: (product: OwnProduct) => OwnProduct | null,
): OwnPage[] {
  const changed = pages.map(({ answer }) =>
    answer.flatMap((product) => (product.id === productId ? (change(product) ?? []) : product)),
  )
  const removed = pages.flatMap(({ answer }) => answer).length - changed.flat().length
  return pages.map((page, place) => ({
    ...page,
    answer: changed[place] ?? [],
    total: page.total && page.total - removed,
  }))
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
