import type { WheelEvent } from 'react'
import { css, styled } from 'styled-components'
import { color, motion, radius, space } from '../theme/theme.ts'

/** Its letters are as large as they are because a phone zooms in on smaller ones. */
export const controlLook = css`
  display: block;
  width: 100%;
  min-width: 0;
  min-height: ${space(12)};
  padding: ${space(2)} ${space(3)};
  border: 1px solid ${color.edge};
  border-radius: ${radius.small};
  background: ${color.surface};
  color: ${color.ink};
  font-size: 1rem;
  transition: border-color ${motion.quick};
  &:hover { border-color: ${color.ink}; }
  &::placeholder { color: ${color.muted}; opacity: 1; }
  &[aria-invalid='true'] { border-color: ${color.live}; }
  &:disabled { border-color: ${color.line}; background: ${color.ground}; color: ${color.muted}; cursor: default; }
`

/** With the focus, a browser turns a number by the wheel, and does not scroll. */
const leave = (event: WheelEvent<HTMLInputElement>) => event.currentTarget.blur()

/** Apart from `Field.tsx` because the first page needs it. */
export const Input = styled.input.attrs(({ type }) => (type === 'number' ? { onWheel: leave } : {}))`
  ${controlLook}
  &[type='number'] { font-variant-numeric: tabular-nums; }
`
