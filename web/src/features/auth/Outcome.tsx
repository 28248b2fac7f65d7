import { CircleAlert, CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { styled } from 'styled-components'
import { color, space, text, width } from '../../theme/theme.ts'
import { Circle } from '../../ui/Spinner.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'

/** Something is being settled with the servers; `children` say what. */
export function Waiting({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Frame>
      <VisuallyHidden as="h1">{title}</VisuallyHidden>
      <Circle aria-hidden />
      <Words role="status">{children}</Words>
    </Frame>
  )
}

/** How it went, and the next step. */
export function Outcome({
  tone,
  title,
  action,
  children,
}: {
  tone: 'ok' | 'live'
  title: string
  action?: ReactNode
  children: ReactNode
}) {
  const Sign = tone === 'ok' ? CircleCheck : CircleAlert
  return (
    <Frame role={tone === 'ok' ? 'status' : 'alert'}>
      <Sign size={40} strokeWidth={1.5} color={color[tone]} aria-hidden />
      <Title>{title}</Title>
      <Words>{children}</Words>
      {action}
    </Frame>
  )
}

const Frame = styled.div`
  display: grid;
  gap: ${space(4)};
  align-content: center;
  justify-items: center;
  min-height: 60vh;
  padding: ${space(10)} ${space(5)};
  text-align: center;
`

const Title = styled.h1`
  font-size: ${text.heading};
`

const Words = styled.p`
  max-width: ${width.prose};
  color: ${color.muted};
  font-size: ${text.lead};
  overflow-wrap: anywhere;
  text-wrap: balance;
`
