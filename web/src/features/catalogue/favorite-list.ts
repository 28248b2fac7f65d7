import { shopRoutes } from '@wangian/contracts/shop.ts'
import { useEffect, useRef } from 'react'
import useSWRInfinite from 'swr/infinite'
import { type AnswerOf, callPage, type PageOf } from '../../api/client.ts'
import { useSavedFavorites } from '../../cards/saved-favorites.ts'

const PAGE_FAVORITES = 24

type FavoritesPage = PageOf<AnswerOf<typeof shopRoutes.listFavorites>>
type Key = readonly [name: string, userId: number, cursor: string | null]

/** What somebody has saved, page after page. What is taken off while the list is open keeps its place, should it come back. */
export function useFavorites(userId: number) {
  const { data, error, size, setSize, isValidating, mutate } = useSWRInfinite<FavoritesPage, Error>(
    (_: number, previous: FavoritesPage | null): Key | null =>
      previous && previous.nextCursor === null ? null : ['favorites', userId, previous?.nextCursor ?? null],
    ([, , cursor]: Key) =>
      callPage(shopRoutes.listFavorites, { query: { limit: PAGE_FAVORITES, cursor: cursor ?? undefined } }),
    { revalidateFirstPage: false, revalidateOnMount: true },
  )
  const products = data?.flatMap((page) => page.answer)

  // Saved elsewhere meanwhile, or by signing in. Once for each, because what nobody can see any more is never in the list.
  const newestId = useSavedFavorites(userId)?.[0]
  const askedFor = useRef(newestId)
  const isMissing = newestId !== undefined && products !== undefined && !products.some(({ id }) => id === newestId)
  useEffect(() => {
    if (!isMissing || askedFor.current === newestId) return
    askedFor.current = newestId
    void mutate()
  }, [isMissing, newestId, mutate])

  return {
    products,
    error,
    hasMore: data?.at(-1)?.nextCursor != null,
    isLoadingMore: isValidating && data !== undefined && data.length < size,
    showMore: () => void setSize(size + 1),
    reload: () => void mutate(),
  }
}
