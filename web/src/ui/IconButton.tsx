import { styled } from 'styled-components'
import { color, motion, radius, space, tint } from '../theme/theme.ts'

/** A button that is only an icon; it needs an `aria-label`. */
export const IconButton = styled.button.attrs(({ type = 'button' }) => ({ type }))`
  display: grid;
  flex: none;
  place-items: center;
  width: ${space(11)};
  height: ${space(11)};
  padding: 0;
  border: 1px solid transparent;
  border-radius: ${radius.round};
  background: none;
  color: ${color.ink};
  transition: background-color ${motion.quick}, color ${motion.quick};
  &:hover:enabled { background: ${tint('ink', 6)}; }
  &:disabled, &[aria-disabled='true'] { color: ${color.muted}; cursor: default; }
`
