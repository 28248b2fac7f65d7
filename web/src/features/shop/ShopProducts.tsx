import type { SellerProductSort, SellerProductStatus } from '@wangian/contracts/shop.ts'
import { PackageOpen } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Navigate } from 'react-router-dom'
import { styled } from 'styled-components'
import { CardGrid } from '../../cards/Card.tsx'
import { CardSkeletons } from '../../cards/CardSkeletons.tsx'
import { ListingCard } from '../../cards/ListingCard.tsx'
import { useTranslation } from '../../lib/use-translation.ts'
import { useUser } from '../../session/use-session.ts'
import { from, space } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Pagination } from '../../ui/Pagination.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { useSellerProducts } from './api.ts'

const skeletons = 6

/** One page of a shop's products, and the way to the others. */
export function ShopProducts({
  sellerId,
  status,
  sort,
  page,
  hrefOf,
}: {
  sellerId: number
  status: SellerProductStatus
  sort: SellerProductSort
  page: number
  hrefOf: (page: number) => string
}) {
  const { t } = useTranslation()
  const { data, error, mutate } = useSellerProducts(sellerId, { status, sort, page })
  const top = useRef<HTMLDivElement>(null)
  const shownPage = useRef(page)
  // The next page is read from its top.
  useEffect(() => {
    if (shownPage.current === page) return
    shownPage.current = page
    top.current?.scrollIntoView({ block: 'start' })
    top.current?.focus({ preventScroll: true })
  }, [page])

  const isMissing = error !== undefined && data === undefined
  const isOwn = useUser()?.id === sellerId
  useEffect(() => {
    if (!isMissing || !isOwn) return
    showToast({ title: t('problem.error'), description: t('shop.ownProductsFailed'), tone: 'destructive' })
  }, [isMissing, isOwn, t])

  if (isMissing) {
    return (
      <EmptyState
        heading="h3"
        title={t('shop.productsFailed')}
        action={
          <Button tone="secondary" onClick={() => void mutate()}>
            {t('shop.retry')}
          </Button>
        }
      />
    )
  }
  const pages = data?.pagination.totalPages ?? 0
  // Something was sold since the address was copied.
  if (data && page > pages && pages > 0) return <Navigate to={hrefOf(pages)} replace />
  return (
    <Top ref={top} tabIndex={-1}>
      {data?.products.length === 0 ? (
        <EmptyState heading="h3" icon={<PackageOpen size={32} strokeWidth={1.5} />} title={t(`shop.empty.${status}`)} />
      ) : (
        <ShopGrid aria-busy={data === undefined || undefined}>
          {data?.products.map((product, index) => (
            <ListingCard
              key={product.id}
              product={product}
              place={{ list: 'Shop', index: (page - 1) * data.pagination.limit + index }}
            />
          )) ?? <CardSkeletons count={skeletons} />}
        </ShopGrid>
      )}
      {pages > 1 && (
        <Pages>
          <Pagination
            page={page}
            pages={pages}
            hrefOf={hrefOf}
            labels={{
              name: t('shop.pages'),
              previous: t('shop.previousPage'),
              next: t('shop.nextPage'),
              page: (number) => t('shop.page', { number }),
            }}
          />
        </Pages>
      )}
    </Top>
  )
}

/** It takes the focus for those who read on, and shows none. */
const Top = styled.div`
  &:focus { outline: none; }
`

/** Beside the card about the shop there is room for three. */
export const ShopGrid = styled(CardGrid)`
  ${from.desktop} { grid-template-columns: repeat(3, minmax(0, 1fr)); }
`

const Pages = styled.div`
  margin-top: ${space(12)};
`
