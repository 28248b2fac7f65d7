import { Tooltip as Base } from '@base-ui/react/tooltip'
import { type ReactElement, useState } from 'react'
import { styled } from 'styled-components'
import { color, layer, motion, radius, space, text } from '../theme/theme.ts'

/**
 * A word on what a button does, for a pointer that rests on it or the focus. A touch does not see it, so the button needs a
 * label of its own, and what must be known belongs into a `Popover` or on the page.
 */
export function Tooltip({ words, children }: { words: string; children: ReactElement }) {
  const [place, setPlace] = useState<HTMLSpanElement | null>(null)
  return (
    <Base.Root>
      <Frame ref={setPlace}>
        <Base.Trigger render={children} delay={400} />
      </Frame>
      <Base.Portal container={place}>
        <Positioner sideOffset={6}>
          <Popup>{words}</Popup>
        </Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

const Frame = styled.span`
  display: inline-flex;
`

const Positioner = styled(Base.Positioner)`
  z-index: ${layer.popup};
`

const Popup = styled(Base.Popup)`
  max-width: ${space(64)};
  padding: ${space(1.5)} ${space(3)};
  border-radius: ${radius.small};
  background: ${color.ink};
  color: ${color.paper};
  font-size: ${text.small};
  transition: opacity ${motion.quick};
  &[data-starting-style], &[data-ending-style] { opacity: 0; }
`
