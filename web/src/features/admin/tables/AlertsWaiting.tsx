import { boostRoutes, type PaymentAlert } from '@wangian/contracts/boost.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import { useMemo, useState } from 'react'
import { call } from '../../../api/client.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { formatDateTime } from '../../../lib/date-time.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { Button } from '../../../ui/Button.tsx'
import type { Column } from '../../../ui/DataTable.tsx'
import { Status } from '../../../ui/Status.tsx'
import { ActionDialog } from '../actions.tsx'
import { Amount, PersonLink, Small, Whole } from '../names.tsx'
import { useTable } from './use-table.ts'
import { Waiting } from './Waiting.tsx'

const alertsMax = 100

/** What the payment provider has signed and fits no order, until somebody has looked at it. */
export function AlertsWaiting() {
  const { t } = useTranslation()
  const table = useTable(boostRoutes.listPaymentAlerts, { state: 'open', limit: alertsMax })
  const [asked, setAsked] = useState<PaymentAlert | null>(null)
  const columns = useMemo(() => columnsOf(t, setAsked), [t])
  const leave = (id: number) => {
    // Behind the last one here there may be more.
    if (table.rows?.length === 1 && table.nextCursor !== null) table.reload()
    else table.change((alert) => (alert.id === id ? null : alert))
  }
  return (
    <>
      <Waiting
        title={t('admin.alerts.title')}
        intro={t('admin.alerts.intro')}
        tables={[table]}
        columns={columns}
        keyOf={({ id }) => id}
        empty={t('admin.alerts.empty')}
      />
      {asked && (
        <ActionDialog<PaymentAlert | null>
          question={{
            title: t('admin.closeAlert.title', { id: asked.id }),
            words: t('admin.closeAlert.text'),
            confirm: t('admin.closeAlert.confirm'),
            tone: 'primary',
            isReasonRequired: true,
            reasonLabel: t('admin.closeAlert.how'),
          }}
          deed={{
            run: (reason) =>
              call(boostRoutes.closePaymentAlert, { params: { alertId: asked.id }, body: { reason: reason ?? '' } }),
            reread: async () => null,
            onChanged: () => leave(asked.id),
            done: t('admin.closeAlert.done'),
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

function columnsOf(t: Translate, onClose: (alert: PaymentAlert) => void): readonly Column<PaymentAlert>[] {
  return [
    {
      key: 'kind',
      head: t('admin.columns.alert'),
      isTitle: true,
      cell: ({ id, kind }) => (
        <Whole>
          {t('admin.number', { id })} {t(`admin.alerts.kinds.${kind}`)}
        </Whole>
      ),
    },
    {
      key: 'bill',
      head: t('admin.columns.bill'),
      isText: true,
      cell: ({ billId, transactionId }) => (
        <>
          {billId}
          {transactionId !== null && <Small>{transactionId}</Small>}
        </>
      ),
    },
    {
      key: 'user',
      head: t('admin.columns.seller'),
      isText: true,
      cell: ({ user }) => user && <PersonLink person={user} />,
    },
    {
      key: 'amount',
      head: t('admin.columns.amount'),
      isNumber: true,
      cell: ({ amount }) => <Amount>{formatRinggit(ringgitFromSen(amount))}</Amount>,
    },
    {
      key: 'status',
      head: t('admin.columns.status'),
      cell: ({ isPaid }) => (
        <Status tone={isPaid ? 'live' : 'muted'}>{t(isPaid ? 'admin.alerts.paid' : 'admin.alerts.unpaid')}</Status>
      ),
    },
    {
      key: 'since',
      head: t('admin.columns.since'),
      cell: ({ firstAt, lastAt }) => (
        <>
          {formatDateTime(firstAt)}
          {lastAt !== firstAt && <Small>{t('admin.alerts.last', { time: formatDateTime(lastAt) })}</Small>}
        </>
      ),
    },
    {
      key: 'close',
      head: t('admin.columns.actions'),
      isButton: true,
      cell: (alert) => (
        <Button
          tone="secondary"
          size="small"
          aria-label={t('admin.closeAlert.of', { id: alert.id })}
          onClick={() => onClose(alert)}
        >
          {t('admin.closeAlert.name')}
        </Button>
      ),
    },
  ]
}
