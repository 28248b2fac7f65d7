import { keyframes, styled } from 'styled-components'
import { color, space } from '../theme/theme.ts'

/** Something is on its way that has no shape yet. `label` is for those who do not see it turn. */
export function Spinner({ label }: { label: string }) {
  return (
    <Frame role="status" aria-label={label}>
      <Circle aria-hidden />
    </Frame>
  )
}

const turn = keyframes`
  to { transform: rotate(1turn); }
`

const Frame = styled.div`
  display: grid;
  place-items: center;
  min-height: 50vh;
`

export const Circle = styled.span`
  width: ${space(7)};
  height: ${space(7)};
  border: 2px solid ${color.line};
  border-top-color: ${color.accent};
  border-radius: 50%;
  animation: ${turn} 0.9s linear infinite;
`
