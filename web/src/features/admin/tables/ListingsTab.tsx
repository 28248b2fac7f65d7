import { type AdminListing, adminRoutes, ListingStatus } from '@wangian/contracts/admin.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import { useMemo } from 'react'
import { Link } from 'react-router-dom'
import type { Translate } from '../../../i18n/translate.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import type { Column } from '../../../ui/DataTable.tsx'
import { type MenuAction, RowMenu } from '../../../ui/RowMenu.tsx'
import { Amount, ListingStanding, PersonLink } from '../names.tsx'
import { useListingActions } from '../use-listing-actions.tsx'
import { everything, Narrowed, sortOf, TableView } from './TableView.tsx'
import { useTableAddress } from './table-address.ts'
import { pageRows, useTable } from './use-table.ts'

const sorts = ['name-asc', 'name-desc', 'price-asc', 'price-desc'] as const

/** The listings of everybody, also those that were taken away. */
export function ListingsTab() {
  const { t } = useTranslation()
  const address = useTableAddress({ status: ListingStatus.options, sort: sorts })
  const { search, chosen, user, cursor } = address
  const table = useTable(adminRoutes.listListings, {
    search: search || undefined,
    ...chosen,
    sellerId: user,
    cursor,
    limit: pageRows,
  })
  const { actionsOf, dialog } = useListingActions((changed) =>
    table.change((listing) => (listing.id === changed.id ? changed : listing)),
  )
  const columns = useMemo(() => listingColumns(t, actionsOf), [t, actionsOf])
  return (
    <>
      <TableView
        tab="listings"
        title={t('admin.listings.title')}
        count={(count) => t('admin.listings.count', { count })}
        address={address}
        table={table}
        columns={columns}
        keyOf={({ id }) => id}
        search={{ label: t('admin.listings.search'), placeholder: t('admin.listings.searchPlaceholder') }}
        filters={[
          {
            name: 'status',
            label: t('admin.columns.status'),
            otherwise: everything(t('admin.anyStatus')),
            options: ListingStatus.options.map((value) => ({ value, label: t(`admin.listingStatus.${value}`) })),
          },
          sortOf(t, sorts),
        ]}
        narrowed={
          user !== undefined && (
            <Narrowed onClear={() => address.change({ user: undefined })}>{t('admin.ofUser', { id: user })}</Narrowed>
          )
        }
        empty={{ title: t('admin.listings.empty'), text: t('admin.listings.emptyText') }}
      />
      {dialog}
    </>
  )
}

export function listingColumns(
  t: Translate,
  actionsOf: (listing: AdminListing) => readonly MenuAction[],
): readonly Column<AdminListing>[] {
  return [
    { key: 'id', head: t('admin.columns.id'), cell: ({ id }) => id },
    {
      key: 'product',
      head: t('admin.columns.product'),
      isTitle: true,
      cell: ({ id, name }) => <Link to={paths.adminListing(id)}>{name}</Link>,
    },
    { key: 'brand', head: t('admin.columns.brand'), isText: true, cell: ({ brand }) => brand },
    {
      key: 'price',
      head: t('admin.columns.price'),
      isNumber: true,
      cell: ({ price, listingType }) => (
        <Amount>
          {listingType === 'auction'
            ? t('admin.listings.startsAt', { price: formatRinggit(price) })
            : formatRinggit(price)}
        </Amount>
      ),
    },
    {
      key: 'seller',
      head: t('admin.columns.seller'),
      isText: true,
      cell: ({ seller }) => <PersonLink person={seller} />,
    },
    { key: 'status', head: t('admin.columns.status'), cell: (listing) => <ListingStanding listing={listing} /> },
    {
      key: 'actions',
      head: t('admin.columns.actions'),
      isActions: true,
      cell: (listing) => <RowMenu label={t('admin.actionsFor', { name: listing.name })} actions={actionsOf(listing)} />,
    },
  ]
}
