import { adminRoutes, type SystemService } from '@wangian/contracts/admin.ts'
import { useMemo } from 'react'
import { styled } from 'styled-components'
import { shownMessage } from '../../../api/api-error.ts'
import { useApi } from '../../../api/use-api.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { formatMoment } from '../../../lib/dates.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { color, space, text } from '../../../theme/theme.ts'
import { Button } from '../../../ui/Button.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Status } from '../../../ui/Status.tsx'
import { Small } from '../names.tsx'
import { type Health, healthOf, lagOf } from './health.ts'
import { ParkedEvents } from './ParkedEvents.tsx'

/** While the page is in view, it is read anew this often. */
export const refreshEveryMs = 5_000

/** How the services are, what they are behind, and what they have put aside. */
export function SystemTab() {
  const { t } = useTranslation()
  const { data, error, mutate } = useApi(
    adminRoutes.getSystem,
    {},
    { refreshInterval: refreshEveryMs, revalidateOnMount: true },
  )
  const isAllKnown = data ? data.services.every((service) => healthOf(service) === 'up') : error ? false : undefined
  const columns = useMemo(() => serviceColumns(t), [t])
  const consumers = useMemo(() => consumerColumns(t), [t])
  return (
    <Parts>
      <section>
        <Head>
          <Title>{t('admin.system.services')}</Title>
          <Small as="p">{data && t('admin.system.at', { time: formatMoment(data.at, Date.parse(data.at)) })}</Small>
        </Head>
        {error && (
          <Notice tone="live" title={t(data ? 'admin.system.stale' : 'problem.loadTitle')}>
            <p>{shownMessage(error)}</p>
            <Button size="small" tone="secondary" onClick={() => void mutate()}>
              {t('problem.tryAgain')}
            </Button>
          </Notice>
        )}
        {(data || !error) && (
          <DataTable
            caption={t('admin.system.services')}
            columns={columns}
            rows={data?.services}
            keyOf={({ name }) => name}
            isWide
          />
        )}
      </section>
      <ParkedEvents isAllKnown={isAllKnown} />
      {data && (
        <section>
          <Title>{t('admin.system.consumers')}</Title>
          <DataTable
            caption={t('admin.system.consumers')}
            columns={consumers}
            rows={data.services.flatMap(consumersOf)}
            keyOf={({ service, consumer }) => `${service} ${consumer}`}
            isWide
          />
        </section>
      )}
    </Parts>
  )
}

const tones = { up: 'ok', 'database-down': 'live', down: 'live' } as const satisfies Record<Health, string>

function serviceColumns(t: Translate): readonly Column<SystemService>[] {
  return [
    { key: 'name', head: t('admin.system.service'), isTitle: true, cell: ({ name }) => name },
    {
      key: 'health',
      head: t('admin.columns.status'),
      cell: (service) => {
        const health = healthOf(service)
        return <Status tone={tones[health]}>{t(`admin.health.${health}`)}</Status>
      },
    },
    {
      key: 'backlog',
      head: t('admin.system.backlog'),
      isNumber: true,
      cell: ({ status }) =>
        status?.relay ? (
          <>
            {t('admin.system.events', { count: status.relay.unpublishedCount })}
            {status.relay.oldestUnpublishedMs !== null && (
              <Small>{t('admin.system.oldest', { count: Math.round(status.relay.oldestUnpublishedMs / 1000) })}</Small>
            )}
          </>
        ) : (
          t('admin.none')
        ),
    },
    {
      key: 'lag',
      head: t('admin.system.lag'),
      isNumber: true,
      cell: (service) => {
        const lag = lagOf(service)
        return lag === null ? t('admin.none') : t('admin.system.events', { count: lag })
      },
    },
    {
      key: 'parked',
      head: t('admin.system.parkedCount'),
      isNumber: true,
      cell: ({ status }) =>
        status?.parkedCount == null ? (
          t('admin.none')
        ) : status.parkedCount > 0 ? (
          <Status tone="warn">{String(status.parkedCount)}</Status>
        ) : (
          0
        ),
    },
    {
      key: 'since',
      head: t('admin.system.since'),
      cell: ({ status }) => (status ? formatMoment(status.startedAt, serverNow()) : t('admin.none')),
    },
  ]
}

interface ConsumerRow {
  readonly service: string
  readonly consumer: string
  readonly source: string
  readonly lag: number | null
  readonly isActive: boolean
  readonly isCaughtUp: boolean
  readonly parkedCount: number
  readonly waitingCount: number
}

function consumersOf({ name, status, lags }: SystemService): ConsumerRow[] {
  return (status?.consumers ?? []).map((one) => ({
    ...one,
    service: name,
    lag: lags.find(({ consumer }) => consumer === one.consumer)?.events ?? null,
  }))
}

function consumerColumns(t: Translate): readonly Column<ConsumerRow>[] {
  return [
    { key: 'service', head: t('admin.system.service'), cell: ({ service }) => service },
    { key: 'consumer', head: t('admin.system.consumer'), isTitle: true, cell: ({ consumer }) => consumer },
    { key: 'source', head: t('admin.system.source'), cell: ({ source }) => source },
    {
      key: 'state',
      head: t('admin.columns.status'),
      cell: ({ isActive, isCaughtUp }) => (
        <Status tone={isCaughtUp || !isActive ? 'ok' : 'warn'}>
          {t(`admin.consumerState.${isActive ? (isCaughtUp ? 'live' : 'behind') : 'elsewhere'}`)}
        </Status>
      ),
    },
    {
      key: 'lag',
      head: t('admin.system.lag'),
      isNumber: true,
      cell: ({ lag }) => (lag === null ? t('admin.none') : t('admin.system.events', { count: lag })),
    },
    { key: 'waiting', head: t('admin.system.waiting'), isNumber: true, cell: ({ waitingCount }) => waitingCount },
    { key: 'parked', head: t('admin.system.parkedCount'), isNumber: true, cell: ({ parkedCount }) => parkedCount },
  ]
}

const Parts = styled.div`
  display: grid;
  gap: ${space(12)};
  & > * { display: grid; gap: ${space(3)}; min-width: 0; }
`

const Head = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(4)};
  align-items: baseline;
  justify-content: space-between;
  color: ${color.muted};
  h2 { color: ${color.ink}; }
`

const Title = styled.h2`
  font-size: ${text.title};
`
