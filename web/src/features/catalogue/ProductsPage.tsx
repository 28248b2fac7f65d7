import type { ProductSort } from '@wangian/contracts/catalogue.ts'
import { type RefObject, useEffect, useRef } from 'react'
import { useLocation, useNavigate, useNavigationType, useSearchParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { categoryKeys } from '../../cards/category-names.ts'
import { track } from '../../lib/analytics.ts'
import { useMedia } from '../../lib/use-media.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { color, from, space, text } from '../../theme/theme.ts'
import { Page, PageTitle } from '../../ui/Page.tsx'
import { SortMenu } from '../../ui/SortMenu.tsx'
import { ActiveFilters } from './ActiveFilters.tsx'
import { FilterAside, FilterDrawer } from './Filters.tsx'
import { ProductResults } from './ProductResults.tsx'
import { useFacets, useProducts } from './product-list.ts'
import {
  activeFiltersOf,
  addressOf,
  type ProductFilters,
  type ProductQuery,
  readProductQuery,
} from './product-query.ts'
import { SearchForm } from './SearchForm.tsx'

/** All listings, by words and by filters. What it shows is in its address, so that it can be shared and come back to. */
export default function ProductsPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [parameters] = useSearchParams()
  const query = readProductQuery(parameters)
  const { search, category } = query
  const { products, total, error, hasMore, isLoadingMore, showMore, reload } = useProducts(query)
  const { correctedSearch } = useFacets(query)
  const hasRoom = useMedia(from.desktop.replace('@media ', ''))
  const results = useRef<HTMLElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  useArrivalAtResults(results, title)
  useSearchTracking(search, total)

  const heading = search
    ? t('products.resultsFor', { search })
    : category
      ? t(categoryKeys[category])
      : t('products.all')
  const show = (next: ProductQuery) => void navigate(addressOf(next))
  const reset = () => void navigate(paths.products())
  const apply = (filters: ProductFilters) => {
    const next = { ...filters, search, sort: query.sort }
    trackNewFilters(query, next)
    show(next)
  }
  const filterProps = { query, onApply: apply, onReset: reset }
  return (
    <Page>
      <title>{`${heading} · ${t('shell.brand')}`}</title>
      <Columns>
        <Title>{t('products.title')}</Title>
        {hasRoom === null && <AsideToCome />}
        {hasRoom && <FilterAside {...filterProps} />}
        <section ref={results} aria-labelledby="results-heading">
          <Controls>
            <SearchForm key={search} query={query} onSearch={(words) => show({ ...query, search: words })} />
            <Buttons>
              {!hasRoom && (
                <Narrow>
                  <FilterDrawer {...filterProps} />
                </Narrow>
              )}
              <SortBy query={query} onChange={(sort) => show({ ...query, sort })} />
            </Buttons>
          </Controls>
          <ResultHead>
            {/* Where the focus goes when what had it has left. */}
            <ResultTitle ref={title} id="results-heading" tabIndex={-1}>
              {heading}
            </ResultTitle>
            <Total role="status">{total !== null && t('products.count', { count: total })}</Total>
            {search && <Corrected>{correctedSearch && t('products.corrected', { search: correctedSearch })}</Corrected>}
          </ResultHead>
          <ActiveFilters query={query} onRemove={show} />
          <ProductResults
            products={products}
            total={total}
            error={error}
            hasMore={hasMore}
            isLoadingMore={isLoadingMore}
            onMore={showMore}
            onReload={reload}
            onReset={() => {
              reset()
              title.current?.focus()
            }}
          />
        </section>
      </Columns>
    </Page>
  )
}

const bestMatch = 'best-match'

/** A search comes in the order of its best matches until somebody sorts it. */
function SortBy({ query, onChange }: { query: ProductQuery; onChange: (sort: ProductSort | null) => void }) {
  const { t } = useTranslation()
  const isSearch = query.search !== ''
  // Of what has no end there is nothing to sort.
  const isOfAuctions = query.type === 'auction' || query.sort === 'ending-soonest'
  const options = [
    ...(isSearch ? [{ value: bestMatch, label: t('products.sorts.best-match') } as const] : []),
    { value: 'featured', label: t('products.sorts.featured') },
    { value: 'price-asc', label: t('products.sorts.price-asc') },
    { value: 'price-desc', label: t('products.sorts.price-desc') },
    { value: 'newest', label: t('products.sorts.newest') },
    { value: 'best-selling', label: t('products.sorts.best-selling') },
    ...(isOfAuctions ? [{ value: 'ending-soonest', label: t('products.sorts.ending-soonest') } as const] : []),
  ] as const
  const byItself = isSearch ? bestMatch : 'featured'
  return (
    <SortMenu<(typeof options)[number]['value']>
      label={t('products.sortBy')}
      value={query.sort ?? byItself}
      options={options}
      onChange={(next) => onChange(next === byItself || next === bestMatch ? null : next)}
    />
  )
}

/**
 * Whoever narrows the list from far down sees what it begins with. A field that was searched from is drawn anew, and a filter that was taken
 * away is gone: whose focus went with it reads on from the list's title.
 */
function useArrivalAtResults(results: RefObject<HTMLElement | null>, title: RefObject<HTMLElement | null>): void {
  const { key } = useLocation()
  const kind = useNavigationType()
  const lastKey = useRef(key)
  useEffect(() => {
    if (lastKey.current === key) return
    lastKey.current = key
    const isAbove = (results.current?.getBoundingClientRect().top ?? 0) < 0
    if (kind === 'POP') return
    if (isAbove) results.current?.scrollIntoView({ block: 'start' })
    if (document.activeElement === document.body) title.current?.focus({ preventScroll: true })
  }, [key, kind, results, title])
}

/** Once for each search, when it is known how much it finds. */
function useSearchTracking(search: string, total: number | null): void {
  const tracked = useRef('')
  useEffect(() => {
    if (search === '' || total === null || tracked.current === search) return
    tracked.current = search
    track('search', { search_term: search, search_results_count: total })
  }, [search, total])
}

function trackNewFilters(before: ProductQuery, after: ProductQuery): void {
  const known = activeFiltersOf(before)
  for (const { kind, value } of activeFiltersOf(after)) {
    if (known.some((filter) => filter.kind === kind && filter.value === value)) continue
    track('apply_filter', { filter_type: kind, filter_value: value })
  }
}

/** The filters begin beside the title, so that the whole panel is on the first screen. */
const Columns = styled.div`
  display: grid;
  gap: ${space(5)};
  ${from.desktop} {
    grid-template-columns: ${space(60)} minmax(0, 1fr);
    /* Filters that are higher than what they find make the list's row higher, and not the title's. */
    grid-template-rows: auto 1fr;
    gap: ${space(8)} ${space(12)};
    align-items: start;
    & > aside { grid-row: 1 / 3; grid-column: 1; }
  }
`

/** Keeps the place of the filters while nobody knows whether there is room for them. */
const AsideToCome = styled.aside`
  display: none;
  ${from.desktop} { display: block; }
`

const Narrow = styled.div`
  ${from.desktop} { display: none; }
`

const Title = styled(PageTitle)`
  ${from.desktop} { grid-column: 2; }
`

const Controls = styled.div`
  display: grid;
  gap: ${space(3)};
  ${from.tablet} { grid-template-columns: minmax(0, 1fr) auto; gap: ${space(4)}; }
`

const Buttons = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(3)};
  justify-content: space-between;
`

const ResultHead = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(1)} ${space(4)};
  align-items: baseline;
  justify-content: space-between;
  margin: ${space(6)} 0;
`

const ResultTitle = styled.h2`
  font-size: ${text.title};
  overflow-wrap: anywhere;
  &:focus { outline: none; }
`

const Total = styled.p`
  min-height: 1.55em;
  color: ${color.muted};
  font-variant-numeric: tabular-nums;
`

/** Its line is there before it is known, so that the cards do not move. */
const Corrected = styled.p`
  width: 100%;
  min-height: 1.55em;
  color: ${color.muted};
`
