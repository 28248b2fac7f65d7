import type { BoostableProduct } from '@wangian/contracts/selling.ts'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { useBoostableProducts, useChosenProducts } from './api.ts'

/** Fewer are seen at a glance. */
const SEARCHED_MIN = 8

export interface ProductFinder<List extends HTMLElement> {
  /** Whether there are enough of them to search among. */
  readonly isSearchable: boolean
  readonly search: string
  readonly onSearch: (words: string) => void
  /** What was searched for when those that are shown were found. */
  readonly searched: string
  readonly foundCount: number
  /** `undefined` while they load. */
  readonly shown: readonly BoostableProduct[] | undefined
  /** There is nothing to boost at all. */
  readonly isEmpty: boolean
  /** What one came with and cannot be boosted any more. */
  readonly goneIds: readonly number[]
  readonly hasFailed: boolean
  readonly reload: () => void
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly onMore: () => void
  /** Of the list that is shown: the first input of what is added gets the focus. */
  readonly list: RefObject<List | null>
}

/** Finds what can be boosted by its words, and shows so many at a time that a seller of thousands can choose. */
export function useProductFinder<List extends HTMLElement>(chosenIds: readonly number[] = []): ProductFinder<List> {
  const [search, setSearch] = useState('')
  // What one comes with stands first, where it is seen; what is chosen here stays where it is.
  const [firstIds] = useState(chosenIds)
  const first = useChosenProducts(firstIds)
  const found = useBoostableProducts(search)
  const list = useRef<List>(null)
  const focusFrom = useRef<number | null>(null)
  useEffect(() => {
    if (focusFrom.current === null) return
    const input = list.current?.querySelectorAll('input')[focusFrom.current]
    if (!input) return
    input.focus()
    focusFrom.current = null
  })
  const { products, searched } = found
  const isFirst = ({ id }: BoostableProduct) => firstIds.includes(id)
  const firstFound = searched === '' ? first.products : products?.filter(isFirst)
  const shown = products && firstFound && [...firstFound, ...products.filter((product) => !isFirst(product))]
  const isFoundFailed = found.error !== undefined && !found.isValidating && (!products || searched !== search)
  return {
    isSearchable: search !== '' || searched !== '' || (shown?.length ?? 0) >= SEARCHED_MIN,
    search,
    onSearch: useCallback((words: string) => {
      focusFrom.current = null
      setSearch(words)
    }, []),
    searched,
    foundCount: found.total ?? products?.length ?? 0,
    shown,
    isEmpty: search === '' && searched === '' && shown?.length === 0,
    goneIds: firstIds.filter((id) => first.products?.every((product) => product.id !== id)),
    hasFailed: isFoundFailed || (first.error !== undefined && !first.products && !first.isValidating),
    reload: () => {
      found.reload()
      void first.mutate()
    },
    hasMore: found.hasMore,
    isLoadingMore: found.isLoadingMore,
    onMore: () => {
      focusFrom.current = shown?.length ?? null
      found.showMore()
    },
    list,
  }
}
