import { keyframes, styled } from 'styled-components'
import { color, radius } from '../theme/theme.ts'

const breathe = keyframes`
  50% { opacity: 0.55; }
`

/** A block in the shape of what comes; `$height` and `$width` are CSS lengths. */
export const Skeleton = styled.span.attrs({ 'aria-hidden': true })<{
  $height?: string
  $width?: string
  $ratio?: string
}>`
  display: block;
  width: ${({ $width = '100%' }) => $width};
  height: ${({ $height = 'auto' }) => $height};
  aspect-ratio: ${({ $ratio = 'auto' }) => $ratio};
  border-radius: ${radius.small};
  background: ${color.line};
  animation: ${breathe} 1.6s ease-in-out infinite;
`
