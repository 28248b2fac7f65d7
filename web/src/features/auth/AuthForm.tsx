import { type ReactNode, useEffect, useId, useRef } from 'react'
import { styled } from 'styled-components'
import { color, radius, space, text, tint, weight } from '../../theme/theme.ts'

/** One column of fields with the one thing to do below them. */
export const AuthForm = styled.form`
  display: grid;
  gap: ${space(5)};
  width: 100%;
`

/** What else can be done, as a line of words. */
export const TextButton = styled.button`
  min-height: ${space(9)};
  padding: 0;
  border: 0;
  background: none;
  color: ${color.accent};
  text-align: left;
  text-decoration: underline;
  text-underline-offset: 0.2em;
  &:disabled { color: ${color.muted}; text-decoration: none; cursor: default; font-variant-numeric: tabular-nums; }
`

/** News above a form: something was done, or has to be. It takes the focus, so that it is heard. */
export function Banner({ tone, title, children }: { tone: 'ok' | 'warn'; title: string; children: ReactNode }) {
  const titleId = useId()
  const frame = useRef<HTMLElement>(null)
  useEffect(() => frame.current?.focus(), [])
  return (
    <Frame ref={frame} tabIndex={-1} aria-labelledby={titleId} $tone={tone}>
      <Title id={titleId}>{title}</Title>
      {children}
    </Frame>
  )
}

const Frame = styled.section<{ $tone: 'ok' | 'warn' }>`
  display: grid;
  gap: ${space(2)};
  padding: ${space(4)} ${space(5)} ${space(5)};
  border: 1px solid ${color.line};
  border-left: 3px solid ${({ $tone }) => color[$tone]};
  border-radius: ${radius.small};
  background: ${({ $tone }) => tint($tone, 6)};
  overflow-wrap: anywhere;
  &:focus { outline: none; }
`

const Title = styled.h2`
  font-family: inherit;
  font-size: ${text.lead};
  font-weight: ${weight.strong};
  letter-spacing: 0;
  line-height: 1.4;
`
