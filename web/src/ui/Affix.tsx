import type { ReactNode } from 'react'
import { styled } from 'styled-components'
import { color, space } from '../theme/theme.ts'

/** Puts a unit into a field: 'RM' before the number, 'ml' after it. The label or the help must say it, too. */
export function Affix({ before, after, children }: { before?: string; after?: string; children: ReactNode }) {
  return (
    <Frame $before={before?.length ?? 0} $after={after?.length ?? 0}>
      {before && <Unit $side="left">{before}</Unit>}
      {children}
      {after && <Unit $side="right">{after}</Unit>}
    </Frame>
  )
}

const Frame = styled.div<{ $before: number; $after: number }>`
  position: relative;
  input {
    padding-left: calc(${space(3)} + ${({ $before }) => ($before > 0 ? `${$before + 0.5}ch` : '0px')});
    padding-right: calc(${space(3)} + ${({ $after }) => ($after > 0 ? `${$after + 0.5}ch` : '0px')});
  }
`

const Unit = styled.span.attrs({ 'aria-hidden': true })<{ $side: 'left' | 'right' }>`
  position: absolute;
  top: 0;
  bottom: 0;
  display: grid;
  place-items: center;
  color: ${color.muted};
  font-size: 1rem;
  pointer-events: none;
  ${({ $side }) => `${$side}: ${space(3)};`}
`
