import { styled } from 'styled-components'
import { color, from, space, text, width } from '../theme/theme.ts'

/** The column that everything stands in. */
export const Page = styled.div`
  width: 100%;
  max-width: calc(${width.page} + ${space(12)});
  margin: 0 auto;
  padding: ${space(5)} ${space(5)} ${space(20)};
  ${from.tablet} { padding: ${space(12)} ${space(6)} ${space(24)}; }
`

export const PageTitle = styled.h1`
  font-size: ${text.heading};
  ${from.tablet} { font-size: ${text.display}; }
`

/** The line under a title that says what the page is for. */
export const PageIntro = styled.p`
  max-width: ${width.prose};
  margin-top: ${space(2)};
  color: ${color.muted};
  font-size: ${text.lead};
`
