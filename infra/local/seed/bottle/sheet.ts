import { number } from './geometry.ts'

/** `[offset 0..1, colour, opacity 0..1]` */
export type Stop = readonly [number, string, number?]

/** Collects the definitions (gradients, clips, blurs) that a drawing refers to. */
export interface Sheet {
  /** A linear gradient between two points of the drawing, as a value for `fill` or `stroke`. */
  linear(from: readonly [number, number], to: readonly [number, number], stops: readonly Stop[]): string
  radial(centre: readonly [number, number], radius: number, stops: readonly Stop[], squash?: number): string
  /** A value for `clip-path`. */
  clip(path: string): string
  /** A value for `filter`; the box keeps the blurred area, and so the time it takes, small. */
  blur(deviation: number, box: readonly [number, number, number, number]): string
  definitions(): string
}

export function createSheet(): Sheet {
  const parts: string[] = []
  const add = (tag: (id: string) => string) => {
    const id = `d${parts.length}`
    parts.push(tag(id))
    return `url(#${id})`
  }
  const stopTags = (stops: readonly Stop[]) =>
    stops
      .map(([offset, colour, opacity]) => {
        const alpha = opacity === undefined ? '' : ` stop-opacity="${Math.round(opacity * 1000) / 1000}"`
        return `<stop offset="${Math.round(offset * 1000) / 1000}" stop-color="${colour}"${alpha}/>`
      })
      .join('')
  return {
    linear: ([x1, y1], [x2, y2], stops) =>
      add(
        (id) =>
          `<linearGradient id="${id}" gradientUnits="userSpaceOnUse" x1="${number(x1)}" y1="${number(y1)}" x2="${number(x2)}" y2="${number(y2)}">${stopTags(stops)}</linearGradient>`,
      ),
    radial: ([x, y], radius, stops, squash = 1) =>
      add(
        (id) =>
          `<radialGradient id="${id}" gradientUnits="userSpaceOnUse" cx="0" cy="0" r="${number(radius)}" gradientTransform="translate(${number(x)} ${number(y)}) scale(1 ${squash})">${stopTags(stops)}</radialGradient>`,
      ),
    clip: (path) => add((id) => `<clipPath id="${id}"><path d="${path}"/></clipPath>`),
    blur: (deviation, [x, y, width, height]) =>
      add(
        (id) =>
          `<filter id="${id}" color-interpolation-filters="sRGB" filterUnits="userSpaceOnUse" x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}"><feGaussianBlur stdDeviation="${deviation}"/></filter>`,
      ),
    definitions: () => `<defs>${parts.join('')}</defs>`,
  }
}

/** A tag without children; attributes that are `undefined` are left out. */
export function tag(name: string, attributes: Readonly<Record<string, string | number | undefined>>): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}="${typeof value === 'number' ? number3(value) : value}"`)
  return `<${name} ${written.join(' ')}/>`
}

export function group(attributes: Readonly<Record<string, string | undefined>>, ...children: string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${value}"`)
  return `<g${written.join('')}>${children.join('')}</g>`
}

function number3(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}
