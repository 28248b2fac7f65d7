import { styled } from 'styled-components'
import { weight } from '../theme/theme.ts'
import { Input } from './Input.tsx'

/** For a code that is compared with that of a mail or a phone: its letters stand apart. */
export const CodeInput = styled(Input).attrs({ spellCheck: false, autoCapitalize: 'none', autoCorrect: 'off' })`
  font-variant-numeric: tabular-nums;
  font-weight: ${weight.strong};
  letter-spacing: 0.2em;
`
