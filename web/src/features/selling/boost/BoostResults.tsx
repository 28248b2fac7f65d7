import { type BoostResult, sellingRoutes } from '@wangian/contracts/selling.ts'
import { useMemo } from 'react'
import { styled } from 'styled-components'
import { shownMessage } from '../../../api/api-error.ts'
import { useApi } from '../../../api/use-api.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { formatDateTime } from '../../../lib/date-time.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import { color, space, text } from '../../../theme/theme.ts'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { LoadFailure } from '../../../ui/LoadFailure.tsx'
import { Name } from '../dashboard/ProductTable.tsx'

/** What boosts have brought: how often the product was looked at and asked about, before and during. Nothing where there was none. */
export function BoostResults() {
  const { t } = useTranslation()
  const { data: boosts, error, mutate } = useApi(sellingRoutes.listBoostResults, {}, { revalidateOnMount: true })
  const columns = useMemo(() => columnsOf(t), [t])
  if (boosts?.length === 0) return null
  return (
    <Section aria-labelledby="boost-results">
      <Title id="boost-results">{t('boost.results.title')}</Title>
      <Intro>{t('boost.results.text')}</Intro>
      {error && !boosts ? (
        <LoadFailure heading="h3" onRetry={() => void mutate()}>
          {shownMessage(error)}
        </LoadFailure>
      ) : (
        <DataTable
          caption={t('boost.results.title')}
          columns={columns}
          rows={boosts}
          keyOf={({ productId, beganAt }) => `${productId} ${beganAt}`}
          skeletons={2}
          isWide
        />
      )}
    </Section>
  )
}

function columnsOf(t: Translate): readonly Column<BoostResult>[] {
  return [
    {
      key: 'product',
      head: t('boost.results.product'),
      isTitle: true,
      cell: ({ productId, name, isRemoved }) => (isRemoved ? name : <Name to={paths.product(productId)}>{name}</Name>),
    },
    {
      key: 'time',
      head: t('boost.results.time'),
      cell: ({ beganAt, endsAt, isOver }) => (
        <>
          {formatDateTime(beganAt)}
          <Small>{t(isOver ? 'boost.results.ended' : 'boost.results.until', { time: formatDateTime(endsAt) })}</Small>
        </>
      ),
    },
    {
      key: 'views',
      head: t('boost.results.views'),
      cell: ({ before, during, days }) => <Change before={before.views} during={during.views} days={days} />,
    },
    {
      key: 'contacts',
      head: t('boost.results.contacts'),
      cell: ({ before, during, days }) => <Change before={before.contacts} during={during.contacts} days={days} />,
    },
  ]
}

function Change({ before, during, days }: { before: number; during: number; days: number }) {
  const { t } = useTranslation()
  return (
    <>
      {during}
      <Small>{t('boost.results.before', { before, count: days })}</Small>
    </>
  )
}

const Section = styled.section`
  display: grid;
  gap: ${space(3)};
  margin-top: ${space(8)};
`

const Title = styled.h2`
  font-size: ${text.title};
`

const Intro = styled.p`
  color: ${color.muted};
`

const Small = styled.span`
  display: block;
  color: ${color.muted};
  font-size: ${text.small};
`
