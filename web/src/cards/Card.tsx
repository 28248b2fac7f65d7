import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { color, font, from, motion, radius, reach, space, text, weight } from '../theme/theme.ts'
import { Button } from '../ui/Button.tsx'

/** How wide a card's picture is shown. */
export const cardSizes = '(min-width: 1200px) 380px, (min-width: 768px) 33vw, 50vw'

/** The frame of a card and its parts. The link in the name covers the whole card, and buttons lie above it. */
export const Card = styled.article`
  position: relative;
  display: grid;
  grid-template-rows: auto 1fr;
  gap: ${space(3)};
  min-width: 0;
`

/** What cannot be bought any more is `$faded`. */
export const CardPicture = styled.div<{ $faded?: boolean }>`
  position: relative;
  overflow: hidden;
  border-radius: ${radius.large};
  img { transition: opacity ${motion.calm}, transform 220ms ease-out; ${({ $faded }) => $faded && 'filter: saturate(0.25) opacity(0.6);'} }
  ${Card}:hover & img { transform: scale(1.02); }
`

export const CardBadges = styled.div`
  position: absolute;
  right: ${space(2)};
  bottom: ${space(2)};
  left: ${space(2)};
  display: flex;
  flex-wrap: wrap;
  gap: ${space(1)};
  && > * { white-space: normal; }
`

export const CardButtons = styled.div`
  position: absolute;
  z-index: 1;
  top: ${space(2)};
  right: ${space(2)};
  display: grid;
  gap: ${space(2)};
`

export const CardIconButton = styled.button`
  position: relative;
  display: grid;
  place-items: center;
  width: ${space(9)};
  height: ${space(9)};
  padding: 0;
  border: 0;
  border-radius: ${radius.round};
  background: ${color.surface};
  color: ${color.ink};
  transition: color ${motion.quick};
  ${reach(4)}
  &:hover { color: ${color.accent}; }
  &[aria-pressed='true'] svg { fill: currentcolor; color: ${color.live}; }
`

export const CardBody = styled.div`
  display: flex;
  flex-direction: column;
  gap: ${space(1)};
  min-width: 0;
`

export const CardBrand = styled.p`
  overflow: hidden;
  color: ${color.muted};
  font-size: ${text.small};
  text-overflow: ellipsis;
  white-space: nowrap;
`

export const CardName = styled.h3`
  display: -webkit-box;
  overflow: hidden;
  font-size: ${text.lead};
  line-height: 1.25;
  overflow-wrap: anywhere;
  -webkit-box-orient: vertical;
  -webkit-line-clamp: 2;
  ${from.tablet} { font-size: 1.1875rem; }
`

export const CardLink = styled(Link)`
  color: inherit;
  text-decoration: none;
  &:hover { text-decoration: underline; }
  &::after { position: absolute; inset: 0; border-radius: ${radius.large}; content: ''; }
  &:focus-visible { outline: none; }
  &:focus-visible::after { outline: 2px solid ${color.accent}; outline-offset: 2px; }
`

export const CardSmall = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
  font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere;
`

/** Millions in large text have no room in half a phone. */
export const CardPrice = styled.p`
  display: flex;
  flex-wrap: wrap;
  gap: 0 ${space(3)};
  align-items: center;
  justify-content: space-between;
  padding-top: ${space(1)};
  font-family: ${font.sans};
  font-size: ${text.lead};
  font-variant-numeric: tabular-nums;
  font-weight: ${weight.strong};
  overflow-wrap: anywhere;
`

/** The way on, at the end of a card. */
export const CardAction = styled(Button)`
  position: relative;
  z-index: 1;
  margin-top: ${space(2)};
`

/** Facts that may be long and decide nothing: one line of them. */
export const CardFacts = styled(CardSmall)`
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
`

/** Cards side by side, as many as fit. */
export const CardGrid = styled.div`
  display: grid;
  grid-template-columns: repeat(2, minmax(0, 1fr));
  gap: ${space(8)} ${space(4)};
  ${from.tablet} { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: ${space(12)} ${space(6)}; }
  ${from.desktop} { grid-template-columns: repeat(4, minmax(0, 1fr)); }
`
