import { AlertTriangle, CircleCheck, Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { styled } from 'styled-components'
import { color, radius, space, tint, weight } from '../theme/theme.ts'

type Tone = 'info' | 'ok' | 'warn' | 'live'

const icons = { info: Info, ok: CircleCheck, warn: AlertTriangle, live: AlertTriangle } as const
const colors = { info: 'muted', ok: 'ok', warn: 'warn', live: 'live' } as const

/** Something to know before going on, at the place where it matters. */
export function Notice({ tone = 'info', title, children }: { tone?: Tone; title?: string; children?: ReactNode }) {
  const Icon = icons[tone]
  return (
    <Frame $tone={tone} role={tone === 'live' ? 'alert' : 'note'}>
      <Icon size={20} strokeWidth={1.5} aria-hidden />
      <div>
        {title && <Title>{title}</Title>}
        {children}
      </div>
    </Frame>
  )
}

const Frame = styled.div<{ $tone: Tone }>`
  display: grid;
  grid-template-columns: auto minmax(0, 1fr);
  gap: ${space(3)};
  padding: ${space(4)};
  border: 1px solid ${({ $tone }) => tint(colors[$tone], 40)};
  border-radius: ${radius.large};
  background: ${color.surface};
  svg { margin-top: 1px; color: ${({ $tone }) => color[colors[$tone]]}; }
`

const Title = styled.p`
  font-weight: ${weight.strong};
`
