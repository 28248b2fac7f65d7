import { type AdminOrder, adminRoutes } from '@wangian/contracts/admin.ts'
import { OrderStatus } from '@wangian/contracts/messaging.ts'
import { useMemo } from 'react'
import { Link } from 'react-router-dom'
import type { Translate } from '../../../i18n/translate.ts'
import { formatDateTime } from '../../../lib/date-time.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import type { Column } from '../../../ui/DataTable.tsx'
import { type MenuAction, RowMenu } from '../../../ui/RowMenu.tsx'
import { OrderStanding, orderAmount, PersonLink, Small } from '../names.tsx'
import { useOrderActions } from '../use-order-actions.tsx'
import { everything, Narrowed, sortOf, TableView } from './TableView.tsx'
import { useTableAddress } from './table-address.ts'
import { pageRows, useTable } from './use-table.ts'

const sorts = ['total-asc', 'total-desc'] as const

/** The orders of everybody. */
export function OrdersTab() {
  const { t } = useTranslation()
  const address = useTableAddress({ status: OrderStatus.options, sort: sorts })
  const { search, chosen, user, product, cursor } = address
  const table = useTable(adminRoutes.listOrders, {
    search: search || undefined,
    ...chosen,
    userId: user,
    productId: product,
    cursor,
    limit: pageRows,
  })
  const { actionsOf, dialog } = useOrderActions((changed) =>
    table.change((order) => (order.id === changed.id ? changed : order)),
  )
  const columns = useMemo(() => orderColumns(t, actionsOf), [t, actionsOf])
  return (
    <>
      <TableView
        tab="orders"
        title={t('admin.orders.title')}
        count={(count) => t('admin.orders.count', { count })}
        address={address}
        table={table}
        columns={columns}
        keyOf={({ id }) => id}
        search={{ label: t('admin.orders.search'), placeholder: t('admin.orders.searchPlaceholder') }}
        filters={[
          {
            name: 'status',
            label: t('admin.columns.status'),
            otherwise: everything(t('admin.anyStatus')),
            options: OrderStatus.options.map((value) => ({ value, label: t(`admin.orderStatus.${value}`) })),
          },
          sortOf(t, sorts),
        ]}
        narrowed={
          (user ?? product) !== undefined && (
            <Narrowed onClear={() => address.change({ user: undefined, product: undefined })}>
              {user !== undefined ? t('admin.ofUser', { id: user }) : t('admin.ofListing', { id: product ?? 0 })}
            </Narrowed>
          )
        }
        empty={{ title: t('admin.orders.empty'), text: t('admin.orders.emptyText') }}
      />
      {dialog}
    </>
  )
}

export function orderColumns(
  t: Translate,
  actionsOf: (order: AdminOrder) => readonly MenuAction[],
): readonly Column<AdminOrder>[] {
  return [
    {
      key: 'id',
      head: t('admin.columns.orderId'),
      isTitle: true,
      cell: ({ id, product }) => (
        <>
          <Link to={paths.adminOrder(id)}>{t('admin.number', { id })}</Link>
          <Small>{product.name}</Small>
        </>
      ),
    },
    {
      key: 'user',
      head: t('admin.columns.user'),
      isText: true,
      cell: ({ user }) => (
        <>
          <PersonLink person={user} />
          <Small>{t('admin.idOf', { id: user.id })}</Small>
        </>
      ),
    },
    { key: 'total', head: t('admin.columns.total'), isNumber: true, cell: ({ total }) => orderAmount(total) },
    { key: 'date', head: t('admin.columns.date'), cell: ({ createdAt }) => formatDateTime(createdAt) },
    { key: 'status', head: t('admin.columns.status'), cell: ({ status }) => <OrderStanding status={status} /> },
    {
      key: 'actions',
      head: t('admin.columns.actions'),
      isActions: true,
      cell: (order) => (
        <RowMenu
          label={t('admin.actionsFor', { name: t('admin.orderNo', { id: order.id }) })}
          actions={actionsOf(order)}
        />
      ),
    },
  ]
}
