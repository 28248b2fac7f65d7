import type { Review } from '@wangian/contracts/shop.ts'
import { MessageSquareQuote } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { formatDay } from '../../lib/dates.ts'
import { profileImageSource } from '../../lib/image-source.ts'
import { paths } from '../../paths.ts'
import { color, space, text, weight, width } from '../../theme/theme.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Stars } from '../../ui/Stars.tsx'
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
      <ul>{reviews?.map((review) => <ReviewItem key={review.id} review={review} />) ?? <Coming />}</ul>
      {hasMore && (
        <More>
          <Button tone="secondary" busy={isLoadingMore} busyLabel={t('shop.loadingMore')} onClick={showMore}>
            {t('shop.moreReviews')}
          </Button>
        </More>
      )}
    </Scroll>
  )
}

function ReviewItem({ review }: { review: Review }) {
  const { t } = useTranslation()
  const { user, product, rating, comment, createdAt } = review
  const name = user.username ?? t('person.deleted')
  return (
    <Item>
      <Avatar src={profileImageSource(user.profileImage)} name={name} />
      <div>
        <Head>
          <Name>{name}</Name>
          <Stars rating={rating} label={t('shop.stars', { rating })} />
          <When dateTime={createdAt}>{formatDay(createdAt)}</When>
        </Head>
        {comment && <Comment>{comment}</Comment>}
        <About>
          <Link to={paths.product(product.id)}>{product.name}</Link>
        </About>
      </div>
    </Item>
  )
}

function Coming() {
  return [0, 1, 2].map((place) => (
    <Item key={place} aria-hidden>
      <Skeleton $width={space(9)} $height={space(9)} />
      <div>
        <Skeleton $width="40%" $height={space(5)} />
        <Skeleton $width="80%" $height={space(5)} />
      </div>
    </Item>
  ))
}

const Scroll = styled.div`
  max-height: 600px;
  overflow-y: auto;
`

const Item = styled.li`
  display: grid;
  grid-template-columns: auto minmax(0, 1fr);
  gap: ${space(4)};
  padding: ${space(5)} 0;
  & + & { border-top: 1px solid ${color.line}; }
`

const Head = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(1)} ${space(3)};
  align-items: center;
`

const Name = styled.span`
  font-weight: ${weight.strong};
  overflow-wrap: anywhere;
`

const When = styled.time`
  color: ${color.muted};
  font-size: ${text.small};
`

const Comment = styled.p`
  max-width: ${width.prose};
  margin-top: ${space(2)};
  overflow-wrap: anywhere;
  white-space: pre-line;
`

const About = styled.p`
  margin-top: ${space(2)};
  color: ${color.muted};
  font-size: ${text.small};
`

const More = styled.div`
  display: grid;
  justify-items: center;
  padding: ${space(5)} 0;
`
