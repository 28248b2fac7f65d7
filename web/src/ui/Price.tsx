import { formatRinggit } from '@wangian/contracts/money.ts'
import { useState } from 'react'
import { css, keyframes, styled } from 'styled-components'
import { color, font, inBar, radius, reducedMotion, text, tint } from '../theme/theme.ts'

/** A price that changes and is seen to: the new one rises into its place. `amount` is in ringgit. */
export function Price({ amount }: { amount: number }) {
  const [first] = useState(amount)
  return (
    <Amount key={amount} $changed={amount !== first}>
      {formatRinggit(amount)}
    </Amount>
  )
}

const rise = keyframes`
  from { opacity: 0; transform: translateY(0.18em); background-color: ${tint('live', 22)}; }
`

const Amount = styled.span<{ $changed: boolean }>`
  display: inline-block;
  border-radius: ${radius.small};
  color: ${color.ink};
  font-family: ${font.serif};
  font-size: clamp(${text.display}, 5vw, ${text.hero});
  ${inBar(`font-family: ${font.sans}; font-size: ${text.title};`)}
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
