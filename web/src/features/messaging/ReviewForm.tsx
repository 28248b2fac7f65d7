import { REVIEW_COMMENT_LENGTH_MAX } from '@wangian/contracts/messaging.ts'
import { useState } from 'react'
import { styled } from 'styled-components'
import { useTranslation } from '../../lib/use-translation.ts'
import { space } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Field, TextArea } from '../../ui/Field.tsx'
import { StarField } from '../../ui/StarField.tsx'
import { keepReview, keptReview } from './drafts.ts'

const RATING_FIRST = 5

/** What a buyer says of a purchase: half stars, and words if they like. What is half written is kept beyond a reload. */
export function ReviewForm({
  ownId,
  cardId,
  isBusy,
  onSubmit,
}: {
  ownId: number
  cardId: number
  isBusy: boolean
  onSubmit: (review: { rating: number; comment: string }) => void
}) {
  const { t } = useTranslation()
  const [review, setReview] = useState(() => keptReview(ownId, cardId) ?? { rating: RATING_FIRST, comment: '' })
  const { rating, comment } = review
  const write = (change: Partial<typeof review>) => {
    const next = { ...review, ...change }
    setReview(next)
    keepReview(ownId, cardId, next)
  }
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(review)
      }}
    >
      <StarField
        label={t('deal.rating')}
        value={rating}
        valueText={t('review.stars', { rating })}
        disabled={isBusy}
        onChange={(stars) => write({ rating: stars })}
      />
      <Field label={t('deal.comment')} help={t('deal.commentHelp')}>
        {(control) => (
          <Comment
            {...control}
            rows={3}
            maxLength={REVIEW_COMMENT_LENGTH_MAX}
            value={comment}
            disabled={isBusy}
            onChange={(event) => write({ comment: event.target.value })}
          />
        )}
      </Field>
      <Button type="submit" size="small" wide busy={isBusy} busyLabel={t('deal.submitting')}>
        {t('deal.submitReview')}
      </Button>
    </Form>
  )
}

const Form = styled.form`
  display: grid;
  gap: ${space(3)};
`

const Comment = styled(TextArea)`
  min-height: ${space(20)};
`
