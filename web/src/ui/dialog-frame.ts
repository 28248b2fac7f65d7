import { css } from 'styled-components'
import { color, layer, motion, radius, space, width } from '../theme/theme.ts'

/** What is behind whatever asks for an answer. */
export const dialogBackdrop = css`
  position: fixed;
  z-index: ${layer.popup};
  inset: 0;
  background: rgb(0 0 0 / 48%);
  transition: opacity ${motion.calm};
  &[data-starting-style], &[data-ending-style] { opacity: 0; }
`

/** Where it stands: in the middle, and scrolling when it is higher than the window. */
export const dialogPlace = css`
  position: fixed;
  z-index: ${layer.popup};
  inset: 0;
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  padding: ${space(4)};
  overflow-y: auto;
  pointer-events: none;
`

export const dialogPopup = css`
  width: 100%;
  max-width: ${width.form};
  margin: auto;
  padding: ${space(6)};
  border: 1px solid ${color.line};
  border-radius: ${radius.large};
  background: ${color.surface};
  box-shadow: ${color.shadow};
  overflow-wrap: anywhere;
  pointer-events: auto;
  transition: opacity ${motion.calm}, transform ${motion.calm};
  &:focus-visible { outline: none; }
  &[data-starting-style], &[data-ending-style] { opacity: 0; transform: translateY(${space(2)}); }
`
