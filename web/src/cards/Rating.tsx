import { styled } from 'styled-components'
import { useTranslation } from '../lib/use-translation.ts'
import { space } from '../theme/theme.ts'
import { Stars } from '../ui/Stars.tsx'

/** What people say on average, and how many of them. */
export function Rating({ average, count }: { average: number; count: number }) {
  const { t } = useTranslation()
  return (
    <Frame>
      <Stars rating={average} label={t('review.stars', { rating: average })} />
      {t('review.average', { rating: average.toFixed(1), count })}
    </Frame>
  )
}

const Frame = styled.span`
  display: inline-flex;
  flex-wrap: wrap;
  gap: ${space(2)};
  align-items: center;
  font-variant-numeric: tabular-nums;
`
