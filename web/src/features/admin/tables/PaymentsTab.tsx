import { type AdminPayment, adminRoutes } from '@wangian/contracts/admin.ts'
import { PaymentStatus } from '@wangian/contracts/boost.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import { useMemo } from 'react'
import { styled } from 'styled-components'
import { sentenceInPageLanguage } from '../../../i18n/in-page-language.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { formatDateTime } from '../../../lib/date-time.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { space } from '../../../theme/theme.ts'
import type { Column } from '../../../ui/DataTable.tsx'
import { Status } from '../../../ui/Status.tsx'
import { Amount, PersonLink, Small } from '../names.tsx'
import { AlertsWaiting } from './AlertsWaiting.tsx'
import { CasesWaiting } from './CasesWaiting.tsx'
import { everything, Narrowed, sortOf, TableView } from './TableView.tsx'
import { useTableAddress } from './table-address.ts'
import { pageRows, useTable } from './use-table.ts'

const sorts = ['total-asc', 'total-desc'] as const

/** What needs a person first, and below it the payments of everybody. */
export function PaymentsTab() {
  const { t } = useTranslation()
  const address = useTableAddress({ status: PaymentStatus.options, sort: sorts })
  const { search, chosen, user, cursor } = address
  const table = useTable(adminRoutes.listPayments, {
    search: search || undefined,
    ...chosen,
    userId: user,
    cursor,
    limit: pageRows,
  })
  const columns = useMemo(() => paymentColumns(t), [t])
  return (
    <Parts>
      <AlertsWaiting />
      <CasesWaiting />
      <section>
        <TableView
          tab="payments"
          title={t('admin.payments.title')}
          count={(count) => t('admin.payments.count', { count })}
          address={address}
          table={table}
          columns={columns}
          keyOf={({ id }) => id}
          search={{ label: t('admin.payments.search'), placeholder: t('admin.payments.searchPlaceholder') }}
          filters={[
            {
              name: 'status',
              label: t('admin.columns.status'),
              otherwise: everything(t('admin.anyStatus')),
              options: PaymentStatus.options.map((value) => ({ value, label: t(`admin.paymentStatus.${value}`) })),
            },
            sortOf(t, sorts),
          ]}
          narrowed={
            user !== undefined && (
              <Narrowed onClear={() => address.change({ user: undefined })}>{t('admin.ofUser', { id: user })}</Narrowed>
            )
          }
          empty={{ title: t('admin.payments.empty'), text: t('admin.payments.emptyText') }}
        />
      </section>
    </Parts>
  )
}

const tones = { pending: 'warn', paid: 'ok', failed: 'live', cancelled: 'muted' } as const satisfies Record<
  PaymentStatus,
  string
>

export function paymentColumns(t: Translate): readonly Column<AdminPayment>[] {
  return [
    {
      key: 'id',
      head: t('admin.columns.payment'),
      isTitle: true,
      cell: ({ id, packageName }) => (
        <>
          {t('admin.number', { id })}
          <Small>{sentenceInPageLanguage(packageName)}</Small>
        </>
      ),
    },
    { key: 'user', head: t('admin.columns.seller'), isText: true, cell: ({ user }) => <PersonLink person={user} /> },
    {
      key: 'products',
      head: t('admin.columns.products'),
      isText: true,
      cell: ({ products }) => products.map(({ name }) => name).join(', '),
    },
    {
      key: 'amount',
      head: t('admin.columns.amount'),
      isNumber: true,
      cell: ({ amount }) => <Amount>{formatRinggit(ringgitFromSen(amount))}</Amount>,
    },
    { key: 'date', head: t('admin.columns.date'), cell: ({ createdAt }) => formatDateTime(createdAt) },
    {
      key: 'status',
      head: t('admin.columns.status'),
      cell: ({ status }) => <Status tone={tones[status]}>{t(`admin.paymentStatus.${status}`)}</Status>,
    },
    { key: 'bill', head: t('admin.columns.bill'), isText: true, cell: ({ billId }) => billId ?? t('admin.none') },
  ]
}

const Parts = styled.div`
  display: grid;
  gap: ${space(12)};
  & > * { min-width: 0; }
`
