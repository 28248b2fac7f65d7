import type { ReactNode } from 'react'
import { styled } from 'styled-components'
import { color, space, text, width } from '../theme/theme.ts'

/** Where nothing is: says so, and what to do next. `heading` says at which level the title stands. */
export function EmptyState({
  icon,
  title,
  children,
  action,
  heading: Heading = 'h2',
}: {
  icon?: ReactNode
  title: ReactNode
  children?: ReactNode
  action?: ReactNode
  heading?: 'h1' | 'h2' | 'h3'
}) {
  return (
    <Frame>
      {icon && <Icon aria-hidden>{icon}</Icon>}
      <Title as={Heading}>{title}</Title>
      {children && <Words>{children}</Words>}
      {action && <Action>{action}</Action>}
    </Frame>
  )
}

const Frame = styled.div`
  display: grid;
  justify-items: center;
  gap: ${space(3)};
  padding: ${space(16)} ${space(4)};
  text-align: center;
`

const Icon = styled.div`
  color: ${color.muted};
`

const Title = styled.h2`
  font-size: ${text.heading};
`

const Words = styled.p`
  max-width: ${width.prose};
  color: ${color.muted};
  text-wrap: balance;
`

/** Its words may be wider than a phone, in large letters. */
const Action = styled.div`
  margin-top: ${space(3)};
  & > a, & > button { white-space: normal; }
`
