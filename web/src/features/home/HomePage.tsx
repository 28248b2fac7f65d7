import { Suspense, useCallback, useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { css, styled } from 'styled-components'
import { AuctionCard } from '../../cards/AuctionCard.tsx'
import { categoryIds, categoryKeys } from '../../cards/category-names.ts'
import { ProductCard } from '../../cards/ProductCard.tsx'
import { loadWords } from '../../i18n/i18n.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { searchedIn, searchName } from '../../lib/search-form.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { color, from, motion, phone, radius, space, text } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Input } from '../../ui/Input.tsx'
import { Page } from '../../ui/Page.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'
import { useFeatured, useLiveAuctions, useRecentListings } from './api.ts'
import { FeaturedCarousel } from './FeaturedCarousel.tsx'
import { HeroPictures } from './HeroPictures.tsx'
import { Shelf } from './Shelf.tsx'
import { LIVE_AUCTIONS_MAX, RECENT_LISTINGS_MAX, shelvesOf } from './shelves.ts'
import { useIsNear } from './use-is-near.ts'

/** Far below what a visit begins with, so that it comes when somebody gets near it. */
const Story = lazyPart(async () => (await Promise.all([import('./Story.tsx'), loadWords()]))[0].Story)

/** The front door. */
export default function HomePage() {
  const { t } = useTranslation()
  const featured = useFeatured()
  const auctions = useLiveAuctions()
  const listings = useRecentListings()
  const isFeaturedKnown = (featured.data ?? featured.error) !== undefined
  const shelves = shelvesOf(isFeaturedKnown ? (featured.data ?? []) : undefined, auctions.data, listings.data)
  return (
    <Page>
      <title>{`${t('shell.brand')} · ${t('shell.tagline')}`}</title>
      <Hero>
        <div>
          <HeroTitle>{t('home.title')}</HeroTitle>
          <HeroText>{t('home.intro')}</HeroText>
          <HeroSearch />
          <Categories aria-label={t('home.categories')}>
            {categoryIds.map((id) => (
              <Category key={id} to={paths.products({ category: id })}>
                {t(categoryKeys[id])}
              </Category>
            ))}
          </Categories>
        </div>
        <HeroPictures products={listings.error && !listings.data ? [] : shelves.hero} />
      </Hero>

      {/* What is below waits for it, so that nothing moves once it is there. The page can do without it. */}
      {isFeaturedKnown && (
        <>
          {featured.data !== undefined && featured.data.length > 0 && <FeaturedCarousel products={featured.data} />}
          <Shelf
            id="live-auctions"
            title={t('home.liveAuctions')}
            all={{ to: paths.products({ type: 'auction' }), label: t('home.viewAllAuctions') }}
            empty={t('home.noAuctions')}
            skeletons={LIVE_AUCTIONS_MAX}
            items={shelves.auctions?.map((product, index) => (
              <AuctionCard
                key={product.id}
                product={product}
                auction={product.auction}
                place={{ list: 'Live Auctions', index }}
              />
            ))}
            error={auctions.error}
            onRetry={() => void auctions.mutate()}
          />
          <Shelf
            id="recent-listings"
            title={t('home.recent')}
            all={{ to: paths.products(), label: t('home.viewAllListings') }}
            empty={t('home.noListings')}
            skeletons={RECENT_LISTINGS_MAX}
            items={shelves.listings?.map((product, index) => (
              <ProductCard key={product.id} product={product} place={{ list: 'Recent Listings', index }} />
            ))}
            error={listings.error}
            onRetry={() => void listings.mutate()}
          />
          <LaterStory />
        </>
      )}
    </Page>
  )
}

function LaterStory() {
  const [place, isNear] = useIsNear()
  const [isWhole, setWhole] = useState(false)
  const end = useCallback(() => setWhole(true), [])
  return (
    <StoryPlace ref={place} $isWhole={isWhole}>
      <Suspense fallback={null}>{isNear && <Story onWhole={end} />}</Suspense>
    </StoryPlace>
  )
}

function HeroSearch() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  return (
    <Search
      role="search"
      aria-label={t('shell.search')}
      action={paths.products()}
      onSubmit={(event) => {
        event.preventDefault()
        void navigate(paths.products({ search: searchedIn(event.currentTarget) }))
      }}
    >
      <VisuallyHidden as="label" htmlFor="hero-search">
        {t('shell.search')}
      </VisuallyHidden>
      <Input id="hero-search" type="search" name={searchName} placeholder={t('shell.searchPlaceholder')} />
      <Button type="submit">{t('home.start')}</Button>
    </Search>
  )
}

const room = css`
  min-height: 106rem;
  @media (max-width: 359.98px) { min-height: 115rem; }
  ${from.tablet} { min-height: 65rem; }
  ${from.desktop} { min-height: 60rem; }
`

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
  max-width: 9.4em;
  font-size: clamp(${text.display}, 6vw, ${text.hero});
  line-height: 1.05;
`

const HeroText = styled.p`
  max-width: 30em;
  margin: ${space(5)} 0 ${space(8)};
  color: ${color.muted};
  font-size: ${text.lead};
`

const Search = styled.form`
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  gap: ${space(2)};
  ${phone} { grid-template-columns: minmax(0, 1fr); }
`

const Categories = styled.nav`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
  margin-top: ${space(4)};
  ${phone} { display: grid; grid-template-columns: 1fr 1fr; }
`

const Category = styled(Link)`
  display: inline-flex;
  align-items: center;
  min-height: ${space(9)};
  ${phone} { min-height: ${space(11)}; justify-content: center; }
  padding: 0 ${space(4)};
  border: 1px solid ${color.line};
  border-radius: ${radius.round};
  text-decoration: none;
  transition: border-color ${motion.quick};
  &:hover { border-color: ${color.ink}; }
`

/** As high as what comes, so that the footer does not move; once that is there, as high as it is. */
const StoryPlace = styled.div<{ $isWhole: boolean }>`
  ${({ $isWhole }) => !$isWhole && room}
`
