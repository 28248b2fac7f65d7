import { color } from '../theme/theme.ts'
import { bottleOutline, bottleSpray } from './bottle.ts'

/** Our bottle with nothing in it, where nothing is. */
export function EmptyBottle() {
  return (
    <svg viewBox="0 0 24 32" width="54" height="72" aria-hidden>
      <path
        d={bottleOutline}
        fill="none"
        stroke={color.edge}
        strokeWidth="0.9"
        strokeDasharray="2 1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <path d={bottleSpray} fill={color.edge} />
    </svg>
  )
}
