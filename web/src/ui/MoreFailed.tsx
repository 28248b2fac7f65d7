import { styled } from 'styled-components'
import { color, space, text } from '../theme/theme.ts'

/** Why what comes next of a list has not come, above the way to try it again. */
export const MoreFailed = styled.p.attrs({ role: 'alert' })`
  margin-bottom: ${space(3)};
  color: ${color.muted};
  font-size: ${text.small};
  text-align: center;
`
