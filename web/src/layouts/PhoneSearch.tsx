import { type RefObject, useEffect, useRef } from 'react'
import { styled } from 'styled-components'
import { color, from, space } from '../theme/theme.ts'
import { SearchBox } from './SearchBox.tsx'

/** The search, opened over the header of a phone until it is left. Escape leads back to its `opener`. */
export function PhoneSearch({ opener, onClose }: { opener: RefObject<HTMLButtonElement | null>; onClose: () => void }) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => frame.current?.querySelector('input')?.focus(), [])
  return (
    <Frame
      ref={frame}
      // Safari gives no button that is pressed the focus, but what is around it: otherwise nothing has it, and the search goes before it is sent.
      tabIndex={-1}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) onClose()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        opener.current?.focus()
        onClose()
      }}
    >
      <SearchBox />
    </Frame>
  )
}

const Frame = styled.div`
  position: absolute;
  z-index: 1;
  inset: 0;
  display: grid;
  align-items: center;
  padding: 0 ${space(3)};
  background: ${color.paper};
  &:focus { outline: none; }
  & > form { display: block; max-width: none; }
  input { min-height: ${space(11)}; }
  button { width: ${space(11)}; height: ${space(11)}; }
  ${from.tablet} { display: none; }
`
