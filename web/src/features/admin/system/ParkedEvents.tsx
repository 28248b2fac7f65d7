import { adminRoutes } from '@wangian/contracts/admin.ts'
import type { ParkedEvent } from '@wangian/contracts/service-status.ts'
import { useMemo, useState } from 'react'
import { styled } from 'styled-components'
import { call } from '../../../api/client.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { formatDateTime } from '../../../lib/date-time.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { space } from '../../../theme/theme.ts'
import { Button } from '../../../ui/Button.tsx'
import type { Column } from '../../../ui/DataTable.tsx'
import { ActionDialog } from '../actions.tsx'
import { Small, Whole } from '../names.tsx'
import { useTable } from '../tables/use-table.ts'
import { Waiting } from '../tables/Waiting.tsx'

type Parked = ParkedEvent & { readonly service: string }
type Kind = 'retry' | 'discard'

const parkedMax = 100
const refreshEveryMs = 5_000

/**
 * Events that a service could not handle and that wait for a person.
 * @param isAllKnown whether every service says what it has parked, as soon as that is known
 */
export function ParkedEvents({ isAllKnown }: { isAllKnown: boolean | undefined }) {
  const { t } = useTranslation()
  const table = useTable(adminRoutes.listParked, { limit: parkedMax }, { refreshInterval: refreshEveryMs })
  const [asked, setAsked] = useState<{ readonly kind: Kind; readonly event: Parked } | null>(null)
  const columns = useMemo(() => columnsOf(t, (kind, event) => setAsked({ kind, event })), [t])
  // That there are none says little until then.
  const isInDoubt = isAllKnown === undefined && table.rows?.length === 0
  return (
    <>
      <Waiting
        title={t('admin.parked.title')}
        intro={t('admin.parked.intro')}
        tables={[isInDoubt ? { ...table, rows: undefined } : table]}
        columns={columns}
        keyOf={({ service, consumer, eventId }) => `${service} ${consumer} ${eventId}`}
        empty={t(isAllKnown ? 'admin.parked.empty' : 'admin.parked.unknown')}
      />
      {asked && (
        <ActionDialog<Parked | null>
          question={{
            title: t(`admin.${asked.kind}.title`),
            words: t(`admin.${asked.kind}.text`, { type: asked.event.type, service: asked.event.service }),
            confirm: t(`admin.${asked.kind}.confirm`),
            tone: asked.kind === 'retry' ? 'primary' : 'danger',
            isReasonRequired: asked.kind === 'discard',
          }}
          deed={{
            run: async (reason) => {
              await handle(asked.kind, asked.event, reason)
              return null
            },
            onChanged: table.reload,
            reread: () => findAgain(asked.event),
            done: t(`admin.${asked.kind}.done`),
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

/** One that nothing but a new version can publish is refused, and stays. */
async function findAgain({ service, consumer, eventId }: Parked): Promise<Parked | null> {
  const parked = await call(adminRoutes.listParked, { query: { limit: parkedMax } })
  return parked.find((one) => one.service === service && one.consumer === consumer && one.eventId === eventId) ?? null
}

async function handle(kind: Kind, { service, consumer, eventId }: Parked, reason: string | null): Promise<void> {
  const body = { service, consumer, eventId }
  if (kind === 'retry') await call(adminRoutes.retryParked, { body: { ...body, ...(reason && { reason }) } })
  else await call(adminRoutes.discardParked, { body: { ...body, reason: reason ?? '' } })
}

function columnsOf(t: Translate, onAsk: (kind: Kind, event: Parked) => void): readonly Column<Parked>[] {
  return [
    {
      key: 'event',
      head: t('admin.parked.event'),
      isTitle: true,
      cell: ({ type, stream }) => (
        <>
          <Whole>{type}</Whole>
          <Small>{stream}</Small>
        </>
      ),
    },
    {
      key: 'consumer',
      head: t('admin.system.consumer'),
      isText: true,
      cell: ({ service, consumer }) => (
        <>
          <Whole>{service}</Whole>
          <Small>{consumer}</Small>
        </>
      ),
    },
    { key: 'error', head: t('admin.parked.error'), isText: true, cell: ({ error }) => <Code>{error}</Code> },
    { key: 'tries', head: t('admin.parked.tries'), isNumber: true, cell: ({ tries }) => tries },
    {
      key: 'since',
      head: t('admin.columns.since'),
      cell: ({ parkedAt, dueAt }) => (
        <>
          {formatDateTime(parkedAt)}
          {dueAt !== null && <Small>{t('admin.parked.due', { time: formatDateTime(dueAt) })}</Small>}
        </>
      ),
    },
    {
      key: 'actions',
      head: t('admin.columns.actions'),
      isButton: true,
      cell: (event) => (
        <Buttons>
          {(['retry', 'discard'] as const).map((kind) => (
            <Button
              key={kind}
              tone="secondary"
              size="small"
              aria-label={t(`admin.${kind}.of`, { type: event.type, stream: event.stream })}
              onClick={() => onAsk(kind, event)}
            >
              {t(`admin.${kind}.name`)}
            </Button>
          ))}
        </Buttons>
      ),
    },
  ]
}

const Code = styled.code`
  font-size: 0.8125rem;
  overflow-wrap: anywhere;
`

const Buttons = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
`
