import { catalogueRoutes, type Product } from '@wangian/contracts/catalogue.ts'
import { useEffect, useMemo } from 'react'
import { useLocation, useNavigationType } from 'react-router-dom'
import useSWRInfinite from 'swr/infinite'
import { type AnswerOf, callPage, type PageOf, urlOf } from '../../api/client.ts'
import { useServed } from '../../api/served-answers.ts'
import { useApi } from '../../api/use-api.ts'
import { recallPlace, rememberPlace } from '../../lib/place-memory.ts'
import { useRenderedAt } from '../../lib/rendered-at.ts'
import { facetsQueryOf, listQueryOf, type ProductFilters, type ProductQuery } from './product-query.ts'

/** How many products come at a time. */
export const PAGE_PRODUCTS = 24
/** After a reload no more pages than this are read again at once. */
const PAGES_RECALLED_MAX = 20

type ProductsPage = PageOf<AnswerOf<typeof catalogueRoutes.listProducts>>

/**
 * The products of a list, page after page. Going back shows the pages that were open, from memory; arriving in any other way
 * begins with the first one, and reads it anew.
 */
export function useProducts(query: ProductQuery) {
  const { listProducts } = catalogueRoutes
  const first = { ...listQueryOf(query), limit: PAGE_PRODUCTS }
  const queryOf = (cursor: string | null) => ({ ...first, cursor: cursor ?? undefined })
  const { key: place } = useLocation()
  const isReturn = useNavigationType() === 'POP'
  const recalledPages = useMemo(() => (isReturn ? (recallPlace(place).pages ?? 1) : 1), [place, isReturn])
  const served = useServed(listProducts, urlOf(listProducts, { query: first }))
  // What was rendered elsewhere is the first page.
  const isTakenOver = useRenderedAt() !== null
  const { data, error, size, setSize, isValidating, mutate } = useSWRInfinite<ProductsPage, Error>(
    (_: number, previous: ProductsPage | null) =>
      previous && previous.nextCursor === null
        ? null
        : [
            'products',
            urlOf(listProducts, { query: queryOf(previous?.nextCursor ?? null) }),
            previous?.nextCursor ?? null,
          ],
    ([, , cursor]: readonly [string, string, string | null]) => callPage(listProducts, { query: queryOf(cursor) }),
    {
      revalidateFirstPage: false,
      initialSize: isTakenOver ? 1 : recalledPages,
      ...(served && { fallbackData: [served] }),
    },
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each arrival, with what was known then
  useEffect(() => {
    if (size < recalledPages) void setSize(recalledPages)
    else if (data !== undefined && !isReturn) void setSize(1).then(() => mutate())
  }, [place])
  useEffect(() => rememberPlace(place, { pages: Math.min(size, PAGES_RECALLED_MAX) }), [place, size])

  return {
    products: data && onceEach(data.flatMap((page) => page.answer)),
    total: data?.[0]?.total ?? null,
    error,
    hasMore: data?.at(-1)?.nextCursor != null,
    isLoadingMore: isValidating && data !== undefined && data.length < size,
    showMore: () => void setSize(size + 1),
    reload: () => void mutate(),
  }
}

/** What has changed its place between two pages, such as an auction that was bid on, is on both: it stays where it was, as it was read last. */
function onceEach(products: readonly Product[]): readonly Product[] {
  return [...new Map(products.map((product) => [product.id, product])).values()]
}

/**
 * What the whole list holds, and how its search was understood; `facets` are `null` when they could not be read. While other filters are tried out, what
 * it held before stays in sight until that is known.
 */
export function useFacets(query: ProductFilters & { readonly search: string }) {
  const { listFacets } = catalogueRoutes
  const input = { query: facetsQueryOf(query) }
  const { data, error } = useApi(listFacets, input)
  const { data: shown } = useApi(listFacets, input, { keepPreviousData: true })
  return { facets: data ?? (error ? null : shown), correctedSearch: data?.correctedSearch }
}
