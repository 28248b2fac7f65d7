import type { AdminReport, ReportDecision } from '@wangian/contracts/reports.ts'
import { type KeyboardEvent, type Ref, useId } from 'react'
import { styled } from 'styled-components'
import { formatDateTime } from '../../../lib/date-time.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { color, from, radius, space, text } from '../../../theme/theme.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button, ButtonLink } from '../../../ui/Button.tsx'
import { Status } from '../../../ui/Status.tsx'
import { PersonLink, Small, useNameOf } from '../names.tsx'
import { reportedPath } from './report-keys.ts'

/** One report, which takes the focus so that keys can work on it. */
export function ReportItem({
  report,
  isCurrent,
  ref,
  onFocus,
  onKeyDown,
  onDecide,
  onOpen,
}: {
  report: AdminReport
  /** The one in the list that the Tab key comes to. */
  isCurrent: boolean
  ref: Ref<HTMLElement>
  onFocus: () => void
  onKeyDown: (event: KeyboardEvent) => void
  onDecide: (decision: ReportDecision) => void
  onOpen: () => void
}) {
  const { t } = useTranslation()
  const nameOf = useNameOf()
  const title = useId()
  const { id, kind, reason, reporter, reported, content, createdAt, status } = report
  return (
    <Card
      ref={ref}
      tabIndex={isCurrent ? 0 : -1}
      aria-labelledby={title}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      data-report={id}
    >
      <Head>
        <Badge>{t(`admin.reports.kinds.${kind}`)}</Badge>
        <Title id={title}>{t('admin.reports.name', { id, reason: t(`report.reasons.${reason}`) })}</Title>
        <Small>{formatDateTime(createdAt)}</Small>
      </Head>
      <People>
        <PersonLink person={reported} />
        <span>{t('admin.reports.by')}</span>
        <PersonLink person={reporter} />
      </People>
      {content !== null && (
        <Quote>
          <Small>{t('admin.reports.content')}</Small>
          {content}
        </Quote>
      )}
      {report.text !== null && (
        <Quote>
          <Small>{t('admin.reports.says')}</Small>
          {report.text}
        </Quote>
      )}
      {report.decidedAt !== null && (
        <div>
          <Status tone={status === 'upheld' ? 'live' : 'muted'}>
            {t('admin.reports.decided', {
              state: t(`admin.reports.states.${status}`),
              name: nameOf(report.decidedBy ?? { username: null }),
              time: formatDateTime(report.decidedAt),
            })}
          </Status>
          {report.decisionReason !== null && <p>{report.decisionReason}</p>}
        </div>
      )}
      <Buttons>
        {status === 'open' && (
          <>
            <Button size="small" aria-label={t('admin.uphold.of', { id })} onClick={() => onDecide('upheld')}>
              {t('admin.uphold.name')}
            </Button>
            <Button
              size="small"
              tone="secondary"
              aria-label={t('admin.dismissReport.of', { id })}
              onClick={() => onDecide('dismissed')}
            >
              {t('admin.dismissReport.name')}
            </Button>
          </>
        )}
        <ButtonLink
          size="small"
          tone="plain"
          to={reportedPath(report)}
          aria-label={t('admin.reports.openOf', { id })}
          onClick={onOpen}
        >
          {t('admin.reports.open')}
        </ButtonLink>
      </Buttons>
    </Card>
  )
}

const Card = styled.article`
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: ${space(3)};
  padding: ${space(4)};
  border: 1px solid ${color.line};
  border-radius: ${radius.large};
  background: ${color.surface};
  overflow-wrap: anywhere;
  ${from.tablet} { padding: ${space(5)} ${space(6)}; }
`

const Head = styled.header`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)} ${space(3)};
  align-items: center;
`

const Title = styled.h3`
  flex: 1;
  min-width: ${space(40)};
  font-size: ${text.lead};
`

const People = styled.p`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(1.5)};
  span { color: ${color.muted}; }
`

const Quote = styled.blockquote`
  margin: 0;
  padding-left: ${space(3)};
  border-left: 2px solid ${color.edge};
  white-space: pre-line;
`

const Buttons = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
`
