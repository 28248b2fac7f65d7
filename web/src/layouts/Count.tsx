import { styled } from 'styled-components'
import { color, radius, space, weight } from '../theme/theme.ts'

const countMax = 99

/** How much of something is new, at the corner of its icon; nothing when nothing is. What it is says the name of the link or button. */
export function Count({ of }: { of: number }) {
  return of > 0 && <Corner aria-hidden>{of > countMax ? `${countMax}+` : of}</Corner>
}

const Corner = styled.span`
  position: absolute;
  top: ${space(0.5)};
  right: ${space(0.5)};
  min-width: ${space(4.5)};
  padding: 0 ${space(1)};
  border-radius: ${radius.round};
  background: ${color.live};
  color: ${color.paper};
  font-size: 0.6875rem;
  font-weight: ${weight.strong};
  line-height: ${space(4.5)};
  text-align: center;
`
