import { formatRinggit } from '@wangian/contracts/money.ts'
import { ANALYTICS_LISTINGS_MAX, analyticsDays, type SellerAnalytics } from '@wangian/contracts/selling.ts'
import { ChartNoAxesColumn } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { shownMessage } from '../../../api/api-error.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { imageSource } from '../../../lib/image-source.ts'
import { formatCount } from '../../../lib/numbers.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import { color, font, from, motion, phone, radius, space, text, weight } from '../../../theme/theme.ts'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { LoadFailure } from '../../../ui/LoadFailure.tsx'
import { Picture } from '../../../ui/Picture.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Stars } from '../../../ui/Stars.tsx'
import { useAnalytics } from './api.ts'
import { DayChart } from './DayChart.tsx'
import { Name } from './ProductTable.tsx'

const metrics = ['views', 'favorites', 'messages', 'bids', 'sales'] as const
type Metric = (typeof metrics)[number]
type Listing = SellerAnalytics['listings'][number]

const daysByDefault = 30

/** What happened to the seller's listings in the last days: in all, day by day, and for each. */
export function AnalyticsTab() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [parameters] = useSearchParams()
  const days = analyticsDays.find((known) => String(known) === parameters.get('days')) ?? daysByDefault
  const { data, error, isLoading, mutate } = useAnalytics(days)
  // Those of other days stay until it is known whether these can be read.
  const shown = error && data?.days !== days ? undefined : data
  return (
    <>
      <Head>
        <Title>{t('dashboard.analytics.title')}</Title>
        <Segments role="radiogroup" aria-label={t('dashboard.analytics.period')}>
          {analyticsDays.map((each) => (
            <Segment key={each}>
              <input
                type="radio"
                name="analytics-days"
                checked={each === days}
                onChange={() =>
                  void navigate(
                    paths.sellerDashboard('analytics', { days: each === daysByDefault ? undefined : each }),
                    { replace: true, preventScrollReset: true },
                  )
                }
              />
              {t('dashboard.analytics.days', { count: each })}
            </Segment>
          ))}
        </Segments>
      </Head>
      {shown ? (
        <Report analytics={shown} isStale={isLoading} />
      ) : error ? (
        <LoadFailure onRetry={() => void mutate()}>{shownMessage(error)}</LoadFailure>
      ) : (
        <Waiting aria-busy>
          <Skeleton $height={space(20)} />
          <Skeleton $height={space(64)} />
        </Waiting>
      )}
    </>
  )
}

function Report({ analytics, isStale }: { analytics: SellerAnalytics; isStale: boolean }) {
  const { t } = useTranslation()
  const [metric, setMetric] = useState<Metric>('views')
  const columns = useMemo(() => columnsOf(t), [t])
  const { days, totals, series, listings, topRated } = analytics
  const isEmpty = metrics.every((each) => totals[each] === 0)
  return (
    <Frame aria-busy={isStale || undefined}>
      {isEmpty ? (
        <EmptyState
          icon={<ChartNoAxesColumn size={32} strokeWidth={1.5} />}
          title={t('dashboard.analytics.emptyTitle')}
          heading="h3"
        >
          {t('dashboard.analytics.emptyText', { count: days })}
        </EmptyState>
      ) : (
        <>
          <Totals role="radiogroup" aria-label={t('dashboard.analytics.show')}>
            {metrics.map((each) => (
              <Total key={each}>
                <input
                  type="radio"
                  name="analytics-metric"
                  checked={each === metric}
                  onChange={() => setMetric(each)}
                />
                <span>{t(`dashboard.analytics.${each}`)}</span>
                <Figure>{formatCount(totals[each])}</Figure>
              </Total>
            ))}
            <Revenue>
              <span>{t('dashboard.analytics.revenue')}</span>
              <Figure>{formatRinggit(totals.revenue)}</Figure>
            </Revenue>
          </Totals>
          <DayChart
            label={t(`dashboard.analytics.${metric}`)}
            days={series.map((day) => ({ date: day.date, value: day[metric] }))}
          />
          <section>
            <Heading>{t('dashboard.analytics.byListing')}</Heading>
            <DataTable
              caption={t('dashboard.analytics.byListing')}
              columns={columns}
              rows={listings}
              keyOf={(listing) => listing.productId}
            />
            {listings.length >= ANALYTICS_LISTINGS_MAX && (
              <Muted>{t('dashboard.analytics.mostViewed', { count: ANALYTICS_LISTINGS_MAX })}</Muted>
            )}
          </section>
        </>
      )}
      <section>
        <Heading>{t('dashboard.analytics.topRated')}</Heading>
        {topRated.length === 0 ? (
          <Muted>{t('dashboard.analytics.noRatings')}</Muted>
        ) : (
          <Rated>
            {topRated.map((each) => (
              <Rating key={each.productId}>
                <Thumbnail imageUrl={each.imageUrl} />
                <div>
                  <Name to={paths.product(each.productId)}>{each.name}</Name>
                  <Score>
                    <Stars
                      rating={each.averageRating}
                      label={t('dashboard.analytics.rating', { rating: each.averageRating.toFixed(1) })}
                    />
                    {each.averageRating.toFixed(1)} · {t('dashboard.analytics.reviews', { count: each.reviewCount })}
                  </Score>
                </div>
              </Rating>
            ))}
          </Rated>
        )}
      </section>
    </Frame>
  )
}

function columnsOf(t: Translate): readonly Column<Listing>[] {
  return [
    {
      key: 'image',
      head: t('dashboard.columns.image'),
      isPicture: true,
      cell: ({ imageUrl }) => <Thumbnail imageUrl={imageUrl} />,
    },
    {
      key: 'listing',
      head: t('dashboard.analytics.listing'),
      isTitle: true,
      cell: ({ productId, name }) => <Name to={paths.product(productId)}>{name}</Name>,
    },
    ...metrics.map((metric) => ({
      key: metric,
      head: t(`dashboard.analytics.${metric}`),
      isNumber: true,
      cell: (listing: Listing) => listing[metric],
    })),
  ]
}

function Thumbnail({ imageUrl }: { imageUrl: string | null }) {
  return (
    <Small>
      <Picture src={imageSource(imageUrl)} alt="" sizes={space(12)} />
    </Small>
  )
}

const Head = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(4)};
  align-items: center;
  justify-content: space-between;
  margin-bottom: ${space(6)};
`

const Title = styled.h2`
  font-size: ${text.title};
`

const Segments = styled.div`
  display: flex;
  border: 1px solid ${color.edge};
  border-radius: ${radius.small};
  background: ${color.surface};
`

const Segment = styled.label`
  display: grid;
  place-items: center;
  min-height: ${space(10)};
  padding: 0 ${space(4)};
  border-radius: 3px;
  font-weight: ${weight.strong};
  cursor: pointer;
  transition: background-color ${motion.quick}, color ${motion.quick};
  input { position: absolute; opacity: 0; }
  &:has(:checked) { background: ${color.ink}; color: ${color.paper}; }
  &:has(:focus-visible) { outline: 2px solid ${color.accent}; outline-offset: 2px; }
`

const Waiting = styled.div`
  display: grid;
  gap: ${space(8)};
`

const Frame = styled.div`
  display: grid;
  gap: ${space(10)};
  transition: opacity ${motion.quick};
  &[aria-busy] { opacity: 0.6; }
`

const Totals = styled.div`
  display: grid;
  gap: ${space(2)};
  /* An amount of money is longer than a count, and stays on one line: on a phone it takes room from its neighbour, or goes below. */
  ${phone} {
    display: flex;
    flex-wrap: wrap;
    & > * { flex: 1 0 calc(50% - ${space(1)}); }
    & > :nth-last-child(2) { flex-basis: ${space(24)}; }
    & > :last-child { flex: 0 1 auto; min-width: calc(50% - ${space(1)}); }
  }
  ${from.tablet} { grid-template-columns: repeat(5, minmax(0, 1fr)) minmax(max-content, 1fr); }
`

const Total = styled.label`
  display: grid;
  gap: ${space(1)};
  padding: ${space(3)};
  border: 1px solid ${color.line};
  border-radius: ${radius.large};
  color: ${color.muted};
  font-size: ${text.small};
  cursor: pointer;
  transition: border-color ${motion.quick};
  input { position: absolute; opacity: 0; }
  &:hover { border-color: ${color.edge}; }
  &:has(:checked) { border-color: ${color.accent}; background: ${color.surface}; box-shadow: inset 0 -2px ${color.accent}; }
  &:has(:focus-visible) { outline: 2px solid ${color.accent}; outline-offset: 2px; }
`

const Revenue = styled.div`
  display: grid;
  gap: ${space(1)};
  padding: ${space(3)};
  color: ${color.muted};
  font-size: ${text.small};
`

const Figure = styled.span`
  color: ${color.ink};
  font-family: ${font.serif};
  font-size: ${text.title};
  font-variant-numeric: tabular-nums lining-nums;
  line-height: 1.2;
  overflow-wrap: anywhere;
`

const Heading = styled.h3`
  margin-bottom: ${space(3)};
  font-size: ${text.title};
`

const Muted = styled.p`
  color: ${color.muted};
`

const Rated = styled.ol`
  display: grid;
  gap: ${space(4)};
  ${from.tablet} { grid-template-columns: repeat(3, minmax(0, 1fr)); }
`

const Rating = styled.li`
  display: flex;
  gap: ${space(3)};
  align-items: center;
  min-width: 0;
  overflow-wrap: anywhere;
  & > :last-child { min-width: 0; }
`

const Score = styled.p`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
  align-items: center;
  color: ${color.muted};
  font-size: ${text.small};
`

const Small = styled.div`
  flex: none;
  width: ${space(12)};
  overflow: hidden;
  border-radius: ${radius.small};
`
