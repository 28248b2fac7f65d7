import type { Route } from '@wangian/contracts/route.ts'
import { Link } from 'react-router-dom'
import type { AnswerOf, InputOf } from '../../api/client.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import type { Column } from '../../ui/DataTable.tsx'
import { Small } from './names.tsx'
import { type Table, useTable } from './tables/use-table.ts'
import { Waiting } from './tables/Waiting.tsx'

const rowsMax = 5

/** The latest rows that belong to somebody or something, and the way to all of them. */
export function RelatedRows<R extends Route>({
  title,
  route,
  query,
  columns,
  empty,
  all,
}: {
  title: string
  route: R
  query: InputOf<R>['query']
  columns: readonly Column<RowOf<R>>[]
  empty: string
  /** Where all of them are; without it the timeline has the others. */
  all?: string
}) {
  const { t } = useTranslation()
  const table = useTable(route, { ...query, limit: rowsMax } as InputOf<R>['query']) as Table<RowOf<R>>
  const hasMore = table.nextCursor !== null
  return (
    <Waiting
      title={title}
      tables={[table]}
      columns={columns}
      keyOf={({ id }) => id}
      empty={empty}
      aside={
        hasMore &&
        (all === undefined ? (
          <Small as="p">{t('admin.onlyLatest', { count: rowsMax })}</Small>
        ) : (
          <Link to={all}>{table.total === null ? t('admin.seeAll') : t('admin.seeAllOf', { count: table.total })}</Link>
        ))
      }
    />
  )
}

type RowOf<R extends Route> = (AnswerOf<R> extends readonly (infer Row)[] ? Row : never) & {
  readonly id: string | number
}
