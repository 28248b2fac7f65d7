import { type Seller, SellerProductSort } from '@wangian/contracts/shop.ts'
import { useSearchParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, from, space } from '../../theme/theme.ts'
import { SortMenu } from '../../ui/SortMenu.tsx'
import { Tab, TabGroup, TabList, TabPanel } from '../../ui/Tabs.tsx'
import { ShopProducts } from './ShopProducts.tsx'
import { ShopReviews } from './ShopReviews.tsx'
import { queryOf, type ShopTab, type ShopView, shopTabs, viewOf } from './shop-view.ts'

/** What a shop shows; the address says which part of it. */
export function ShopTabs({ seller }: { seller: Seller }) {
  const { t } = useTranslation()
  const [query, setQuery] = useSearchParams()
  const view = viewOf(query)
  const { tab, sort, page } = view
  const go = (change: Partial<ShopView>) =>
    setQuery(queryOf({ ...view, page: 1, ...change }).slice(1), { preventScrollReset: true })
  return (
    <TabGroup value={tab} onValueChange={(next: ShopTab) => go({ tab: next })}>
      <Bar>
        <Tabs aria-label={t('shop.tabsName')}>
          {shopTabs.map((each) => (
            <Tab key={each} value={each}>
              {t(`shop.tabs.${each}`)}
            </Tab>
          ))}
        </Tabs>
        {tab !== 'reviews' && (
          <Sort>
            <SortMenu
              label={t('shop.sortBy')}
              value={sort}
              options={SellerProductSort.options.map((value) => ({ value, label: t(`shop.sorts.${value}`) }))}
              onChange={(next) => go({ sort: next })}
            />
          </Sort>
        )}
      </Bar>
      {shopTabs.map((each) => (
        <TabPanel key={each} value={each}>
          {/* The one that is left still stands for a moment, and must not ask for what the next one shows. */}
          {each !== tab ? null : each === 'reviews' ? (
            <ShopReviews sellerId={seller.id} />
          ) : (
            <ShopProducts
              sellerId={seller.id}
              status={each}
              sort={sort}
              page={page}
              hrefOf={(number) => queryOf({ ...view, page: number })}
            />
          )}
        </TabPanel>
      ))}
    </TabGroup>
  )
}

const Bar = styled.div`
  display: flex;
  flex-direction: column;
  gap: ${space(4)};
  ${from.tablet} {
    flex-direction: row;
    align-items: flex-end;
    justify-content: space-between;
    border-bottom: 1px solid ${color.line};
  }
`

const Tabs = styled(TabList)`
  ${from.tablet} { border-bottom: 0; margin-bottom: -1px; }
`

const Sort = styled.div`
  display: flex;
  justify-content: flex-end;
  ${from.tablet} { padding-bottom: ${space(2)}; }
`
