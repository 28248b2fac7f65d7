import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate, useSearchParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { CardGrid } from '../../cards/Card.tsx'
import { CardSkeletons } from '../../cards/CardSkeletons.tsx'
import { categoryFrom, categoryIds, categoryKeys } from '../../cards/category-names.ts'
import { ListingCard } from '../../cards/ListingCard.tsx'
import { track } from '../../lib/analytics.ts'
import { paths } from '../../paths.ts'
import { color, from, motion, radius, space, text, weight } from '../../theme/theme.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Page, PageTitle } from '../../ui/Page.tsx'
import { useProducts } from './api.ts'
import { SearchForm } from './SearchForm.tsx'

/** All listings, by category and by words. */
export default function ProductsPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [parameters] = useSearchParams()
  const category = categoryFrom(parameters.get('category'))
  const search = parameters.get('search')?.trim() ?? ''
  const type = parameters.get('type') === 'auction' ? ('auction' as const) : undefined
  const filter = { ...(category && { category }), ...(search && { search }), ...(type && { type }) }
  const { products, total, error, hasMore, isLoadingMore, showMore, reload } = useProducts(filter)

  const categoryName = category && t(categoryKeys[category])
  const heading = search
    ? t('products.resultsFor', { search })
    : (categoryName ?? (type ? t('products.auctions') : t('products.all')))

  useEffect(() => {
    if (search) track('search', { search_term: search })
  }, [search])

  return (
    <Page>
      <title>{`${heading} · ${t('shell.brand')}`}</title>
      <PageTitle>{t('products.title')}</PageTitle>
      <Controls>
        <SearchForm
          key={search}
          initial={search}
          button={t('shell.searchButton')}
          tone="secondary"
          onSearch={(words) => void navigate(paths.products({ ...filter, search: words }))}
        />
        <Kinds aria-label={t('products.kinds')}>
          <Kind to={paths.products({ search })} aria-current={!category && !type ? 'page' : undefined}>
            {t('products.allCategories')}
          </Kind>
          {categoryIds.map((id) => (
            <Kind
              key={id}
              to={paths.products({ ...filter, category: id })}
              aria-current={id === category ? 'page' : undefined}
            >
              {t(categoryKeys[id])}
            </Kind>
          ))}
          <Kind
            to={paths.products({ ...filter, type: type ? undefined : 'auction' })}
            aria-current={type ? 'page' : undefined}
          >
            {t('products.auctions')}
          </Kind>
        </Kinds>
      </Controls>

      <ResultHead>
        <ResultTitle>{heading}</ResultTitle>
        <Total role="status">{total !== null && t('products.count', { count: total })}</Total>
      </ResultHead>

      {error && !products && (
        <EmptyState title={t('problem.loadTitle')} action={<Button onClick={reload}>{t('problem.tryAgain')}</Button>}>
          {shownMessage(error)}
        </EmptyState>
      )}
      {products?.length === 0 && (
        <EmptyState
          title={t('products.emptyTitle')}
          action={<ButtonLink to={paths.products()}>{t('products.reset')}</ButtonLink>}
        >
          {t('products.emptyText')}
        </EmptyState>
      )}
      {(products === undefined || products.length > 0) && !(error && !products) && (
        <CardGrid aria-busy={products === undefined || undefined}>
          {products?.map((product) => <ListingCard key={product.id} product={product} />) ?? (
            <CardSkeletons count={8} />
          )}
        </CardGrid>
      )}
      {hasMore && (
        <More>
          <Button tone="secondary" busy={isLoadingMore} busyLabel={t('products.loadingMore')} onClick={showMore}>
            {t('products.more')}
          </Button>
        </More>
      )}
    </Page>
  )
}

const Controls = styled.div`
  display: grid;
  gap: ${space(4)};
  margin-top: ${space(8)};
  ${from.desktop} { grid-template-columns: minmax(0, 5fr) minmax(0, 7fr); gap: ${space(10)}; align-items: center; }
`

const Kinds = styled.nav`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
  ${from.desktop} { justify-content: flex-end; }
`

const Kind = styled(Link)`
  display: inline-flex;
  align-items: center;
  min-height: ${space(9)};
  padding: 0 ${space(3)};
  border: 1px solid ${color.line};
  border-radius: ${radius.round};
  text-decoration: none;
  white-space: nowrap;
  transition: border-color ${motion.quick};
  &:hover { border-color: ${color.ink}; }
  &[aria-current] {
    border-color: ${color.ink};
    background: ${color.ink};
    color: ${color.paper};
    font-weight: ${weight.strong};
  }
`

const ResultHead = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(1)} ${space(4)};
  align-items: baseline;
  justify-content: space-between;
  margin: ${space(8)} 0 ${space(6)};
  padding-top: ${space(6)};
  border-top: 1px solid ${color.line};
`

const ResultTitle = styled.h2`
  font-size: ${text.title};
  overflow-wrap: anywhere;
`

const Total = styled.p`
  min-height: 1.55em;
  color: ${color.muted};
  font-variant-numeric: tabular-nums;
`

const More = styled.div`
  display: grid;
  justify-items: center;
  margin-top: ${space(12)};
`
