import type { Route } from '@wangian/contracts/route.ts'
import useSWR from 'swr'
import { changeKnown, unasked } from '../../../api/change-known.ts'
import { type AnswerOf, callPage, type InputOf, urlOf } from '../../../api/client.ts'

/** So many rows are on a page. */
export const pageRows = 25

export interface Table<Row> {
  /** `undefined` while the first ones load. Those of before stay until the next ones are there. */
  readonly rows: readonly Row[] | undefined
  /** They are of what was shown before. */
  readonly isOld: boolean
  /** Of all pages; `null` while it is not known. */
  readonly total: number | null
  readonly nextCursor: string | null
  readonly error: Error | undefined
  readonly reload: () => void
  /** Shows rows as they now are, or without one (`null`). */
  readonly change: (change: (row: Row) => Row | null) => void
}

interface Page<Row> {
  readonly key: string
  readonly rows: readonly Row[]
  readonly total: number | null
  readonly nextCursor: string | null
}

/** One page of a table for administrators, read anew whenever it comes into view: others change what it shows. */
export function useTable<R extends Route>(
  route: R,
  query: InputOf<R>['query'] | null,
  options: { readonly refreshInterval?: number } = {},
): Table<AnswerOf<R> extends readonly (infer Row)[] ? Row : never> {
  type Row = AnswerOf<R> extends readonly (infer Row)[] ? Row : never
  const key = query === null ? null : urlOf(route, { query } as Parameters<typeof urlOf>[1])
  const { data, error, mutate } = useSWR<Page<Row>, Error, readonly [string, string] | null>(
    key === null ? null : ['admin', key],
    async ([, address]) => {
      const { answer, total, nextCursor } = await callPage(route, { query } as unknown as InputOf<R>)
      return { key: address, rows: answer as readonly Row[], total, nextCursor }
    },
    { keepPreviousData: true, revalidateOnMount: true, ...options },
  )
  const isOld = data !== undefined && data.key !== key
  return {
    rows: isOld && error ? undefined : data?.rows,
    isOld,
    total: data?.total ?? null,
    nextCursor: isOld ? null : (data?.nextCursor ?? null),
    error,
    reload: () => void mutate(),
    change: (change) =>
      void changeKnown<Page<Row>>({ set: (page) => mutate(page, unasked), ask: mutate }, (page) =>
        changedPage(page, change),
      ),
  }
}

function changedPage<Row>(page: Page<Row>, change: (row: Row) => Row | null): Page<Row> {
  const rows = page.rows.flatMap((row) => change(row) ?? [])
  return { ...page, rows, total: page.total && page.total - (page.rows.length - rows.length) }
}
