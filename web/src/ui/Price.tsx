import { formatRinggit } from '@wangian/contracts/money.ts'
import { useState } from 'react'
import { css, keyframes, styled } from 'styled-components'
import { color, font, radius, reducedMotion, text, tint } from '../theme/theme.ts'

/** A price that changes and is seen to: the new one rises into its place. `amount` is in ringgit. */
export function Price({ amount, size = 'large' }: { amount: number; size?: 'large' | 'bar' }) {
  const [first] = useState(amount)
  return (
    <Amount key={amount} $size={size} $changed={amount !== first}>
      {formatRinggit(amount)}
    </Amount>
  )
}

const rise = keyframes`
  from { opacity: 0; transform: translateY(0.18em); background-color: ${tint('live', 22)}; }
`

const Amount = styled.span<{ $size: 'large' | 'bar'; $changed: boolean }>`
  display: inline-block;
  border-radius: ${radius.small};
  color: ${color.ink};
  font-family: ${({ $size }) => ($size === 'large' ? font.serif : font.sans)};
  font-size: ${({ $size }) => ($size === 'large' ? `clamp(${text.display}, 5vw, ${text.hero})` : text.title)};
  font-variant-numeric: tabular-nums lining-nums;
  letter-spacing: -0.015em;
  line-height: 1.1;
  ${({ $changed }) =>
    $changed &&
    css`
      animation: ${rise} 220ms ease-out;
      ${reducedMotion} { animation: none; }
    `}
`
