import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router-dom'
import { styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { AuctionCard } from '../../cards/AuctionCard.tsx'
import { CardGrid } from '../../cards/Card.tsx'
import { CardSkeletons } from '../../cards/CardSkeletons.tsx'
import { categoryIds, categoryKeys } from '../../cards/category-names.ts'
import { ProductCard } from '../../cards/ProductCard.tsx'
import { paths } from '../../paths.ts'
import { color, from, motion, radius, space, text, weight } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Page } from '../../ui/Page.tsx'
import { useHomeAuctions, useRecentListings } from './api.ts'
import { HeroPictures } from './HeroPictures.tsx'
import { SearchForm } from './SearchForm.tsx'

/** The front door. */
export default function HomePage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const auctions = useHomeAuctions()
  const listings = useRecentListings()
  return (
    <Page>
      <title>{`${t('shell.brand')} · ${t('shell.tagline')}`}</title>
      <Hero>
        <div>
          <HeroTitle>{t('home.title')}</HeroTitle>
          <HeroText>{t('home.intro')}</HeroText>
          <SearchForm button={t('home.start')} onSearch={(search) => void navigate(paths.products({ search }))} />
          <Categories aria-label={t('home.categories')}>
            {categoryIds.map((id) => (
              <Category key={id} to={paths.products({ category: id })}>
                {t(categoryKeys[id])}
              </Category>
            ))}
          </Categories>
        </div>
        <HeroPictures products={listings.data?.slice(0, 3)} />
      </Hero>

      <Shelf
        id="live-auctions"
        title={t('home.liveAuctions')}
        all={{ to: paths.products({ type: 'auction' }), label: t('home.viewAllAuctions') }}
        empty={t('home.noAuctions')}
        skeletons={3}
        items={auctions.data?.map(({ auction, product }) => (
          <AuctionCard key={auction.id} product={product} auction={auction} />
        ))}
        error={auctions.error}
        onRetry={() => void auctions.mutate()}
      />
      <Shelf
        id="recent-listings"
        title={t('home.recent')}
        all={{ to: paths.products(), label: t('home.viewAllListings') }}
        empty={t('home.noListings')}
        skeletons={6}
        items={listings.data?.map((product) => <ProductCard key={product.id} product={product} />)}
        error={listings.error}
        onRetry={() => void listings.mutate()}
      />
    </Page>
  )
}

/** A titled row of cards, or what stands in for it. `items` is undefined while they load. */
function Shelf({
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
        <EmptyState
          heading="h3"
          title={t('problem.loadTitle')}
          action={
            <Button tone="secondary" onClick={onRetry}>
              {t('problem.tryAgain')}
            </Button>
          }
        >
          {shownMessage(error)}
        </EmptyState>
      ) : items?.length === 0 ? (
        <Nothing>{empty}</Nothing>
      ) : (
        <ShelfGrid>{items ?? <CardSkeletons count={skeletons} />}</ShelfGrid>
      )}
    </Section>
  )
}

const Hero = styled.section`
  display: grid;
  gap: ${space(10)};
  align-items: center;
  padding-bottom: ${space(4)};
  ${from.desktop} {
    grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    gap: ${space(16)};
    padding: ${space(4)} 0 ${space(8)};
  }
`

const HeroTitle = styled.h1`
  max-width: 14ch;
  font-size: clamp(${text.display}, 6vw, ${text.hero});
  line-height: 1.05;
`

const HeroText = styled.p`
  max-width: 52ch;
  margin: ${space(5)} 0 ${space(8)};
  color: ${color.muted};
  font-size: ${text.lead};
`

const Categories = styled.nav`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
  margin-top: ${space(4)};
`

const Category = styled(Link)`
  display: inline-flex;
  align-items: center;
  min-height: ${space(9)};
  padding: 0 ${space(4)};
  border: 1px solid ${color.line};
  border-radius: ${radius.round};
  text-decoration: none;
  transition: border-color ${motion.quick};
  &:hover { border-color: ${color.ink}; }
`

const Section = styled.section`
  margin-top: ${space(16)};
`

const ShelfHead = styled.div`
  display: flex;
  gap: ${space(4)};
  align-items: baseline;
  justify-content: space-between;
  margin-bottom: ${space(6)};
  padding-top: ${space(6)};
  border-top: 1px solid ${color.line};
`

const ShelfTitle = styled.h2`
  font-size: ${text.heading};
`

const ViewAll = styled(Link)`
  font-weight: ${weight.strong};
  white-space: nowrap;
`

/** Three and six fill rows of three. */
const ShelfGrid = styled(CardGrid)`
  ${from.desktop} { grid-template-columns: repeat(3, minmax(0, 1fr)); }
`

const Nothing = styled.p`
  padding: ${space(10)} 0;
  color: ${color.muted};
`
