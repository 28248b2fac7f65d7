import { adminRoutes } from '@wangian/contracts/admin.ts'
import type { Route } from '@wangian/contracts/route.ts'
import { type ComponentType, useEffect, useRef } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import { styled } from 'styled-components'
import useSWR from 'swr'
import { callPage, type InputOf } from '../../api/client.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { type AdminTab, paths } from '../../paths.ts'
import { from, space } from '../../theme/theme.ts'
import { Page, PageIntro, PageTitle } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Stat, StatRow } from '../../ui/Stat.tsx'
import { showInStrip } from '../../ui/show-in-strip.ts'
import { Tab, TabGroup, TabPanel, TabStrip } from '../../ui/Tabs.tsx'
import { ReportsTab } from './reports/ReportsTab.tsx'
import { SystemTab } from './system/SystemTab.tsx'
import { ActivityTab } from './tables/ActivityTab.tsx'
import { BiddersTab } from './tables/BiddersTab.tsx'
import { ListingsTab } from './tables/ListingsTab.tsx'
import { OrdersTab } from './tables/OrdersTab.tsx'
import { PaymentsTab } from './tables/PaymentsTab.tsx'
import { UsersTab } from './tables/UsersTab.tsx'

const tabs = ['users', 'orders', 'listings', 'payments', 'reports', 'bidders', 'activity', 'system'] as const
type TabName = (typeof tabs)[number]

const panels: Readonly<Record<TabName, ComponentType>> = {
  users: UsersTab,
  orders: OrdersTab,
  listings: ListingsTab,
  payments: PaymentsTab,
  reports: ReportsTab,
  bidders: BiddersTab,
  activity: ActivityTab,
  system: SystemTab,
}

/** Everything that administrators look after. */
export default function AdminPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [parameters] = useSearchParams()
  const tab = tabs.find((known) => known === parameters.get('tab')) ?? 'users'
  const strip = useRef<HTMLDivElement>(null)
  // On a phone not all tabs are in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen tab is found in the page
  useEffect(() => {
    showInStrip(strip.current, '[aria-selected="true"]')
  }, [tab])
  const Panel = panels[tab]
  return (
    <Page>
      <title>{`${t('admin.title')} · ${t('shell.brand')}`}</title>
      <PageTitle>{t('admin.title')}</PageTitle>
      <PageIntro>{t('admin.intro')}</PageIntro>
      <Summary />
      <TabGroup
        value={tab}
        onValueChange={(next: TabName) =>
          void navigate(paths.adminDashboard(addressOf(next)), { preventScrollReset: true })
        }
      >
        <TabStrip ref={strip}>
          {tabs.map((name) => (
            <Tab key={name} value={name}>
              {t(`admin.tabs.${name}`)}
            </Tab>
          ))}
        </TabStrip>
        <TabPanel value={tab}>
          <Panel key={tab} />
        </TabPanel>
      </TabGroup>
    </Page>
  )
}

function addressOf(tab: TabName): AdminTab | undefined {
  return tab === 'users' ? undefined : tab
}

/** A figure that cannot be read leaves its place empty: the table below says what is wrong. */
function Summary() {
  const { t } = useTranslation()
  return (
    <Figures>
      <Figure label={t('admin.totalUsers')} count={useCount(adminRoutes.listUsers, {})} />
      <Figure label={t('admin.sellers')} count={useCount(adminRoutes.listUsers, { role: 'seller' })} />
      <Figure label={t('admin.totalOrders')} count={useCount(adminRoutes.listOrders, {})} />
    </Figures>
  )
}

function Figure({ label, count }: { label: string; count: number | null | undefined }) {
  const { t } = useTranslation()
  const value =
    count === undefined ? (
      <Skeleton $height={space(8)} $width={space(20)} />
    ) : count === null ? (
      t('admin.none')
    ) : (
      t('admin.figure', { count })
    )
  return <Stat label={label} value={value} />
}

/** How many rows a table has; `undefined` while it is being counted, `null` when it cannot be. */
function useCount<R extends Route>(route: R, query: InputOf<R>['query']): number | null | undefined {
  const { data, error } = useSWR<number | null>(
    ['admin-count', route.path, JSON.stringify(query)],
    async () => (await callPage(route, { query: { ...query, limit: 1 } } as unknown as InputOf<R>)).total,
    { revalidateOnMount: true },
  )
  return error && data === undefined ? null : data
}

const Figures = styled(StatRow)`
  margin: ${space(8)} 0 ${space(6)};
  & > :last-child { grid-column: 1 / -1; }
  ${from.tablet} {
    margin: ${space(10)} 0 ${space(8)};
    grid-template-columns: repeat(3, minmax(0, 1fr));
    & > :last-child { grid-column: auto; }
  }
`
