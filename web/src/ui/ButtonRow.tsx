import { styled } from 'styled-components'
import { space } from '../theme/theme.ts'

/** Several ways on, side by side where there is room. */
export const ButtonRow = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(3)};
  justify-content: center;
`
