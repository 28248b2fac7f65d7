import { useId } from 'react'
import { styled } from 'styled-components'
import { color, font, motion } from '../theme/theme.ts'

const bottles = [
  {
    x: 20,
    percentage: 34,
    body: 'M34 118h52a18 18 0 0 1 18 18v128a14 14 0 0 1-14 14H30a14 14 0 0 1-14-14V136a18 18 0 0 1 18-18z',
  },
  {
    x: 150,
    percentage: 92,
    body: 'M20 84h80a20 20 0 0 1 20 20v160a14 14 0 0 1-14 14H14a14 14 0 0 1-14-14V104a20 20 0 0 1 20-20z',
  },
  {
    x: 300,
    percentage: 68,
    body: 'M40 132h40a40 40 0 0 1 40 40v66a40 40 0 0 1-40 40H40a40 40 0 0 1-40-40v-66a40 40 0 0 1 40-40z',
  },
] as const

const caps = ['M44 84h32v34H44z', 'M34 40h52v44H34z', 'M42 92h36v40H42z'] as const
const tops = [118, 84, 132] as const
const bottom = 278

/** Three bottles, each as full as it says: what the whole shop is about, in one drawing. */
export function HeroBottles() {
  const id = useId()
  return (
    <Drawing viewBox="0 0 440 330" aria-hidden>
      {bottles.map(({ x, percentage, body }, place) => {
        const top = tops[place] ?? 0
        const surface = bottom - ((bottom - top) * percentage) / 100
        return (
          <g key={x} transform={`translate(${x} 0)`}>
            <clipPath id={`${id}-${place}`}>
              <path d={body} />
            </clipPath>
            <path d={body} fill={color.surface} />
            <g clipPath={`url(#${id}-${place})`}>
              <rect x="-10" y={surface} width="150" height={bottom - surface} fill={color.accent} opacity="0.82" />
              <rect x="-10" y={surface} width="150" height="3" fill={color.accent} />
              <rect x="14" y={top} width="7" height={bottom - top} fill={color.surface} opacity="0.35" />
            </g>
            <path d={body} fill="none" stroke={color.ink} strokeWidth="2" />
            <path d={caps[place]} fill={color.ink} />
            <text x="60" y="316" textAnchor="middle" fill={color.muted} fontFamily={font.sans} fontSize="17">
              {percentage}%
            </text>
          </g>
        )
      })}
      <path d="M0 278h440" stroke={color.line} strokeWidth="2" />
    </Drawing>
  )
}

const Drawing = styled.svg`
  width: 100%;
  height: auto;
  transition: opacity ${motion.calm};
`
