import type { z } from 'zod'
import { whenNeeded } from './when-needed.ts'

/**
 * What a person is told of a value that does not fit, for each rule that has no words of its own: zod's speak of types and strings.
 * For `safeParse(value, { error: plainMessage })`, wherever a person is to read it.
 */
export function plainMessage(issue: z.core.$ZodRawIssue): string {
  const label = labelOf(issue.path ?? [])
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? `${label} is required` : `${label} is not valid`
    case 'too_small':
      return tooSmall(label, issue)
    case 'too_big':
      return tooBig(label, issue)
    default:
      return `${label} is not valid`
  }
}

type TooSmall = z.core.$ZodRawIssue & { code: 'too_small' }
type TooBig = z.core.$ZodRawIssue & { code: 'too_big' }

function tooSmall(label: string, { origin, minimum, inclusive }: TooSmall): string {
  const least = Number(minimum)
  if (!isBound(least)) return `${label} is not valid`
  switch (origin) {
    case 'string':
      return least === 1 ? `${label} is required` : `${label} must be at least ${counted(least, 'character')}`
    case 'array':
    case 'set':
      return `${label} must be at least ${counted(least, 'entry')}`
    default:
      return `${label} must be ${inclusive === false ? 'greater than ' : ''}${written(least)}${inclusive === false ? '' : ' or greater'}`
  }
}

function tooBig(label: string, { origin, maximum, inclusive }: TooBig): string {
  const most = Number(maximum)
  if (!isBound(most)) return `${label} is not valid`
  switch (origin) {
    case 'string':
      return `${label} must be ${counted(most, 'character')} or less`
    case 'array':
    case 'set':
      return `${label} must be ${counted(most, 'entry')} or less`
    default:
      return `${label} must be ${inclusive === false ? 'less than ' : ''}${written(most)}${inclusive === false ? '' : ' or less'}`
  }
}

/** Those of whole numbers that JavaScript can hold are nobody's rule. */
function isBound(bound: number): boolean {
  return Math.abs(bound) < Number.MAX_SAFE_INTEGER
}

const grouped = whenNeeded(() => new Intl.NumberFormat('en-MY'))
const written = (value: number) => grouped().format(value)

function counted(count: number, noun: 'character' | 'entry'): string {
  const plural = noun === 'entry' ? 'entries' : 'characters'
  return `${written(count)} ${count === 1 ? noun : plural}`
}

/** `Purchase year` of `product.purchaseYear`; of a list its own name. */
function labelOf(path: readonly PropertyKey[]): string {
  const name = path.findLast((part) => typeof part === 'string') ?? 'request'
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replace(/\burl\b/, 'address')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
