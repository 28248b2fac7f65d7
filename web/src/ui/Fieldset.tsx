import { styled } from 'styled-components'
import { space, weight } from '../theme/theme.ts'

/** Fields that answer one question together, without the browser's frame. */
export const Fieldset = styled.fieldset`
  min-width: 0;
  margin: 0;
  padding: 0;
  border: 0;
`

/** The question. */
export const Legend = styled.legend`
  padding: 0 0 ${space(1)};
  font-weight: ${weight.strong};
`
