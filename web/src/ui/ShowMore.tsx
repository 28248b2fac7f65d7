import type { ReactNode } from 'react'
import { styled } from 'styled-components'
import { color, space, text } from '../theme/theme.ts'
import { Button } from './Button.tsx'

/** Below a list that goes on: brings what comes next, and says why it has not come. */
export function ShowMore({
  failure,
  isBusy,
  busyLabel,
  onPress,
  children,
}: {
  failure?: string | undefined
  isBusy: boolean
  busyLabel: string
  onPress: () => void
  children: ReactNode
}) {
  return (
    <Frame>
      {failure !== undefined && <Failure role="alert">{failure}</Failure>}
      <Button tone="secondary" busy={isBusy} busyLabel={busyLabel} onClick={onPress}>
        {children}
      </Button>
    </Frame>
  )
}

const Frame = styled.div`
  display: grid;
  gap: ${space(3)};
  justify-items: center;
  padding-top: ${space(6)};
`

const Failure = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
  text-align: center;
`
