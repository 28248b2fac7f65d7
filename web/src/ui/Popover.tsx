import { Popover as Base } from '@base-ui/react/popover'
import { type ReactElement, type ReactNode, useState } from 'react'
import { styled } from 'styled-components'
import { color, space, text } from '../theme/theme.ts'
import { popupLook, positionerLook } from './popup-look.ts'

/** An explanation that a button opens beside itself: `trigger` is that button. */
export function Popover({ trigger, title, children }: { trigger: ReactElement; title: string; children: ReactNode }) {
  // Beside the trigger, so that what it says belongs to a landmark.
  const [place, setPlace] = useState<HTMLSpanElement | null>(null)
  return (
    <Base.Root>
      <Frame ref={setPlace}>
        <Base.Trigger render={trigger} />
      </Frame>
      <Base.Portal container={place}>
        <Positioner sideOffset={8} collisionPadding={12}>
          <Popup>
            <Title>{title}</Title>
            <Words render={<div />}>{children}</Words>
          </Popup>
        </Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

const Frame = styled.span`
  display: inline-flex;
`

const Positioner = styled(Base.Positioner)`
  ${positionerLook}
`

const Popup = styled(Base.Popup)`
  ${popupLook}
  width: ${space(80)};
  max-width: calc(100vw - ${space(6)});
  padding: ${space(5)};
  text-align: left;
`

const Title = styled(Base.Title)`
  font-size: ${text.lead};
`

const Words = styled(Base.Description)`
  margin-top: ${space(2)};
  color: ${color.muted};
  font-size: ${text.body};
  white-space: normal;
`
