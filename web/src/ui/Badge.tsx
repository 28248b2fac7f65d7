import { styled } from 'styled-components'
import { color, radius, space, text, weight } from '../theme/theme.ts'

/** A short fact on or above something. */
export const Badge = styled.span<{ $tone?: 'ink' | 'live' | 'ok' | 'warn' | 'accent' }>`
  display: inline-flex;
  align-items: center;
  gap: ${space(1)};
  padding: ${space(0.5)} ${space(2)};
  border: 1px solid currentcolor;
  border-radius: ${radius.small};
  background: ${color.surface};
  color: ${({ $tone = 'ink' }) => color[$tone]};
  font-size: ${text.small};
  font-weight: ${weight.strong};
  line-height: 1.4;
  white-space: nowrap;
`
