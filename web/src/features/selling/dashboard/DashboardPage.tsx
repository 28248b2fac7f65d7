import { formatRinggit } from '@wangian/contracts/money.ts'
import { useEffect, useRef, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { formatCount } from '../../../lib/numbers.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { type DashboardTab, paths } from '../../../paths.ts'
import { useUser } from '../../../session/use-session.ts'
import { color, from, radius, space, text } from '../../../theme/theme.ts'
import { Button, ButtonLink } from '../../../ui/Button.tsx'
import { Page, PageIntro, PageTitle } from '../../../ui/Page.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Stat, StatRow } from '../../../ui/Stat.tsx'
import { showInStrip } from '../../../ui/show-in-strip.ts'
import { Tab, TabGroup, TabPanel, TabStrip } from '../../../ui/Tabs.tsx'
import { VisuallyHidden } from '../../../ui/VisuallyHidden.tsx'
import { fromDashboard } from '../boost/checkout.ts'
import { AnalyticsTab } from './AnalyticsTab.tsx'
import { useSummary } from './api.ts'
import { BoostedTab } from './BoostedTab.tsx'
import { ListingTypeDialog } from './ListingTypeDialog.tsx'
import { ProductsTab } from './ProductsTab.tsx'
import { SettingsTab } from './SettingsTab.tsx'
import { Ticks } from './ticks.ts'
import { usePaymentReturn } from './use-payment-return.ts'

const tabs = ['products', 'boosted', 'analytics', 'settings'] as const
type TabName = (typeof tabs)[number]

/** Everything that a seller lists, and how it is doing. */
export default function DashboardPage() {
  const user = useUser()
  usePaymentReturn()
  // Another person is another page: nothing of the first stays ticked.
  return <Dashboard key={user?.id} />
}

function Dashboard() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [parameters] = useSearchParams()
  const tab = tabs.find((known) => known === parameters.get('tab')) ?? 'products'
  const [ticks] = useState(() => new Ticks())
  const [isChoosing, setIsChoosing] = useState(false)
  const { data: summary } = useSummary()
  const choose = () => setIsChoosing(true)
  const strip = useRef<HTMLDivElement>(null)
  const isCounted = summary !== undefined
  // On a phone not all tabs are in view, and the count of boosts pushes those behind it on.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen tab is found in the page
  useEffect(() => {
    showInStrip(strip.current, '[aria-selected="true"]')
  }, [tab, isCounted])

  return (
    <Page>
      <title>{`${t('dashboard.title')} · ${t('shell.brand')}`}</title>
      <Head>
        <div>
          <PageTitle>{t('dashboard.title')}</PageTitle>
          <PageIntro>{t('dashboard.intro')}</PageIntro>
        </div>
        <HeadButtons>
          <ButtonLink tone="secondary" to={paths.boostCheckout()} state={fromDashboard}>
            {t('dashboard.boostProducts')}
          </ButtonLink>
          <Button onClick={choose}>{t('dashboard.add')}</Button>
        </HeadButtons>
      </Head>
      <Summary />
      <TabGroup value={tab} onValueChange={(next: TabName) => void navigate(paths.sellerDashboard(addressOf(next)))}>
        <TabStrip ref={strip}>
          {tabs.map((name) => (
            <Tab key={name} value={name}>
              {t(`dashboard.tabs.${name}`)}
              {name === 'boosted' && summary && summary.boostedCount > 0 && (
                <Count>
                  <span aria-hidden>{summary.boostedCount}</span>
                  <VisuallyHidden>{t('dashboard.boostedCount', { count: summary.boostedCount })}</VisuallyHidden>
                </Count>
              )}
            </Tab>
          ))}
        </TabStrip>
        <TabPanel value="products">
          <ProductsTab ticks={ticks} onAdd={choose} />
        </TabPanel>
        <TabPanel value="boosted">
          <BoostedTab />
        </TabPanel>
        <TabPanel value="analytics">
          <AnalyticsTab />
        </TabPanel>
        <TabPanel value="settings">
          <SettingsTab />
        </TabPanel>
      </TabGroup>
      {isChoosing && <ListingTypeDialog onClose={() => setIsChoosing(false)} />}
    </Page>
  )
}

function addressOf(tab: TabName): DashboardTab | undefined {
  return tab === 'products' ? undefined : tab
}

/** A figure that cannot be read leaves its place empty: the table below says what is wrong. */
function Summary() {
  const { t } = useTranslation()
  const { data: summary, error } = useSummary()
  const value = (shown: string | undefined) =>
    shown ?? (error ? t('dashboard.noPrice') : <Skeleton $height={space(8)} $width={space(20)} />)
  const price =
    summary && (summary.averagePrice === null ? t('dashboard.noPrice') : formatRinggit(summary.averagePrice))
  return (
    <Figures aria-busy={(!summary && !error) || undefined}>
      <Stat label={t('dashboard.totalProducts')} value={value(summary && formatCount(summary.totalProducts))} />
      <Stat
        label={t('dashboard.totalUnits')}
        value={value(summary && t('dashboard.units', { count: summary.totalUnits }))}
      />
      <Stat label={t('dashboard.averagePrice')} value={value(price)} />
    </Figures>
  )
}

const Head = styled.div`
  display: grid;
  gap: ${space(5)};
  ${from.tablet} { display: flex; align-items: end; justify-content: space-between; }
`

const HeadButtons = styled.div`
  display: flex;
  flex: none;
  flex-wrap: wrap;
  gap: ${space(3)};
  & > * { flex: 1; }
`

const Figures = styled(StatRow)`
  margin: ${space(8)} 0 ${space(6)};
  & > :last-child { grid-column: 1 / -1; }
  ${from.tablet} {
    margin: ${space(10)} 0 ${space(8)};
    grid-template-columns: repeat(3, minmax(0, 1fr));
    & > :last-child { grid-column: auto; }
  }
`

const Count = styled.span`
  display: inline-block;
  min-width: ${space(5.5)};
  margin-left: ${space(2)};
  padding: 0 ${space(1.5)};
  border-radius: ${radius.round};
  background: ${color.accent};
  color: ${color.onAccent};
  font-size: ${text.small};
  font-variant-numeric: tabular-nums;
  text-align: center;
`
