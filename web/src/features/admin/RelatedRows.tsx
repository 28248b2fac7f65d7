import { adminRoutes } from '@wangian/contracts/admin.ts'
import type { Route } from '@wangian/contracts/route.ts'
import { useMemo } from 'react'
import { Link } from 'react-router-dom'
import type { AnswerOf, InputOf } from '../../api/client.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import type { Column } from '../../ui/DataTable.tsx'
import { Small } from './names.tsx'
import { activityColumns } from './tables/ActivityTab.tsx'
import { orderColumns } from './tables/OrdersTab.tsx'
import { type Table, useTable } from './tables/use-table.ts'
import { Waiting } from './tables/Waiting.tsx'
import { useOrderActions } from './use-order-actions.tsx'
import { useRefresh } from './use-refresh.ts'

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

/** The latest orders of somebody, or of a listing, each with its moves. */
export function RelatedOrders({ of }: { of: { readonly user: number } | { readonly product: number } }) {
  const { t } = useTranslation()
  const { actionsOf, dialog } = useOrderActions(useRefresh())
  const columns = useMemo(() => orderColumns(t, actionsOf), [t, actionsOf])
  return (
    <>
      <RelatedRows
        title={t('admin.orders.title')}
        route={adminRoutes.listOrders}
        query={'user' in of ? { userId: of.user } : { productId: of.product }}
        columns={columns}
        empty={t('admin.orders.none')}
        all={paths.adminDashboard('orders', of)}
      />
      {dialog}
    </>
  )
}

/** The latest that administrators did, about something or one of them. */
export function RelatedActivity(of: {
  title: string
  query: InputOf<typeof adminRoutes.listActivity>['query']
  all?: string
}) {
  const { t } = useTranslation()
  const columns = useMemo(() => activityColumns(t), [t])
  return <RelatedRows {...of} route={adminRoutes.listActivity} columns={columns} empty={t('admin.activity.none')} />
}

type RowOf<R extends Route> = (AnswerOf<R> extends readonly (infer Row)[] ? Row : never) & {
  readonly id: string | number
}
