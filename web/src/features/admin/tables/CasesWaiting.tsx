import { type AdminBoostCase, boostRoutes } from '@wangian/contracts/boost.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import { useMemo, useState } from 'react'
import { Link } from 'react-router-dom'
import { call } from '../../../api/client.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { formatDateTime } from '../../../lib/date-time.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'
import type { Column } from '../../../ui/DataTable.tsx'
import { Status } from '../../../ui/Status.tsx'
import { ActionDialog } from '../actions.tsx'
import { Amount, PersonLink } from '../names.tsx'
import { useTable } from './use-table.ts'
import { Waiting } from './Waiting.tsx'

const casesMax = 100

/** Shares of payments that an administrator pays back: first those that nobody else can settle any more. */
export function CasesWaiting() {
  const { t } = useTranslation()
  const expired = useTable(boostRoutes.listAllCases, { state: 'expired', limit: casesMax })
  const open = useTable(boostRoutes.listAllCases, { state: 'open', limit: casesMax })
  const [asked, setAsked] = useState<AdminBoostCase | null>(null)
  const columns = useMemo(() => columnsOf(t, setAsked), [t])
  const show = (changed: AdminBoostCase | null) => {
    for (const table of [expired, open]) table.change((row) => (row.id === asked?.id ? changed : row))
  }
  const reread = async (): Promise<AdminBoostCase> => {
    const cases = await call(boostRoutes.listAllCases, { query: { cursor: (asked?.id ?? 0) + 1, limit: 1 } })
    return cases.find(({ id }) => id === asked?.id) ?? (asked as AdminBoostCase)
  }
  return (
    <>
      <Waiting
        title={t('admin.cases.title')}
        intro={t('admin.cases.intro')}
        tables={[expired, open]}
        columns={columns}
        keyOf={({ id }) => id}
        empty={t('admin.cases.empty')}
      />
      {asked && (
        <ActionDialog<AdminBoostCase>
          question={{
            title: t('admin.refund.title', { id: asked.id }),
            words: t('admin.refund.text', { amount: formatRinggit(ringgitFromSen(asked.amount)) }),
            confirm: t('admin.refund.confirm'),
            tone: 'primary',
            isReasonRequired: true,
            reasonLabel: t('admin.refund.how'),
            reasonHelp: t('admin.refund.help'),
          }}
          deed={{
            run: (reason) =>
              call(boostRoutes.refundCase, { params: { caseId: asked.id }, body: { reason: reason ?? '' } }),
            reread,
            onChanged: show,
            standing: { before: asked.state, of: ({ state }) => state },
            done: t('admin.refund.done'),
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

const tones = {
  open: 'warn',
  chosen: 'ok',
  boosted: 'ok',
  expired: 'live',
  refunded: 'muted',
} as const satisfies Record<AdminBoostCase['state'], string>

function columnsOf(t: Translate, onRefund: (one: AdminBoostCase) => void): readonly Column<AdminBoostCase>[] {
  return [
    {
      key: 'id',
      head: t('admin.columns.case'),
      isTitle: true,
      cell: ({ id, productId, productName }) => (
        <>
          {t('admin.number', { id })} <Link to={paths.adminListing(productId)}>{productName}</Link>
        </>
      ),
    },
    {
      key: 'user',
      head: t('admin.columns.seller'),
      isText: true,
      cell: ({ user }) => <PersonLink person={user} />,
    },
    {
      key: 'amount',
      head: t('admin.columns.amount'),
      isNumber: true,
      cell: ({ amount }) => <Amount>{formatRinggit(ringgitFromSen(amount))}</Amount>,
    },
    { key: 'since', head: t('admin.columns.since'), cell: ({ createdAt }) => formatDateTime(createdAt) },
    {
      key: 'status',
      head: t('admin.columns.status'),
      cell: ({ state }) => <Status tone={tones[state]}>{t(`admin.caseStatus.${state}`)}</Status>,
    },
    {
      key: 'refund',
      head: t('admin.columns.actions'),
      isButton: true,
      cell: (one) =>
        (one.state === 'open' || one.state === 'expired') && (
          <Button
            tone="secondary"
            size="small"
            aria-label={t('admin.refund.of', { id: one.id })}
            onClick={() => onRefund(one)}
          >
            {t('admin.refund.name')}
          </Button>
        ),
    },
  ]
}
