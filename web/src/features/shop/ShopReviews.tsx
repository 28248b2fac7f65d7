import { MessageSquareQuote } from 'lucide-react'
import { styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { ReviewFrame, ReviewItem } from '../../cards/ReviewItem.tsx'
import { useTranslation } from '../../lib/use-translation.ts'
import { space } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useSellerReviews } from './api.ts'

/** What buyers said of a seller, the newest first. */
export function ShopReviews({ sellerId }: { sellerId: number }) {
  const { t } = useTranslation()
  const { reviews, error, hasMore, isLoadingMore, showMore, reload } = useSellerReviews(sellerId)
  if (error && !reviews) {
    return (
      <EmptyState
        heading="h3"
        title={t('shop.reviewsFailed')}
        action={
          <Button tone="secondary" onClick={reload}>
            {t('shop.retry')}
          </Button>
        }
      />
    )
  }
  if (reviews?.length === 0) {
    return (
      <EmptyState heading="h3" icon={<MessageSquareQuote size={32} strokeWidth={1.5} />} title={t('shop.noReviews')} />
    )
  }
  return (
    // It scrolls, so that it must be reached by keyboard.
    <Scroll role="region" aria-label={t('shop.reviews')} aria-busy={reviews === undefined || undefined} tabIndex={0}>
      <ul>{reviews?.map((review) => <ReviewItem key={review.id} review={review} namesProduct />) ?? <Coming />}</ul>
      {hasMore && (
        <ShowMore
          failure={error && shownMessage(error)}
          isBusy={isLoadingMore}
          label={t('shop.moreReviews')}
          busyLabel={t('shop.loadingMore')}
          onPress={showMore}
        />
      )}
    </Scroll>
  )
}

function Coming() {
  return [0, 1, 2].map((place) => (
    <ReviewFrame key={place} aria-hidden>
      <Skeleton $width={space(9)} $height={space(9)} />
      <div>
        <Skeleton $width="40%" $height={space(5)} />
        <Skeleton $width="80%" $height={space(5)} />
      </div>
    </ReviewFrame>
  ))
}

const Scroll = styled.div`
  max-height: 600px;
  overflow-y: auto;
`
