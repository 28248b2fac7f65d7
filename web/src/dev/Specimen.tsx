import { type ReactNode, useId } from 'react'
import { styled } from 'styled-components'
import { color, space, text } from '../theme/theme.ts'

/** A chapter of the page. */
export function Chapter({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <Frame aria-labelledby={id}>
      <Title id={id}>{title}</Title>
      {children}
    </Frame>
  )
}

/** One primitive: its name and its states. */
export function Specimen({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Part>
      <Name>{name}</Name>
      <States>{children}</States>
    </Part>
  )
}

/** States side by side. */
export const Row = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(4)};
  align-items: center;
`

/** States in columns of a form's width. */
export const Columns = styled.div`
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, ${space(72)}), 1fr));
  gap: ${space(6)};
  align-items: start;
`

const Frame = styled.section`
  margin-top: ${space(14)};
`

const Title = styled.h2`
  margin-bottom: ${space(2)};
  font-size: ${text.heading};
`

const Part = styled.div`
  padding: ${space(6)} 0;
  border-top: 1px solid ${color.line};
`

const Name = styled.h3`
  margin-bottom: ${space(4)};
  color: ${color.muted};
  font-size: ${text.small};
  font-family: inherit;
  letter-spacing: 0;
`

const States = styled.div`
  display: grid;
  gap: ${space(4)};
`
