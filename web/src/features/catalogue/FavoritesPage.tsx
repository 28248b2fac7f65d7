import type { Product } from '@wangian/contracts/catalogue.ts'
import { Heart } from 'lucide-react'
import { type RefObject, useEffect, useRef } from 'react'
import { shownMessage } from '../../api/api-error.ts'
import { CardGrid } from '../../cards/Card.tsx'
import { CardSkeletons } from '../../cards/CardSkeletons.tsx'
import { ListingCard } from '../../cards/ListingCard.tsx'
import { useKeepFavorite } from '../../cards/saved-favorites.ts'
import { useTakenOff } from '../../cards/use-favorite.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/use-session.ts'
import { ButtonLink } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { LoadFailure } from '../../ui/LoadFailure.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'
import { useFavorites } from './favorite-list.ts'

/** A tab of the account: the perfumes that were given a heart. */
export default function FavoritesPage() {
  const user = useUser()
  return user && <Favorites key={user.id} userId={user.id} />
}

function Favorites({ userId }: { userId: number }) {
  const { t } = useTranslation()
  const { products, error, hasMore, isLoadingMore, showMore, reload } = useFavorites(userId)
  const isTakenOff = useTakenOff(userId)
  const shown = products?.filter(({ id }) => !isTakenOff(id))
  const heading = useRef<HTMLHeadingElement>(null)
  useUndo(products?.filter(({ id }) => isTakenOff(id)) ?? [], products !== undefined, heading)
  if (error && !products) {
    return (
      <LoadFailure tone="secondary" onRetry={reload}>
        {shownMessage(error)}
      </LoadFailure>
    )
  }
  return (
    <>
      {/* Where the focus goes when the card that had it has left. */}
      <VisuallyHidden as="h2" ref={heading} tabIndex={-1}>
        {t('account.tabs.favorites')}
      </VisuallyHidden>
      {shown?.length === 0 && !hasMore ? (
        <EmptyState
          heading="h3"
          icon={<Heart size={32} strokeWidth={1.5} />}
          title={t('account.noFavorites')}
          action={<ButtonLink to={paths.products()}>{t('account.browse')}</ButtonLink>}
        >
          {t('account.noFavoritesText')}
        </EmptyState>
      ) : (
        <CardGrid aria-busy={!shown || undefined}>
          {shown?.map((product, index) => (
            <ListingCard key={product.id} product={product} place={{ list: 'Favorites', index }} />
          )) ?? <CardSkeletons count={8} />}
        </CardGrid>
      )}
      {hasMore && <ShowMore failure={error && shownMessage(error)} isBusy={isLoadingMore} onPress={showMore} />}
    </>
  )
}

/** Says what has just been taken off, and how to bring it back. */
function useUndo(takenOff: readonly Product[], isKnown: boolean, heading: RefObject<HTMLElement | null>): void {
  const { t } = useTranslation()
  const keep = useKeepFavorite()
  const before = useRef<readonly number[] | null>(null)
  const ids = takenOff.map(({ id }) => id).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: when other products are taken off than before, and at no other time
  useEffect(() => {
    const known = before.current
    before.current = isKnown ? takenOff.map(({ id }) => id) : null
    const product = known && takenOff.find(({ id }) => !known.includes(id))
    if (!product) return
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true })
    showToast({
      title: t('wishlist.removed'),
      description: product.name,
      action: { label: t('wishlist.undo'), onAct: () => keep(product.id, true) },
    })
  }, [ids, isKnown])
}
