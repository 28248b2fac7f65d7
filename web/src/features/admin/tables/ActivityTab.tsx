import { AdminAction, type AdminActivity, adminRoutes } from '@wangian/contracts/admin.ts'
import { Download } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { shownMessage } from '../../../api/api-error.ts'
import { callFile } from '../../../api/client.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { formatDateTime } from '../../../lib/date-time.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { color, from, space } from '../../../theme/theme.ts'
import { Button } from '../../../ui/Button.tsx'
import type { Column } from '../../../ui/DataTable.tsx'
import { showToast } from '../../../ui/toast-store.ts'
import { changesOf, targetName, targetPath } from '../activity-words.ts'
import { PersonLink, Whole } from '../names.tsx'
import { everything, Narrowed, TableView } from './TableView.tsx'
import { useTableAddress } from './table-address.ts'
import { pageRows, useTable } from './use-table.ts'

/** What administrators have done. */
export function ActivityTab() {
  const { t } = useTranslation()
  const address = useTableAddress({ action: AdminAction.options, kind: targetKinds })
  const { chosen, user, cursor } = address
  const filter = { action: chosen.action, actorId: user, targetKind: chosen.kind }
  const table = useTable(adminRoutes.listActivity, { ...filter, cursor, limit: pageRows })
  const columns = useMemo(() => activityColumns(t), [t])
  return (
    <TableView
      tab="activity"
      title={t('admin.activity.title')}
      count={(count) => t('admin.activity.count', { count })}
      address={address}
      table={table}
      columns={columns}
      keyOf={({ id }) => id}
      filters={[
        {
          name: 'action',
          label: t('admin.columns.action'),
          otherwise: everything(t('admin.activity.anyAction')),
          options: AdminAction.options.map((value) => ({ value, label: t(`admin.action.${value}`) })),
        },
        {
          name: 'kind',
          label: t('admin.columns.target'),
          otherwise: everything(t('admin.activity.anyTarget')),
          options: targetKinds.map((value) => ({ value, label: t(`admin.targetKind.${value}`) })),
        },
      ]}
      narrowed={
        user !== undefined && (
          <Narrowed onClear={() => address.change({ user: undefined })}>{t('admin.byUser', { id: user })}</Narrowed>
        )
      }
      aside={<ExportButton filter={filter} />}
      empty={{ title: t('admin.activity.empty'), text: t('admin.activity.emptyText') }}
    />
  )
}

const targetKinds = ['user', 'order', 'listing', 'report', 'case', 'payment-alert', 'event'] as const

export function activityColumns(t: Translate): readonly Column<AdminActivity>[] {
  return [
    { key: 'at', head: t('admin.columns.when'), cell: ({ at }) => <Moment>{formatDateTime(at)}</Moment> },
    {
      key: 'actor',
      head: t('admin.columns.administrator'),
      isText: true,
      cell: ({ actor }) => <PersonLink person={actor} />,
    },
    {
      key: 'action',
      head: t('admin.columns.action'),
      isTitle: true,
      cell: ({ action }) => <Whole>{t(`admin.action.${action}`)}</Whole>,
    },
    {
      key: 'target',
      head: t('admin.columns.target'),
      isText: true,
      cell: ({ target }) => <Link to={targetPath(target)}>{targetName(target, t)}</Link>,
    },
    { key: 'reason', head: t('admin.columns.reason'), isText: true, cell: ({ reason }) => reason ?? t('admin.none') },
    {
      key: 'change',
      head: t('admin.columns.change'),
      isText: true,
      cell: (activity) => <Changes activity={activity} />,
    },
  ]
}

function Changes({ activity }: { activity: AdminActivity }) {
  const { t } = useTranslation()
  const changes = changesOf(activity, t)
  if (changes.length === 0) return t('admin.none')
  return (
    <ChangeList>
      {changes.map((change) => (
        <li key={change.field}>{t('admin.changed', { ...change })}</li>
      ))}
    </ChangeList>
  )
}

/** Saves the record as a file. It is asked for with the token, which a link would not send. */
function ExportButton({
  filter,
}: {
  filter: {
    readonly action?: AdminAction | undefined
    readonly actorId?: number | undefined
    readonly targetKind?: (typeof targetKinds)[number] | undefined
  }
}) {
  const { t } = useTranslation()
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      saveFile(await callFile(adminRoutes.exportActivity, { query: filter }), t('admin.activity.fileName'))
    } catch (error) {
      showToast({ title: t('problem.error'), description: shownMessage(error), tone: 'destructive' })
    }
    setBusy(false)
  }
  return (
    <Export>
      <Button
        tone="secondary"
        size="small"
        busy={isBusy}
        busyLabel={t('admin.activity.exporting')}
        onClick={() => void save()}
      >
        <Download size={16} strokeWidth={1.75} aria-hidden />
        {t('admin.activity.export')}
      </Button>
    </Export>
  )
}

const Moment = styled.span`
  ${from.tablet} { white-space: nowrap; }
`

const ChangeList = styled.ul`
  margin: 0;
  padding: 0;
  color: ${color.muted};
  list-style: none;
`

const Export = styled.div`
  margin-left: auto;
  button { min-height: ${space(11)}; }
`
