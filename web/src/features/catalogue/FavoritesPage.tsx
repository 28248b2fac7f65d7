import { Heart } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { CardGrid } from '../../cards/Card.tsx'
import { CardSkeletons } from '../../cards/CardSkeletons.tsx'
import { ListingCard } from '../../cards/ListingCard.tsx'
import { useWishlistIds } from '../../cards/use-wishlist.ts'
import { paths } from '../../paths.ts'
import { color, space } from '../../theme/theme.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { useProductsById } from './api.ts'

/** A tab of the account: the perfumes that were given a heart. A wishlist longer than this shows its newest. */
const shownMax = 48

export default function FavoritesPage() {
  const { t } = useTranslation()
  const ids = useWishlistIds().slice(0, shownMax)
  const { data, error, mutate } = useProductsById(ids)
  const products = data?.filter(({ id }) => ids.includes(id))
  if (ids.length === 0 || products?.length === 0) {
    return (
      <EmptyState
        icon={<Heart size={32} strokeWidth={1.5} />}
        title={t('account.noFavorites')}
        action={<ButtonLink to={paths.products()}>{t('account.browse')}</ButtonLink>}
      >
        {t('account.noFavoritesText')}
      </EmptyState>
    )
  }
  if (error && !products) {
    return (
      <EmptyState
        title={t('problem.loadTitle')}
        action={
          <Button tone="secondary" onClick={() => void mutate()}>
            {t('problem.tryAgain')}
          </Button>
        }
      >
        {shownMessage(error)}
      </EmptyState>
    )
  }
  return (
    <>
      <Hint>{t('account.favoritesHere')}</Hint>
      <CardGrid aria-busy={!products || undefined}>
        {products?.map((product) => <ListingCard key={product.id} product={product} />) ?? (
          <CardSkeletons count={Math.min(ids.length, 8)} />
        )}
      </CardGrid>
    </>
  )
}

const Hint = styled.p`
  margin-bottom: ${space(6)};
  color: ${color.muted};
`
