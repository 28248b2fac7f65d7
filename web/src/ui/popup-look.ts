import { css } from 'styled-components'
import { color, highlight, layer, motion, phone, radius, space } from '../theme/theme.ts'

/** What floats above the page by its trigger: a list to choose from, a menu, an explanation. */
export const popupLook = css`
  border: 1px solid ${color.line};
  border-radius: ${radius.large};
  background: ${color.surface};
  color: ${color.ink};
  box-shadow: ${color.shadow};
  transform-origin: var(--transform-origin);
  transition: opacity ${motion.quick}, transform ${motion.quick};
  &:focus-visible { outline: none; }
  &[data-starting-style], &[data-ending-style] { opacity: 0; transform: scale(0.97); }
`

/** One line to choose in it. */
export const popupItemLook = css`
  display: flex;
  gap: ${space(3)};
  align-items: center;
  min-height: ${space(10)};
  ${phone} { min-height: ${space(11)}; }
  padding: 0 ${space(3)};
  border-radius: ${radius.small};
  color: inherit;
  text-decoration: none;
  cursor: pointer;
  user-select: none;
  &[data-highlighted] { ${highlight} }
  &[data-disabled] { color: ${color.muted}; cursor: default; }
`

export const positionerLook = css`
  z-index: ${layer.popup};
  &:focus-visible { outline: none; }
`
