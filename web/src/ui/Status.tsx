import { styled } from 'styled-components'
import { color, from, radius, space } from '../theme/theme.ts'

type Tone = 'ok' | 'warn' | 'live' | 'muted'

/** How something stands: a word, with a dot in the colour of what it means. */
export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <Frame>
      <Dot $tone={tone} aria-hidden />
      {children}
    </Frame>
  )
}

const Frame = styled.span`
  display: inline-flex;
  gap: ${space(2)};
  align-items: center;
  ${from.tablet} { white-space: nowrap; }
`

const Dot = styled.span<{ $tone: Tone }>`
  flex: none;
  width: ${space(2)};
  height: ${space(2)};
  border-radius: ${radius.round};
  background: ${({ $tone }) => color[$tone]};
`
