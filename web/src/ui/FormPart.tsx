import { type ReactNode, useId } from 'react'
import { styled } from 'styled-components'
import { color, from, space, text } from '../theme/theme.ts'

/** A part of a page of forms: what it is about beside its fields, or above them where there is no room. */
export function FormPart({ title, intro, children }: { title: string; intro?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <Frame aria-labelledby={id}>
      <div>
        <Title id={id}>{title}</Title>
        {intro && <Intro>{intro}</Intro>}
      </div>
      <Fields>{children}</Fields>
    </Frame>
  )
}

/** Two fields in a row where there is room. */
export const FieldPair = styled.div`
  display: grid;
  gap: ${space(5)};
  ${from.tablet} { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
`

const Frame = styled.section`
  display: grid;
  gap: ${space(6)};
  padding-top: ${space(6)};
  border-top: 1px solid ${color.line};
  ${from.desktop} { grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); gap: ${space(10)}; }
`

const Title = styled.h2`
  font-size: ${text.title};
`

const Intro = styled.p`
  margin-top: ${space(2)};
  color: ${color.muted};
`

const Fields = styled.div`
  display: grid;
  gap: ${space(5)};
  align-content: start;
  min-width: 0;
`
