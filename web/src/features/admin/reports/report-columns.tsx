import type { AdminReport } from '@wangian/contracts/reports.ts'
import { Link } from 'react-router-dom'
import type { Translate } from '../../../i18n/translate.ts'
import { formatDateTime } from '../../../lib/date-time.ts'
import type { Column } from '../../../ui/DataTable.tsx'
import { Status } from '../../../ui/Status.tsx'
import { PersonLink, Small } from '../names.tsx'
import { reportedPath } from './report-keys.ts'

const tones = { open: 'warn', upheld: 'live', dismissed: 'muted' } as const satisfies Record<
  AdminReport['status'],
  string
>

/** Reports as rows, with the one of the two people whose page it is not. */
export function reportColumns(t: Translate, other: 'reporter' | 'reported'): readonly Column<AdminReport>[] {
  return [
    {
      key: 'report',
      head: t('admin.columns.report'),
      isTitle: true,
      cell: (report) => (
        <>
          <Link to={reportedPath(report)}>
            {t('admin.number', { id: report.id })} {t(`admin.reports.kinds.${report.kind}`)}
          </Link>
          <Small>{t(`report.reasons.${report.reason}`)}</Small>
        </>
      ),
    },
    {
      key: 'other',
      head: t(other === 'reporter' ? 'admin.columns.reporter' : 'admin.columns.reported'),
      cell: (report) => <PersonLink person={report[other]} />,
    },
    { key: 'date', head: t('admin.columns.date'), cell: ({ createdAt }) => formatDateTime(createdAt) },
    {
      key: 'status',
      head: t('admin.columns.status'),
      cell: ({ status }) => <Status tone={tones[status]}>{t(`admin.reports.states.${status}`)}</Status>,
    },
  ]
}
