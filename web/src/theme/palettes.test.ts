import { describe, expect, it } from 'vitest'
import { type ColorName, palettes, type Scheme } from './palettes.ts'

/** What words are set in, on each of the grounds that they are set on. */
const words = ['ink', 'muted', 'accent', 'live', 'ok', 'warn'] as const satisfies readonly ColorName[]
const grounds = ['paper', 'surface'] as const satisfies readonly ColorName[]
const others: readonly (readonly [text: ColorName, ground: ColorName])[] = [
  ['ink', 'ground'],
  ['muted', 'ground'],
  ['onAccent', 'accent'],
  ['paper', 'live'],
  ['paper', 'ink'],
]
const schemes = Object.keys(palettes) as Scheme[]

describe.each(schemes)('the %s palette', (scheme) => {
  const pairs = [...grounds.flatMap((ground) => words.map((text) => [text, ground] as const)), ...others]

  it.each(pairs)('sets %s on %s at 5.5:1 or more', (text, ground) => {
    expect(contrast(palettes[scheme][text], palettes[scheme][ground])).toBeGreaterThanOrEqual(5.5)
  })

  // WCAG 1.4.11: what shows where a control is.
  it.each(['paper', 'surface'] as const)('shows the edge of a field on %s at 3:1 or more', (ground) => {
    expect(contrast(palettes[scheme].edge, palettes[scheme][ground])).toBeGreaterThanOrEqual(3)
  })

  // The colour of a button under the pointer: 12 parts of ink over the accent, as `Button.tsx` mixes it.
  it.each([
    ['onAccent', 'accent'],
    ['paper', 'live'],
  ] as const)('keeps %s readable on %s under the pointer', (text, ground) => {
    const mixed = mix(palettes[scheme][ground], palettes[scheme].ink, 0.88)
    expect(contrast(palettes[scheme][text], mixed)).toBeGreaterThanOrEqual(5.5)
  })
})

it('knows black on white', () => {
  expect(contrast('#000000', '#FFFFFF')).toBeCloseTo(21)
  expect(contrast('#777777', '#FFFFFF')).toBeCloseTo(4.48, 2)
})

/** As WCAG 2.2 defines it. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = channels(hex).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function mix(hex: string, other: string, share: number): string {
  const second = channels(other)
  const mixed = channels(hex).map((channel, place) => Math.round(channel * share + (second[place] ?? 0) * (1 - share)))
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

function channels(hex: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16))
}
