import { type SellerProductSort, type SellerProductStatus, shopRoutes } from '@wangian/contracts/shop.ts'
import useSWRInfinite from 'swr/infinite'
import { type AnswerOf, callPage, type PageOf, urlOf } from '../../api/client.ts'
import { useApi } from '../../api/use-api.ts'

type ReviewsPage = PageOf<AnswerOf<typeof shopRoutes.listSellerReviews>>

/** What everybody may know of somebody. */
export function useSeller(sellerId: number) {
  return useApi(shopRoutes.getSeller, { params: { sellerId } })
}

/** One page of what somebody sells or has sold. */
export function useSellerProducts(
  sellerId: number,
  query: { status: SellerProductStatus; sort: SellerProductSort; page: number },
) {
  return useApi(shopRoutes.listSellerProducts, { params: { sellerId }, query })
}

/** What buyers said of somebody, page after page. */
export function useSellerReviews(sellerId: number) {
  const { listSellerReviews } = shopRoutes
  const inputOf = (cursor: string | null) => ({ params: { sellerId }, query: { cursor: cursor ?? undefined } })
  const { data, error, size, setSize, isValidating, mutate } = useSWRInfinite<ReviewsPage>(
    (_: number, previous: ReviewsPage | null) =>
      previous && previous.nextCursor === null
        ? null
        : ['reviews', urlOf(listSellerReviews, inputOf(previous?.nextCursor ?? null)), previous?.nextCursor ?? null],
    ([, , cursor]: readonly [string, string, string | null]) => callPage(listSellerReviews, inputOf(cursor)),
    { revalidateFirstPage: false, revalidateOnMount: true },
  )
  return {
    reviews: data?.flatMap((page) => page.answer.reviews),
    error: error as Error | undefined,
    hasMore: data?.at(-1)?.nextCursor != null,
    isLoadingMore: isValidating && data !== undefined && data.length < size,
    showMore: () => void setSize(size + 1),
    reload: () => void mutate(),
  }
}
