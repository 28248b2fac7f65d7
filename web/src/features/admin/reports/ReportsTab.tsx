import {
  type AdminReport,
  type ReportDecision,
  ReportKind,
  ReportStatus,
  reportRoutes,
} from '@wangian/contracts/reports.ts'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { styled } from 'styled-components'
import { shownMessage } from '../../../api/api-error.ts'
import { call } from '../../../api/client.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { from, space } from '../../../theme/theme.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { LoadFailure } from '../../../ui/LoadFailure.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { SortMenu } from '../../../ui/SortMenu.tsx'
import { ActionDialog } from '../actions.tsx'
import { Pages } from '../tables/Pages.tsx'
import { everything, Narrowed, Title, Tools, Total } from '../tables/TableView.tsx'
import { type TableAddress, useTableAddress } from '../tables/table-address.ts'
import { pageRows, useTable } from '../tables/use-table.ts'
import { KeyHelp } from './KeyHelp.tsx'
import { ReportItem } from './ReportItem.tsx'
import { reportedPath, stepOf } from './report-keys.ts'

/** What was opened last, so that whoever comes back goes on there. */
let openedId: number | null = null

const choices = { status: ReportStatus.options, kind: ReportKind.options }

/** What people have reported, as a queue that is decided by keyboard. */
export function ReportsTab() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const address = useTableAddress(choices)
  const { chosen, cursor, user, reporter } = address
  // The queue, unless it is about somebody, or by them.
  const usual = user === undefined && reporter === undefined ? 'open' : undefined
  const status = chosen.status ?? usual
  const table = useTable(reportRoutes.listReports, {
    status,
    kind: chosen.kind,
    reportedId: user,
    reporterId: reporter,
    cursor,
    limit: pageRows,
  })
  const { rows, total, error } = table
  const isEmpty = rows?.length === 0 && !table.isOld
  // All of a later page may be decided while there is more on those before it.
  const isPast = isEmpty && address.page > 1
  const { change } = address
  useEffect(() => {
    if (isPast) change({}, { replace: true })
  }, [isPast, change])
  const items = useRef(new Map<number, HTMLElement>())
  const heading = useRef<HTMLHeadingElement>(null)
  const [current, setCurrent] = useState<number | null>(openedId)
  const [asked, setAsked] = useState<{ readonly decision: ReportDecision; readonly report: AdminReport } | null>(null)
  const currentId = rows?.find(({ id }) => id === current)?.id ?? rows?.[0]?.id
  const isBack = useRef(openedId !== null)

  const focusOn = (id: number | undefined) => {
    if (id === undefined) return
    setCurrent(id)
    items.current.get(id)?.focus()
  }
  useEffect(() => {
    if (!isBack.current || !rows) return
    isBack.current = false
    if (openedId !== null) items.current.get(openedId)?.focus()
    openedId = null
  }, [rows])

  const open = (report: AdminReport) => {
    openedId = report.id
    void navigate(reportedPath(report))
  }
  const handleKey = (event: KeyboardEvent, report: AdminReport) => {
    // Letters are for the report itself: whoever is on a button or a link within it uses that.
    if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey || !rows) return
    const step = stepOf(
      event.key,
      rows.map(({ id }) => id),
      report,
    )
    if (step === null) return
    event.preventDefault()
    if (step.kind === 'go') focusOn(step.id)
    else if (step.kind === 'open') open(report)
    else setAsked({ decision: step.decision, report })
  }
  /** It leaves the queue, and the focus goes on to the next one. */
  const leave = (id: number) => {
    const place = rows?.findIndex((row) => row.id === id) ?? -1
    const next = rows?.[place + 1] ?? rows?.[place - 1]
    if (status === undefined || (next === undefined && table.nextCursor !== null)) table.reload()
    else table.change((row) => (row.id === id ? null : row))
    // The dialog gives the focus back when it closes, to what has just left.
    setTimeout(() => (next ? focusOn(next.id) : heading.current?.focus()))
  }

  return (
    <>
      <Head>
        <Title ref={heading} tabIndex={-1}>
          {t('admin.reports.title')}
        </Title>
        <Total role="status">{total !== null && t('admin.reports.count', { count: total })}</Total>
      </Head>
      <Filters address={address} status={status} usual={usual} />
      {error && !rows ? (
        <LoadFailure onRetry={table.reload}>{shownMessage(error)}</LoadFailure>
      ) : isEmpty && !isPast ? (
        <EmptyState title={t(status === 'open' ? 'admin.reports.emptyTitle' : 'admin.reports.emptyDecided')}>
          {t(status === 'open' ? 'admin.reports.emptyText' : 'admin.reports.emptyDecidedText')}
        </EmptyState>
      ) : (
        <List aria-busy={!rows || undefined}>
          {rows
            ? rows.map((report) => (
                <li key={report.id}>
                  <ReportItem
                    report={report}
                    isCurrent={report.id === currentId}
                    ref={(element) => {
                      if (element) items.current.set(report.id, element)
                      else items.current.delete(report.id)
                    }}
                    onFocus={() => setCurrent(report.id)}
                    onKeyDown={(event) => handleKey(event, report)}
                    onDecide={(decision) => setAsked({ decision, report })}
                    onOpen={() => {
                      openedId = report.id
                    }}
                  />
                </li>
              ))
            : [1, 2, 3].map((place) => (
                <li key={place}>
                  <Skeleton $height={space(36)} />
                </li>
              ))}
        </List>
      )}
      <Pages tab="reports" address={address} table={table} />
      {asked && <DecisionDialog {...asked} onDecided={() => leave(asked.report.id)} onClose={() => setAsked(null)} />}
    </>
  )
}

/** What the queue is narrowed to; `usual` is the state of reports that is shown when nobody has chosen one. */
function Filters({
  address,
  status,
  usual,
}: {
  address: TableAddress<typeof choices>
  status: ReportStatus | undefined
  usual: 'open' | undefined
}) {
  const { t } = useTranslation()
  const { chosen, user, reporter } = address
  return (
    <Tools>
      <SortMenu
        label={t('admin.columns.status')}
        value={status ?? 'all'}
        options={[
          ...(usual === undefined ? [everything(t('admin.anyStatus'))] : []),
          ...ReportStatus.options.map((value) => ({ value, label: t(`admin.reports.states.${value}`) })),
        ]}
        onChange={(value) => address.change({ status: value === (usual ?? 'all') ? undefined : value })}
      />
      <SortMenu
        label={t('admin.reports.kindLabel')}
        value={chosen.kind ?? 'all'}
        options={[
          everything(t('admin.reports.anyKind')),
          ...ReportKind.options.map((value) => ({ value, label: t(`admin.reports.kinds.${value}`) })),
        ]}
        onChange={(value) => address.change({ kind: value === 'all' ? undefined : value })}
      />
      {user !== undefined && (
        <Narrowed onClear={() => address.change({ user: undefined })}>{t('admin.ofUser', { id: user })}</Narrowed>
      )}
      {reporter !== undefined && (
        <Narrowed onClear={() => address.change({ reporter: undefined })}>
          {t('admin.reports.byUser', { id: reporter })}
        </Narrowed>
      )}
      {status === 'open' && <KeyHelp />}
    </Tools>
  )
}

function DecisionDialog({
  decision,
  report,
  onDecided,
  onClose,
}: {
  decision: ReportDecision
  report: AdminReport
  onDecided: () => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const words = decision === 'upheld' ? 'uphold' : 'dismissReport'
  return (
    <ActionDialog<AdminReport | null>
      question={{
        title: t(`admin.${words}.title`, { id: report.id }),
        words: t(`admin.${words}.text`),
        confirm: t(`admin.${words}.confirm`),
        tone: 'primary',
        isReasonRequired: true,
        isShort: true,
        suggestion:
          decision === 'upheld' && report.reason === 'other'
            ? t('admin.uphold.suggestionOther')
            : t(`admin.${words}.suggestion`, { reason: t(`report.reasons.${report.reason}`) }),
      }}
      deed={{
        run: (reason) =>
          call(reportRoutes.decideReport, {
            params: { reportId: report.id },
            body: { decision, reason: reason ?? '' },
          }),
        // Whoever has decided it otherwise: it is open no more.
        reread: async () => null,
        onChanged: onDecided,
        done: t(`admin.${words}.done`, { id: report.id }),
      }}
      onClose={onClose}
    />
  )
}

const Head = styled.div`
  margin-bottom: ${space(4)};
`

const List = styled.ol`
  display: grid;
  gap: ${space(3)};
  margin: 0;
  padding: 0;
  list-style: none;
  ${from.tablet} { gap: ${space(4)}; }
`
