/**
 * Colours are `#rrggbb`. They are changed in OKLCH, where equal steps look equal, so that a darker amber stays amber
 * instead of turning grey or olive as it would in RGB.
 */
export interface Oklch {
  /** 0 (black) to 1 (white). */
  readonly lightness: number
  /** 0 (grey) to about 0.37. */
  readonly chroma: number
  /** In degrees. */
  readonly hue: number
}

export function toOklch(hex: string): Oklch {
  const [red, green, blue] = channels(hex).map(toLinear) as [number, number, number]
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short
  const b = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short
  return {
    lightness: 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    chroma: Math.hypot(a, b),
    hue: ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360,
  }
}

export function fromOklch({ lightness, chroma, hue }: Oklch): string {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return hexOf([
    fromLinear(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    fromLinear(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    fromLinear(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ])
}

/** The same hue with another lightness (and, where given, chroma). */
export function tone(hex: string, lightness: number, chroma?: number): string {
  const colour = toOklch(hex)
  return fromOklch({ ...colour, lightness, chroma: chroma ?? colour.chroma })
}

/** Lighter (positive) or darker (negative) by a step of lightness; chroma follows a little, as dyes do. */
export function shade(hex: string, step: number): string {
  const colour = toOklch(hex)
  const lightness = Math.min(0.99, Math.max(0.03, colour.lightness + step))
  const chroma = colour.chroma * (step < 0 ? Math.max(0.4, 1 + step * 0.7) : Math.max(0.25, 1 - step * 0.9))
  return fromOklch({ lightness, chroma, hue: colour.hue })
}

/** Mixes in linear light: `part` of `other`, the rest of `hex`. */
export function mix(hex: string, other: string, part: number): string {
  const from = channels(hex).map(toLinear)
  const to = channels(other).map(toLinear)
  return hexOf(from.map((value, index) => fromLinear(value + ((to[index] ?? 0) - value) * part)))
}

function channels(hex: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16) / 255)
}

function hexOf(values: readonly number[]): string {
  const bytes = values.map((value) => Math.round(Math.min(1, Math.max(0, value)) * 255))
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function toLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

function fromLinear(value: number): number {
  return value <= 0.0031308 ? value * 12.92 : 1.055 * Math.max(0, value) ** (1 / 2.4) - 0.055
}
