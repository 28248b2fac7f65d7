import { type BoostCase, type BoostPackage, type BoostPayment, boostRoutes } from '@wangian/contracts/boost.ts'
import { type BoostableProduct, type OwnProduct, sellingRoutes } from '@wangian/contracts/selling.ts'
import { useRef } from 'react'
import type { SWRConfiguration, SWRResponse } from 'swr'
import useSWRInfinite from 'swr/infinite'
import { callPage, type PageOf, urlOf } from '../../../api/client.ts'
import { useApi } from '../../../api/use-api.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useUser } from '../../../session/use-session.ts'

const PAGE_PAYMENTS = 20
const PAGE_CASES = 20
const PAGE_PRODUCTS = 50
const noProducts: readonly BoostableProduct[] = []
/** As many as there may be in one answer: who has more orders that wait for their payment is told of a product by the server. */
const WAITING_MAX = 100
/** How often is asked again for what is expected to change: soon at first, and then the more seldom the longer it takes. */
const WATCH_MIN_MS = 3_000
const WATCH_MAX_MS = 60_000
const WATCH_PART = 0.2
/** A bill that nobody has paid for so long is left alone. */
const UNDER_WAY_MS = 10 * 60_000

export function useBoostPackages(): SWRResponse<BoostPackage[]> {
  return useApi(boostRoutes.listPackages, {})
}

type BoostablePage = PageOf<readonly BoostableProduct[]> & { readonly search: string }

/** What of the own products can be boosted and has the words of a search in its brand and name, page after page. */
export function useBoostableProducts(search: string) {
  const sellerId = useUser()?.id
  const queryOf = (cursor: string | null) =>
    ({ status: 'active', search, limit: PAGE_PRODUCTS, cursor: cursor ?? undefined }) as const
  const { data, error, size, setSize, isValidating, mutate } = useSWRInfinite<BoostablePage, Error>(
    (_: number, previous: BoostablePage | null) =>
      sellerId === undefined || (previous && previous.nextCursor === null)
        ? null
        : [
            urlOf(sellingRoutes.listOwnProducts, { query: queryOf(previous?.nextCursor ?? null) }),
            sellerId,
            previous?.nextCursor ?? null,
          ],
    async ([, , cursor]: readonly [string, number, string | null]) => {
      const page = await callPage(sellingRoutes.listOwnProducts, { query: queryOf(cursor) })
      return { ...page, search, answer: boostableOf(page.answer) }
    },
    { revalidateFirstPage: false, revalidateOnMount: true, keepPreviousData: true },
  )
  return {
    /** `undefined` while they load; those of the search before stay until the next ones are there. */
    products: data?.flatMap(({ answer }) => answer),
    /** Of all pages; `null` while it is not known. */
    total: data?.[0]?.total ?? null,
    /** What was searched for when these were found. */
    searched: data?.[0]?.search ?? '',
    error,
    isValidating,
    hasMore: data?.at(-1)?.nextCursor != null,
    isLoadingMore: isValidating && data !== undefined && data.length < size,
    showMore: () => void setSize(size + 1),
    reload: () => void mutate(),
  }
}

/** Those of some own products that can be boosted now, as they were chosen; `undefined` while they load. */
export function useChosenProducts(productIds: readonly number[]) {
  const { data, ...rest } = useApi(
    sellingRoutes.listOwnProducts,
    productIds.length === 0 ? null : { query: { status: 'active', productId: productIds } },
    { revalidateOnMount: true, keepPreviousData: true },
  )
  const known = data && boostableOf(data)
  const chosen = known && productIds.flatMap((id) => known.find((product) => product.id === id) ?? [])
  return { ...rest, products: productIds.length === 0 ? noProducts : chosen }
}

/** The own orders that can still be paid; none while they are not known. */
export function useWaitingPayments() {
  const { data, mutate } = useApi(
    boostRoutes.listPayments,
    { query: { limit: String(WAITING_MAX) } },
    { revalidateOnMount: true },
  )
  return { waiting: data?.filter(({ status }) => status === 'pending') ?? [], reload: () => void mutate() }
}

/** Who comes back sees at once what has changed; nobody asks for a tab that is hidden. */
const watching = {
  revalidateOnMount: true,
  revalidateOnFocus: true,
  shouldRetryOnError: true,
} satisfies SWRConfiguration

/** All own orders, the latest first, page after page; asked for again while one is about to change. */
export function usePayments() {
  const sellerId = useUser()?.id
  const { data, error, size, setSize, isValidating, mutate } = useSWRInfinite<PageOf<BoostPayment[]>, Error>(
    (_: number, previous: PageOf<BoostPayment[]> | null) =>
      sellerId === undefined || (previous && previous.nextCursor === null)
        ? null
        : [urlOf(boostRoutes.listPayments, {}), sellerId, previous?.nextCursor ?? null],
    ([, , cursor]: readonly [string, number, string | null]) =>
      callPage(boostRoutes.listPayments, { query: { limit: String(PAGE_PAYMENTS), cursor: cursor ?? undefined } }),
    {
      ...watching,
      refreshInterval: (pages) =>
        watchInterval((pages ?? []).flatMap(({ answer }) => answer.filter((each) => isUnderWay(each, serverNow())))),
    },
  )
  return {
    payments: data?.flatMap(({ answer }) => answer),
    error,
    hasMore: data?.at(-1)?.nextCursor != null,
    isLoadingMore: isValidating && data !== undefined && data.length < size,
    showMore: () => void setSize(size + 1),
    reload: () => void mutate(),
  }
}

export function usePayment(orderId: string) {
  return useApi(boostRoutes.getPayment, { params: { orderId } }, { revalidateOnMount: true })
}

/** The own cases that are not settled, the latest first, page after page; asked for again while one is about to be settled. */
export function useCases() {
  const sellerId = useUser()?.id
  const chosenSince = useRef<number | null>(null)
  const queryOf = (cursor: string | null) =>
    ({ state: 'unsettled', limit: String(PAGE_CASES), cursor: cursor ?? undefined }) as const
  const { data, error, size, setSize, isValidating, mutate } = useSWRInfinite<PageOf<BoostCase[]>, Error>(
    (_: number, previous: PageOf<BoostCase[]> | null) =>
      sellerId === undefined || (previous && previous.nextCursor === null)
        ? null
        : [urlOf(boostRoutes.listCases, { query: queryOf(null) }), sellerId, previous?.nextCursor ?? null],
    ([, , cursor]: readonly [string, number, string | null]) =>
      callPage(boostRoutes.listCases, { query: queryOf(cursor) }),
    {
      ...watching,
      refreshInterval: (pages) => {
        if (!pages?.some(({ answer }) => answer.some(({ state }) => state === 'chosen'))) chosenSince.current = null
        else chosenSince.current ??= Date.now()
        return chosenSince.current === null ? 0 : watchAfter(Date.now() - chosenSince.current)
      },
    },
  )
  return {
    cases: data?.flatMap(({ answer }) => answer),
    error,
    hasMore: data?.at(-1)?.nextCursor != null,
    isLoadingMore: isValidating && data !== undefined && data.length < size,
    showMore: () => void setSize(size + 1),
    reload: () => void mutate(),
  }
}

/** In how many ms is asked again for what has waited so long. */
function watchAfter(ageMs: number): number {
  return Math.min(WATCH_MAX_MS, Math.max(WATCH_MIN_MS, ageMs * WATCH_PART))
}

/** The same for payments, of which the one that has changed last counts; 0 for none. */
function watchInterval(underWay: readonly BoostPayment[]): number {
  if (underWay.length === 0) return 0
  return watchAfter(serverNow() - Math.max(...underWay.map(({ updatedAt }) => Date.parse(updatedAt))))
}

/** Whether it is about to change: ordered a moment ago and not paid yet, or paid and not yet boosted. */
export function isUnderWay({ status, products, updatedAt }: BoostPayment, nowMs: number): boolean {
  if (status === 'paid') return products.some(({ state }) => state === 'waiting')
  return status === 'pending' && nowMs - Date.parse(updatedAt) < UNDER_WAY_MS
}

/** The other shape is that of the dashboard. */
function boostableOf(products: readonly (OwnProduct | BoostableProduct)[]): readonly BoostableProduct[] {
  return products.filter((product): product is BoostableProduct => 'image_url' in product)
}
