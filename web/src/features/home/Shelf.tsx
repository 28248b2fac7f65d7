import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { CardGrid } from '../../cards/Card.tsx'
import { CardSkeletons } from '../../cards/CardSkeletons.tsx'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, from, phone, space, text, weight } from '../../theme/theme.ts'
import { LoadFailure } from '../../ui/LoadFailure.tsx'

/** A titled row of cards, or what stands in for it. `items` is undefined while they load. */
export function Shelf({
  id,
  title,
  all,
  items,
  skeletons,
  empty,
  error,
  onRetry,
}: {
  id: string
  title: string
  all: { to: string; label: string }
  items: readonly ReactNode[] | undefined
  skeletons: number
  empty: string
  error: unknown
  onRetry: () => void
}) {
  const { t } = useTranslation()
  return (
    <Section aria-labelledby={id}>
      <ShelfHead>
        <ShelfTitle id={id}>{title}</ShelfTitle>
        <ViewAll to={all.to} aria-label={all.label}>
          {t('home.viewAll')}
        </ViewAll>
      </ShelfHead>
      {error !== undefined && items === undefined ? (
        <LoadFailure heading="h3" tone="secondary" onRetry={onRetry}>
          {shownMessage(error)}
        </LoadFailure>
      ) : items?.length === 0 ? (
        <Nothing>{empty}</Nothing>
      ) : (
        <ShelfGrid aria-busy={items === undefined || undefined}>
          {items ?? <CardSkeletons count={skeletons} />}
        </ShelfGrid>
      )}
    </Section>
  )
}

/** A part of the home page with a line above. */
export const Section = styled.section`
  margin-top: ${space(16)};
`

/** Its words are broken into lines before what is beside it goes below. */
export const ShelfHead = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)} ${space(4)};
  align-items: baseline;
  justify-content: space-between;
  margin-bottom: ${space(6)};
  padding-top: ${space(6)};
  border-top: 1px solid ${color.line};
  & > h2 { flex: 1; }
`

export const ShelfTitle = styled.h2`
  font-size: ${text.heading};
`

const ViewAll = styled(Link)`
  ${phone} { margin: -${space(3)} 0; padding: ${space(3)} 0; }
  font-weight: ${weight.strong};
  white-space: nowrap;
`

/** Three and six fill rows of three; on a phone the third one of three has a row to itself, its words beside the picture. */
const ShelfGrid = styled(CardGrid)`
  ${phone} {
    & > article:last-child:nth-child(odd):not(:only-child) {
      grid-column: 1 / -1;
      grid-template: none / repeat(2, minmax(0, 1fr));
      column-gap: ${space(4)};
      align-items: center;
    }
  }
  ${from.desktop} { grid-template-columns: repeat(3, minmax(0, 1fr)); }
`

const Nothing = styled.p`
  padding: ${space(10)} 0;
  color: ${color.muted};
`
