import type { ReactNode } from 'react'
import { styled } from 'styled-components'
import { color, space } from '../theme/theme.ts'

export interface Fact {
  readonly label: string
  readonly value: ReactNode
}

/** Facts with a line between them: the label left, the value right. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <List>
      {facts.map(({ label, value }) => (
        <Row key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </Row>
      ))}
    </List>
  )
}

const List = styled.dl`
  margin: 0;
`

const Row = styled.div`
  display: flex;
  gap: ${space(6)};
  align-items: center;
  justify-content: space-between;
  padding: ${space(2.5)} 0;
  font-variant-numeric: tabular-nums;
  & + & { border-top: 1px solid ${color.line}; }
  dt { flex: none; max-width: 50%; color: ${color.muted}; }
  dd { min-width: 0; margin: 0; text-align: right; overflow-wrap: anywhere; }
`
