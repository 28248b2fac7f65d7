import { catalogueRoutes, type Product } from '@wangian/contracts/catalogue.ts'
import useSWR from 'swr'
import useSWRInfinite from 'swr/infinite'
import { isApiError } from '../../api/api-error.ts'
import { type AnswerOf, call, callPage, type PageOf, urlOf } from '../../api/client.ts'

const pageSize = 24

export interface ProductFilter {
  readonly category?: number | undefined
  readonly search?: string | undefined
  readonly type?: 'auction' | undefined
}

type ProductsPage = PageOf<AnswerOf<typeof catalogueRoutes.listProducts>>

/** The products that pass a filter, page after page. */
export function useProducts(filter: ProductFilter) {
  const { listProducts } = catalogueRoutes
  const queryOf = (cursor: string | null) => ({ ...filter, limit: pageSize, cursor: cursor ?? undefined })
  const { data, error, size, setSize, isValidating, mutate } = useSWRInfinite<ProductsPage>(
    (_: number, previous: ProductsPage | null) =>
      previous && previous.nextCursor === null
        ? null
        : [
            'products',
            urlOf(listProducts, { query: queryOf(previous?.nextCursor ?? null) }),
            previous?.nextCursor ?? null,
          ],
    ([, , cursor]: readonly [string, string, string | null]) => callPage(listProducts, { query: queryOf(cursor) }),
    { revalidateFirstPage: false },
  )
  return {
    products: data?.flatMap((page) => page.answer),
    total: data?.[0]?.total ?? null,
    error: error as Error | undefined,
    hasMore: data?.at(-1)?.nextCursor != null,
    isLoadingMore: isValidating && data !== undefined && data.length < size,
    showMore: () => void setSize(size + 1),
    reload: () => void mutate(),
  }
}

/** The products with these ids that can still be seen, in their order. */
export function useProductsById(productIds: readonly number[]) {
  return useSWR(
    productIds.length > 0 ? ['products-by-id', ...productIds] : null,
    async () => (await Promise.all(productIds.map(findProduct))).filter((product) => product !== null),
    { keepPreviousData: true },
  )
}

/** A listing may have been taken down while its auction is still in the list. */
async function findProduct(productId: number): Promise<Product | null> {
  try {
    return await call(catalogueRoutes.getProduct, { params: { productId } })
  } catch (error) {
    if (isApiError(error, 'product-not-found')) return null
    throw error
  }
}
