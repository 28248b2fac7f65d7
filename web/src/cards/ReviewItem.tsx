import type { Review } from '@wangian/contracts/catalogue.ts'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { ReportButton } from '../contact/ReportButton.tsx'
import { formatDay } from '../lib/dates.ts'
import { profileImageSource } from '../lib/image-source.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { color, space, text, weight, width } from '../theme/theme.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { Stars } from '../ui/Stars.tsx'

/** What a buyer said, in a list. `namesProduct` leads to what it is about, where that is not plain. */
export function ReviewItem({ review, namesProduct = false }: { review: Review; namesProduct?: boolean }) {
  const { t } = useTranslation()
  const { user, product, rating, comment, createdAt } = review
  const name = user.username ?? t('person.deleted')
  return (
    <ReviewFrame>
      <Avatar src={profileImageSource(user.profileImage)} name={name} />
      <div>
        <Head>
          <Name>{name}</Name>
          <Stars rating={rating} label={t('review.stars', { rating })} />
          <When dateTime={createdAt}>{formatDay(createdAt)}</When>
        </Head>
        {comment && <Comment>{comment}</Comment>}
        {namesProduct && product && (
          <About>
            <Link to={paths.product(product.id)}>{product.name}</Link>
          </About>
        )}
        <ReportButton
          kind="review"
          targetId={review.id}
          owner={user}
          label={t('report.review')}
          fullLabel={t('report.reviewOf', { name })}
        />
      </div>
    </ReviewFrame>
  )
}

/** A picture, and words beside it. */
export const ReviewFrame = styled.li`
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
