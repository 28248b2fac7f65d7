import type { ComponentProps, MouseEvent } from 'react'
import { Link } from 'react-router-dom'
import { css, styled } from 'styled-components'
import { color, motion, phone, radius, space, text, tint, weight } from '../theme/theme.ts'

type Tone = 'primary' | 'secondary' | 'plain' | 'danger'
type Size = 'regular' | 'small'

interface Look {
  tone?: Tone
  size?: Size
  /** Fills the width there is. */
  wide?: boolean
}

/**
 * A button. While `busy` it keeps its place and its focus, shows `busyLabel`, and does nothing.
 */
export function Button({
  tone = 'primary',
  size = 'regular',
  wide = false,
  busy = false,
  busyLabel,
  type = 'button',
  children,
  onClick,
  ...rest
}: ComponentProps<'button'> & Look & { busy?: boolean; busyLabel?: string }) {
  const handleClick = (event: MouseEvent<HTMLButtonElement>) => {
    if (busy) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <StyledButton
      {...rest}
      type={type}
      $tone={tone}
      $size={size}
      $wide={wide}
      aria-disabled={busy || undefined}
      onClick={handleClick}
    >
      {busy && busyLabel ? busyLabel : children}
    </StyledButton>
  )
}

/** A link that looks like a button, because it is the next step. */
export function ButtonLink({
  tone = 'primary',
  size = 'regular',
  wide = false,
  ...rest
}: ComponentProps<typeof Link> & Look) {
  return <StyledLink {...rest} $tone={tone} $size={size} $wide={wide} />
}

const tones = {
  primary: css`
    background: ${color.accent};
    border-color: ${color.accent};
    color: ${color.onAccent};
    &:hover { background: color-mix(in srgb, ${color.accent} 88%, ${color.ink}); border-color: transparent; }
  `,
  /** For what cannot be undone. */
  danger: css`
    background: ${color.live};
    border-color: ${color.live};
    color: ${color.paper};
    &:hover { background: color-mix(in srgb, ${color.live} 88%, ${color.ink}); border-color: transparent; }
  `,
  secondary: css`
    background: ${color.surface};
    border-color: ${color.edge};
    color: ${color.ink};
    &:hover { border-color: ${color.ink}; }
  `,
  plain: css`
    background: transparent;
    border-color: transparent;
    color: ${color.ink};
    &:hover { background: ${tint('ink', 6)}; }
  `,
}

const look = css<{ $tone: Tone; $size: Size; $wide: boolean }>`
  display: ${({ $wide }) => ($wide ? 'flex' : 'inline-flex')};
  width: ${({ $wide }) => ($wide ? '100%' : 'auto')};
  align-items: center;
  justify-content: center;
  gap: ${space(2)};
  min-height: ${({ $size }) => ($size === 'small' ? space(9) : space(12))};
  ${phone} { min-height: ${({ $size }) => ($size === 'small' ? space(11) : space(12))}; }
  padding: 0 ${({ $size }) => ($size === 'small' ? space(3) : space(6))};
  border: 1px solid;
  border-radius: ${radius.small};
  font-size: ${({ $size }) => ($size === 'small' ? text.small : text.body)};
  font-weight: ${weight.strong};
  line-height: 1.2;
  text-decoration: none;
  white-space: ${({ $wide }) => ($wide ? 'normal' : 'nowrap')};
  transition: background-color ${motion.quick}, border-color ${motion.quick}, color ${motion.quick};
  ${({ $tone }) => tones[$tone]}
  &:disabled, &[aria-disabled='true'] { opacity: 0.6; cursor: default; }
`

const StyledButton = styled.button<{ $tone: Tone; $size: Size; $wide: boolean }>`
  ${look}
`

const StyledLink = styled(Link)<{ $tone: Tone; $size: Size; $wide: boolean }>`
  ${look}
`
