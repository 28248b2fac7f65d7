import type { BoostableProduct } from '@wangian/contracts/selling.ts'
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { folded } from '../../../lib/folded.ts'

/** So many are shown at first, and so many more each time. */
const PAGE_PRODUCTS = 50
/** Fewer are seen at a glance. */
const SEARCHED_MIN = 8

export interface ProductFinder<List extends HTMLElement> {
  /** Whether there are enough of them to search among. */
  readonly isSearchable: boolean
  readonly search: string
  readonly onSearch: (words: string) => void
  readonly foundCount: number
  readonly shown: readonly BoostableProduct[]
  readonly hasMore: boolean
  readonly onMore: () => void
  /** Of the list that is shown: the first input of what is added gets the focus. */
  readonly list: RefObject<List | null>
}

/** Finds own products by the words of their names, and shows so many at a time that a seller of hundreds can choose. */
export function useProductFinder<List extends HTMLElement>(
  products: readonly BoostableProduct[] | undefined,
  chosenIds: readonly number[] = [],
): ProductFinder<List> {
  const [search, setSearch] = useState('')
  const [shownMax, setShownMax] = useState(PAGE_PRODUCTS)
  // What one comes with stands first, where it is seen; what is chosen here stays where it is.
  const [firstIds] = useState(chosenIds)
  const list = useRef<List>(null)
  const focusFrom = useRef<number | null>(null)
  const found = useMemo(() => {
    const words = folded(search).split(/\s+/).filter(Boolean)
    const matching = (products ?? []).filter(({ name }) => {
      const inName = folded(name)
      return words.every((word) => inName.includes(word))
    })
    const isFirst = ({ id }: BoostableProduct) => firstIds.includes(id)
    return [...matching.filter(isFirst), ...matching.filter((product) => !isFirst(product))]
  }, [products, search, firstIds])
  useEffect(() => {
    if (focusFrom.current === null) return
    list.current?.querySelectorAll('input')[focusFrom.current]?.focus()
    focusFrom.current = null
  })
  return {
    isSearchable: (products?.length ?? 0) >= SEARCHED_MIN,
    search,
    onSearch: useCallback((words: string) => {
      setSearch(words)
      setShownMax(PAGE_PRODUCTS)
    }, []),
    foundCount: found.length,
    shown: found.slice(0, shownMax),
    hasMore: found.length > shownMax,
    onMore: () => {
      focusFrom.current = shownMax
      setShownMax(shownMax + PAGE_PRODUCTS)
    },
    list,
  }
}
