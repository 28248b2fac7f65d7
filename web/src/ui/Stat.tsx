import type { ReactNode } from 'react'
import { styled } from 'styled-components'
import { color, font, from, space, text } from '../theme/theme.ts'

/** One figure that matters, what it counts, and what to make of it. */
export function Stat({ label, value, note }: { label: ReactNode; value: ReactNode; note?: ReactNode }) {
  return (
    <Frame>
      <dt>{label}</dt>
      <dd>{value}</dd>
      {note && <Note>{note}</Note>}
    </Frame>
  )
}

/** Figures side by side, with a line between them. */
export const StatRow = styled.dl`
  display: grid;
  grid-template-columns: repeat(2, minmax(0, 1fr));
  gap: ${space(6)};
  margin: 0;
  ${from.tablet} { grid-template-columns: repeat(auto-fit, minmax(${space(36)}, 1fr)); }
`

const Frame = styled.div`
  display: flex;
  flex-direction: column;
  gap: ${space(1)};
  min-width: 0;
  padding-left: ${space(4)};
  border-left: 1px solid ${color.line};
  dt { color: ${color.muted}; font-size: ${text.small}; }
  dd {
    margin: 0;
    font-family: ${font.serif};
    font-size: ${text.heading};
    font-variant-numeric: tabular-nums lining-nums;
    line-height: 1.15;
    overflow-wrap: anywhere;
  }
`

const Note = styled.dd`
  && { color: ${color.muted}; font-family: ${font.sans}; font-size: ${text.small}; line-height: 1.4; }
`
