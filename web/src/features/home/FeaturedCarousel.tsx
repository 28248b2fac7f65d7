import type { Product } from '@wangian/contracts/catalogue.ts'
import { ChevronLeft, ChevronRight, Pause, Play } from 'lucide-react'
import { type FocusEvent, type PointerEvent, useId, useState } from 'react'
import { styled } from 'styled-components'
import { CardAction, CardPrice } from '../../cards/Card.tsx'
import { ListingCard } from '../../cards/ListingCard.tsx'
import { useMedia } from '../../lib/use-media.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, from, motion, phone, radius, space } from '../../theme/theme.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Section, ShelfHead, ShelfTitle } from './Shelf.tsx'
import { fadeOutMs, useCarousel } from './use-carousel.ts'

const perSlide = 2

/**
 * What sellers have boosted, two at a time. It goes on by itself until somebody looks closer, stops it or wants no motion; there is
 * nothing to press where everything is on one slide.
 */
export function FeaturedCarousel({ products }: { products: readonly Product[] }) {
  const { t } = useTranslation()
  const id = useId()
  const isStill = useMedia('(prefers-reduced-motion: reduce)') === true
  const [isStopped, setStopped] = useState(false)
  const [isHovered, setHovered] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const slides = pairsOf(products)
  const rests = isStopped || isHovered || isFocused
  const { index, isFading, previous, next, show } = useCarousel(slides.length, { rests, isStill })
  const hasMore = slides.length > 1
  const Turn = isStopped ? Play : Pause
  return (
    <Section
      aria-labelledby={id}
      aria-roledescription={t('home.carousel')}
      // A touch has no end, and would hold it for ever.
      onPointerEnter={(event: PointerEvent) => setHovered(event.pointerType === 'mouse')}
      onPointerLeave={() => setHovered(false)}
      onFocus={() => setFocused(true)}
      onBlur={(event: FocusEvent) => setFocused(event.currentTarget.contains(event.relatedTarget))}
    >
      <ShelfHead>
        <ShelfTitle id={id}>{t('home.featured')}</ShelfTitle>
        {hasMore && (
          <Controls>
            {!isStill && (
              <IconButton
                aria-label={isStopped ? t('home.playFeatured') : t('home.pauseFeatured')}
                onClick={() => setStopped(!isStopped)}
              >
                <Turn size={20} strokeWidth={1.5} aria-hidden />
              </IconButton>
            )}
            <IconButton aria-label={t('home.previousFeatured')} onClick={previous}>
              <ChevronLeft size={22} strokeWidth={1.5} aria-hidden />
            </IconButton>
            <IconButton aria-label={t('home.nextFeatured')} onClick={next}>
              <ChevronRight size={22} strokeWidth={1.5} aria-hidden />
            </IconButton>
          </Controls>
        )}
      </ShelfHead>
      <Slide
        role="group"
        aria-roledescription={t('home.slide')}
        aria-label={t('home.slideOf', { number: index + 1, count: slides.length })}
        // Read out only what somebody asked for.
        aria-live={rests ? 'polite' : 'off'}
        $isFading={isFading}
      >
        {slides[index]?.map((product, place) => (
          <ListingCard
            key={product.id}
            product={product}
            place={{ list: 'Featured Products', index: index * perSlide + place }}
          />
        ))}
      </Slide>
      {hasMore && (
        <Dots>
          {slides.map((slide, place) => (
            <li key={slide[0]?.id}>
              <Dot
                type="button"
                aria-label={t('home.showSlide', { number: place + 1 })}
                aria-current={place === index || undefined}
                onClick={() => show(place)}
              />
            </li>
          ))}
        </Dots>
      )}
    </Section>
  )
}

function pairsOf(products: readonly Product[]): readonly (readonly Product[])[] {
  return Array.from({ length: Math.ceil(products.length / perSlide) }, (_, pair) =>
    products.slice(pair * perSlide, (pair + 1) * perSlide),
  )
}

const Controls = styled.div`
  display: flex;
  gap: ${space(1)};
  align-items: center;
  margin: -${space(2)} -${space(2)} -${space(2)} 0;
`

/**
 * Two cards; where there is room each has its picture beside its words, so that the slide is not as high as the window. Slides are as high
 * as their pictures, and as names of two lines, so that nothing below moves with them; on a phone they are without buttons, which not all
 * cards have there.
 */
const Slide = styled.div<{ $isFading: boolean }>`
  display: grid;
  grid-template-columns: repeat(2, minmax(0, 1fr));
  gap: ${space(4)};
  opacity: ${({ $isFading }) => ($isFading ? 0 : 1)};
  transition: opacity ${fadeOutMs}ms ease-out;
  ${phone} {
    & > article > :last-child { min-height: 11rem; }
    ${CardAction} { display: none; }
    ${CardPrice} { margin-top: auto; }
  }
  ${from.tablet} { gap: ${space(6)}; }
  ${from.desktop} {
    gap: ${space(8)};
    & > article {
      grid-template: none / minmax(0, 5fr) minmax(0, 6fr);
      gap: ${space(6)};
      align-items: center;
      padding-right: ${space(6)};
      border-radius: ${radius.large};
      background: ${color.surface};
    }
  }
`

const Dots = styled.ol`
  display: flex;
  flex-wrap: wrap;
  justify-content: center;
  margin-top: ${space(4)};
`

const Dot = styled.button`
  display: grid;
  place-items: center;
  width: ${space(7)};
  height: ${space(7)};
  ${phone} { width: ${space(11)}; height: ${space(11)}; }
  padding: 0;
  border: 0;
  background: none;
  &::before {
    width: ${space(2.5)};
    height: ${space(2.5)};
    border: 1px solid ${color.edge};
    border-radius: ${radius.round};
    content: '';
    transition: background-color ${motion.quick}, border-color ${motion.quick};
  }
  &:hover::before { border-color: ${color.ink}; }
  &[aria-current]::before { border-color: ${color.accent}; background: ${color.accent}; }
`
