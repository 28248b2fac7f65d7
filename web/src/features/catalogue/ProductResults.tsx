import type { Product } from '@wangian/contracts/catalogue.ts'
import { useEffect, useRef } from 'react'
import { styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { CardGrid } from '../../cards/Card.tsx'
import { CardSkeletons } from '../../cards/CardSkeletons.tsx'
import { ListingCard } from '../../cards/ListingCard.tsx'
import { formatCount } from '../../lib/numbers.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, from, space, text } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyBottle } from '../../ui/EmptyBottle.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { LoadFailure } from '../../ui/LoadFailure.tsx'
import { PAGE_PRODUCTS } from './product-list.ts'

/** So many are on the first screen, whatever its width. */
const FIRST_SEEN = 2

/** The cards of a list, or what stands in their place. `products` is undefined while the first ones load. */
export function ProductResults({
  products,
  total,
  error,
  hasMore,
  isLoadingMore,
  onMore,
  onReload,
  onReset,
}: {
  products: readonly Product[] | undefined
  total: number | null
  error: Error | undefined
  hasMore: boolean
  isLoadingMore: boolean
  onMore: () => void
  onReload: () => void
  onReset: () => void
}) {
  const { t } = useTranslation()
  const { grid, focusNext } = useFocusOnNext(products?.length ?? 0)
  if (error && !products) {
    return (
      <LoadFailure tone="secondary" onRetry={onReload}>
        {shownMessage(error)}
      </LoadFailure>
    )
  }
  if (products?.length === 0) {
    return (
      <EmptyState
        icon={<EmptyBottle />}
        title={t('products.emptyTitle')}
        action={<Button onClick={onReset}>{t('products.reset')}</Button>}
      >
        {t('products.emptyText')}
      </EmptyState>
    )
  }
  return (
    <>
      <Grid ref={grid} aria-busy={products === undefined || undefined}>
        {products?.map((product, index) => (
          <ListingCard
            key={product.id}
            product={product}
            place={{ list: 'Product list', index }}
            eager={index < FIRST_SEEN}
          />
        )) ?? <CardSkeletons count={PAGE_PRODUCTS / 2} />}
        {isLoadingMore && <CardSkeletons count={3} />}
      </Grid>
      {products && (hasMore || products.length > PAGE_PRODUCTS) && (
        <More>
          {total !== null && (
            <Progress role="status">
              {t('products.progress', {
                shown: formatCount(products.length),
                total: formatCount(Math.max(total, products.length)),
              })}
            </Progress>
          )}
          {error && <Progress role="alert">{shownMessage(error)}</Progress>}
          {hasMore && (
            <Button
              tone="secondary"
              busy={isLoadingMore}
              busyLabel={t('products.loadingMore')}
              onClick={(event) => {
                // By the keyboard: the next card is where reading goes on.
                if (event.detail === 0) focusNext()
                if (error) onReload()
                else onMore()
              }}
            >
              {t('products.more')}
            </Button>
          )}
        </More>
      )}
    </>
  )
}

/** Moves the focus to the first of the cards that come next, of those that lead somewhere: what is sold does not. */
function useFocusOnNext(count: number) {
  const grid = useRef<HTMLDivElement>(null)
  const awaited = useRef<number | null>(null)
  useEffect(() => {
    if (awaited.current === null || count <= awaited.current) return
    const next = [...(grid.current?.querySelectorAll('article') ?? [])].slice(awaited.current)
    awaited.current = null
    next
      .map((card) => card.querySelector('a'))
      .find((link) => link !== null)
      ?.focus()
  }, [count])
  return {
    grid,
    focusNext: () => {
      awaited.current = count
    },
  }
}

/** Beside the filters there is room for three. */
const Grid = styled(CardGrid)`
  ${from.desktop} { grid-template-columns: repeat(3, minmax(0, 1fr)); }
`

const More = styled.div`
  display: grid;
  gap: ${space(4)};
  justify-items: center;
  margin-top: ${space(12)};
`

const Progress = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
  font-variant-numeric: tabular-nums;
`
