import { fromOklch, mix, shade, toOklch } from './colour.ts'
import { baseOf, halfWidth, halfWidthAt, inset, levelOf, mirroredPath, number, type Point } from './geometry.ts'
import type { Silhouette } from './shapes.ts'
import { group, type Sheet, type Stop, tag } from './sheet.ts'

export const glassKinds = ['clear', 'smoked', 'frosted', 'lacquered'] as const
export type GlassKind = (typeof glassKinds)[number]

export interface GlassPlan {
  readonly silhouette: Silhouette
  readonly kind: GlassKind
  /** The colour of the glass itself: near white for clear glass, the lacquer for opaque bottles. */
  readonly glass: string
  readonly juice: string
  /** 0 to 1: how much of the inside is filled. */
  readonly fill: number
  /** What stands behind, seen through empty glass. */
  readonly wall: string
}

/** How much light a kind of glass lets through, 0 to 1. */
export function clarityOf(kind: GlassKind): number {
  return { clear: 1, smoked: 0.5, frosted: 0.55, lacquered: 0 }[kind]
}

/** The body with its mouth at the origin, growing down. Light comes from the upper left. */
export function drawGlass(sheet: Sheet, plan: GlassPlan): string {
  const { silhouette } = plan
  const sag = silhouette.section === 'round' ? 9 : 0
  const body = mirroredPath(silhouette.outline, sag)
  const inside =
    plan.kind === 'lacquered'
      ? lacquer(sheet, plan)
      : [wall(sheet, plan), cavity(sheet, plan), thickBase(sheet, plan)].join('')
  return group(
    { 'clip-path': sheet.clip(body) },
    inside,
    facets(sheet, plan),
    ribs(sheet, plan),
    contour(sheet, plan, body),
    plan.kind === 'frosted' ? frost(sheet, plan, body) : '',
    reflections(sheet, plan),
  )
}

/** The metal rings, painted over the glass by the caller in its own material. */
export function bandPath(silhouette: Silhouette, y: number, height: number): string {
  const top = halfWidthAt(silhouette.outline, y) + 2
  const bottom = halfWidthAt(silhouette.outline, y + height) + 2
  return `M${number(-top)} ${y}Q0 ${y + 12} ${number(top)} ${y}L${number(bottom)} ${y + height}Q0 ${y + height + 12} ${number(-bottom)} ${y + height}Z`
}

/** Clear glass shows what is behind it: in front of a dark wall there is little white in it but its edges. */
function brightness({ wall: behind }: GlassPlan): number {
  return Math.min(1, Math.max(0.12, (toOklch(behind).lightness - 0.25) / 0.5))
}

interface Frame {
  readonly half: number
  readonly base: number
  readonly inner: readonly Point[]
  readonly innerHalf: number
  readonly innerBase: number
  readonly side: number
}

function frameOf({ silhouette }: GlassPlan): Frame {
  const half = halfWidth(silhouette.outline)
  const base = baseOf(silhouette.outline)
  const side = silhouette.section === 'round' ? half * 0.075 + 3 : half * 0.1 + 4
  const inner = silhouette.cavity ?? inset(silhouette.outline, { side, top: 8, bottom: silhouette.baseThickness })
  return { half, base, inner, side, innerHalf: halfWidth(inner), innerBase: baseOf(inner) }
}

function wall(sheet: Sheet, plan: GlassPlan): string {
  const { half, base } = frameOf(plan)
  const lit = brightness(plan)
  const tint = plan.kind === 'smoked' ? plan.glass : mix(plan.wall, '#ffffff', 0.42 * lit)
  const dark = plan.kind === 'smoked' ? shade(plan.glass, -0.16) : shade(plan.wall, -0.24 * lit)
  const strength = plan.kind === 'smoked' ? 0.82 : 0.62
  const around = sheet.linear(
    [-half, 0],
    [half, 0],
    [
      [0, dark, strength],
      [0.05, tint, 0.75],
      [0.12, mix(tint, '#ffffff', 0.5 * lit), 0.6],
      [0.5, tint, strength * 0.55],
      [0.88, mix(tint, '#ffffff', 0.4 * lit), 0.55],
      [0.95, tint, 0.7],
      [1, dark, strength],
    ],
  )
  return tag('rect', { x: -half, y: -4, width: half * 2, height: base + 16, fill: around })
}

function cavity(sheet: Sheet, plan: GlassPlan): string {
  const { silhouette, fill } = plan
  const { inner, innerHalf, innerBase } = frameOf(plan)
  const isRound = silhouette.section === 'round'
  const path = mirroredPath(inner, isRound ? 7 : 0)
  const level = levelOf(inner, Math.max(0.02, Math.min(0.985, fill * 0.96)), isRound)
  const width = halfWidthAt(inner, level)
  const ry = isRound ? Math.max(5, width * 0.075) : Math.max(4, width * 0.032)
  const juice = juiceOf(plan)
  return group(
    { 'clip-path': sheet.clip(path) },
    tag('path', { d: path, fill: sheet.linear([-innerHalf, 0], [innerHalf, 0], emptyStops(plan)) }),
    dipTube(silhouette, level, innerBase, juice),
    liquid(sheet, plan, { level, innerHalf, innerBase, ry, width }),
    tag('ellipse', {
      cx: 0,
      cy: level,
      rx: width,
      ry,
      fill: sheet.linear(
        [-width, 0],
        [width, 0],
        [
          [0, shade(juice, -0.06), 0.85],
          [0.3, shade(juice, 0.13), 0.85],
          [0.62, shade(juice, 0.04), 0.75],
          [1, shade(juice, -0.1), 0.9],
        ],
      ),
    }),
    tag('path', {
      d: `M${number(-width)} ${number(level)}A${number(width)} ${number(ry)} 0 0 0 ${number(width)} ${number(level)}`,
      fill: 'none',
      stroke: shade(juice, 0.28),
      'stroke-width': 2.4,
      'stroke-opacity': 0.85,
    }),
    tag('path', { d: path, fill: 'none', stroke: shade(juice, -0.3), 'stroke-width': 5, 'stroke-opacity': 0.34 }),
    tag('path', {
      d: path,
      fill: 'none',
      stroke: '#ffffff',
      'stroke-width': 1.8,
      'stroke-opacity': 0.5,
      transform: 'translate(2.5 0)',
    }),
  )
}

function emptyStops(plan: GlassPlan): Stop[] {
  const tint = plan.kind === 'smoked' ? plan.glass : plan.wall
  const lit = brightness(plan)
  return [
    [0, shade(tint, -0.2), 0.5],
    [0.06, mix(tint, '#ffffff', 0.5 * lit), 0.3],
    [0.3, '#ffffff', 0.16 * lit],
    [0.7, tint, 0.1],
    [0.93, shade(tint, -0.1), 0.25],
    [1, shade(tint, -0.22), 0.5],
  ]
}

function dipTube(silhouette: Silhouette, level: number, innerBase: number, juice: string): string {
  const end = innerBase - 14
  const bend = silhouette.section === 'round' ? 7 : 4
  return [
    tag('rect', { x: -5, y: -6, width: 10, height: level + 8, fill: '#ffffff', 'fill-opacity': 0.26 }),
    tag('rect', { x: -5, y: -6, width: 1.8, height: level + 8, fill: '#ffffff', 'fill-opacity': 0.65 }),
    tag('rect', { x: 4, y: -6, width: 1.4, height: level + 8, fill: '#3a2c20', 'fill-opacity': 0.22 }),
    tag('path', {
      d: `M${bend - 7} ${number(level)}L${bend - 4} ${end}L${bend + 8} ${end - 5}L${bend + 7} ${number(level)}Z`,
      fill: shade(juice, 0.2),
      'fill-opacity': 0.9,
    }),
  ].join('')
}

interface Liquid {
  readonly level: number
  readonly innerHalf: number
  readonly innerBase: number
  readonly ry: number
  readonly width: number
}

/** Deep at the edges of the vessel's middle, glowing low on the side away from the light, where it gathers. */
function liquid(sheet: Sheet, plan: GlassPlan, { level, innerHalf, innerBase, ry }: Liquid): string {
  const juice = juiceOf(plan)
  const isRound = plan.silhouette.section === 'round'
  const depth = innerBase - level
  const across: Stop[] = isRound
    ? [
        [0, shade(juice, -0.2), 0.97],
        [0.045, shade(juice, -0.06), 0.93],
        [0.1, shade(juice, 0.15), 0.86],
        [0.2, shade(juice, 0.03), 0.9],
        [0.5, shade(juice, -0.035), 0.92],
        [0.74, shade(juice, 0.035), 0.9],
        [0.9, shade(juice, 0.13), 0.86],
        [0.955, shade(juice, -0.06), 0.94],
        [1, shade(juice, -0.22), 0.97],
      ]
    : [
        [0, shade(juice, -0.14), 0.94],
        [0.035, shade(juice, 0.1), 0.86],
        [0.1, shade(juice, 0.0), 0.88],
        [0.55, shade(juice, -0.02), 0.88],
        [0.92, shade(juice, 0.05), 0.86],
        [0.97, shade(juice, 0.14), 0.84],
        [1, shade(juice, -0.16), 0.94],
      ]
  const down = sheet.linear(
    [0, level],
    [0, innerBase],
    [
      [0, shade(juice, -0.2), 0.3],
      [0.14, shade(juice, -0.12), 0.06],
      [0.6, shade(juice, 0.1), 0],
      [0.9, shade(juice, 0.2), 0.5],
      [1, shade(juice, 0.26), 0.72],
    ],
  )
  const gathered = sheet.radial(
    [innerHalf * 0.36, innerBase - depth * 0.24],
    Math.max(90, innerHalf * 1.05),
    [
      [0, shade(juice, 0.24), 0.62],
      [0.45, shade(juice, 0.16), 0.25],
      [1, shade(juice, 0.1), 0],
    ],
    0.8,
  )
  const box = { x: -innerHalf - 2, y: level, width: innerHalf * 2 + 4, height: depth + ry + 14 }
  return [
    tag('rect', { ...box, fill: sheet.linear([-innerHalf, 0], [innerHalf, 0], across) }),
    tag('rect', { ...box, fill: down }),
    tag('rect', { ...box, fill: gathered }),
  ].join('')
}

/** The foot of solid glass: it bends the liquid's colour into bands of light. */
function thickBase(sheet: Sheet, plan: GlassPlan): string {
  const { half, base, innerBase, innerHalf } = frameOf(plan)
  const juice = juiceOf(plan)
  const { outline } = plan.silhouette
  const top = innerBase - 2
  const height = base - top
  const footHalf = halfWidthAt(outline, base - height * 0.4)
  const inside = halfWidthAt(outline, innerBase) * (innerHalf / half)
  const body = sheet.linear(
    [0, top],
    [0, base + 8],
    [
      [0, mix(juice, '#ffffff', 0.3), 0.62],
      [0.2, shade(juice, -0.12), 0.42],
      [0.5, mix(juice, '#ffffff', 0.52), 0.44],
      [0.78, mix(juice, '#ffffff', 0.74), 0.6],
      [0.93, shade(juice, -0.24), 0.5],
      [1, shade(juice, -0.34), 0.66],
    ],
  )
  const lens = `M${number(-inside * 0.92)} ${number(top + 3)}Q0 ${number(top + height * 0.66)} ${number(inside * 0.92)} ${number(top + 3)}Q0 ${number(top + height * 0.2)} ${number(-inside * 0.92)} ${number(top + 3)}Z`
  const glint = sheet.linear(
    [-footHalf, 0],
    [footHalf, 0],
    [
      [0, '#ffffff', 0],
      [0.14, '#ffffff', 0.75],
      [0.3, '#ffffff', 0.1],
      [0.62, '#ffffff', 0.28],
      [0.84, shade(juice, 0.3), 0.75],
      [1, '#ffffff', 0],
    ],
  )
  return [
    tag('rect', { x: -half, y: top, width: half * 2, height: height + 14, fill: body }),
    tag('path', { d: lens, fill: shade(juice, 0.1), 'fill-opacity': 0.5 }),
    tag('rect', {
      x: -footHalf,
      y: base - height * 0.32,
      width: footHalf * 2,
      height: Math.max(3, height * 0.1),
      rx: 3,
      fill: glint,
    }),
    tag('path', {
      d: `M${number(-inside * 0.96)} ${number(innerBase)}Q0 ${number(innerBase + 10)} ${number(inside * 0.96)} ${number(innerBase)}`,
      fill: 'none',
      stroke: '#ffffff',
      'stroke-opacity': 0.55,
      'stroke-width': 2.2,
    }),
  ].join('')
}

function lacquer(sheet: Sheet, plan: GlassPlan): string {
  const { half, base } = frameOf(plan)
  const { glass } = plan
  const around: Stop[] =
    plan.silhouette.section === 'round'
      ? [
          [0, shade(glass, -0.12)],
          [0.16, shade(glass, 0.07)],
          [0.3, shade(glass, 0.03)],
          [0.62, shade(glass, -0.05)],
          [0.9, shade(glass, -0.09)],
          [0.96, shade(glass, 0.07)],
          [1, shade(glass, -0.1)],
        ]
      : [
          [0, shade(glass, 0.09)],
          [0.03, shade(glass, 0.02)],
          [0.6, glass],
          [0.97, shade(glass, -0.06)],
          [1, shade(glass, 0.06)],
        ]
  const down = sheet.linear(
    [0, 0],
    [0, base],
    [
      [0, '#ffffff', 0.1],
      [0.25, '#ffffff', 0],
      [0.7, '#000000', 0],
      [1, '#000000', 0.3],
    ],
  )
  const box = { x: -half, y: -4, width: half * 2, height: base + 16 }
  return (
    tag('rect', { ...box, fill: sheet.linear([-half, 0], [half, 0], around) }) + tag('rect', { ...box, fill: down })
  )
}

function facets(sheet: Sheet, plan: GlassPlan): string {
  const edges = plan.silhouette.edges ?? []
  const { half } = frameOf(plan)
  const { lightness } = toOklch(plan.kind === 'lacquered' ? plan.glass : plan.juice)
  const line = (points: readonly Point[], side: 1 | -1) =>
    points.map(({ x, y }) => `${number(x * side)} ${number(y)}`).join('L')
  const stroke = sheet.linear(
    [-half, 0],
    [half, 0],
    [
      [0, '#ffffff', 0.75],
      [0.5, '#ffffff', lightness > 0.8 ? 0.5 : 0.3],
      [1, '#ffffff', 0.5],
    ],
  )
  return (
    edges
      .flatMap((points) => {
        const d = `M${line(points, 1)}M${line(points, -1)}`
        return [
          tag('path', {
            d,
            fill: 'none',
            stroke: '#20130a',
            'stroke-opacity': 0.16,
            'stroke-width': 5,
            'stroke-linejoin': 'round',
            transform: 'translate(2.5 2.5)',
          }),
          tag('path', { d, fill: 'none', stroke, 'stroke-width': 2.4, 'stroke-linejoin': 'round' }),
        ]
      })
      .join('') + facetPlanes(plan, edges)
  )
}

/** Planes turned to the light or away from it, between an outline and the edges of its facets. */
function facetPlanes(plan: GlassPlan, edges: readonly (readonly Point[])[]): string {
  const first = edges[0]
  if (plan.silhouette.section !== 'facet' || !first) return ''
  const { half, base } = frameOf(plan)
  const inner = first.map(({ x, y }) => `${number(x)} ${number(y)}`)
  const innerLeft = first.map(({ x, y }) => `${number(-x)} ${number(y)}`)
  const right = `M${inner.join('L')}L${number(half)} ${number(base)}L${number(half)} 20Z`
  const left = `M${innerLeft.join('L')}L${number(-half)} ${number(base)}L${number(-half)} 20Z`
  return (
    tag('path', { d: left, fill: '#ffffff', 'fill-opacity': 0.15 }) +
    tag('path', { d: right, fill: '#1c0f06', 'fill-opacity': 0.11 })
  )
}

function ribs(sheet: Sheet, plan: GlassPlan): string {
  const count = plan.silhouette.ribs
  if (!count) return ''
  const { half, base } = frameOf(plan)
  const one = Array.from({ length: count }, (_, index) => {
    // Equal ribs round a cylinder crowd together towards its edges.
    const from = half * Math.sin((index / count - 0.5) * Math.PI)
    const to = half * Math.sin(((index + 1) / count - 0.5) * Math.PI)
    const fill = sheet.linear(
      [from, 0],
      [to, 0],
      [
        [0, '#1d1007', 0.26],
        [0.22, '#ffffff', 0.1],
        [0.36, '#ffffff', 0.42],
        [0.5, '#ffffff', 0.08],
        [1, '#1d1007', 0.2],
      ],
    )
    return tag('path', {
      d: `M${number(from * 0.8)} 34L${number(from)} 76V${number(base - 30)}L${number(from * 1.04)} ${number(base)}H${number(to * 1.04)}L${number(to)} ${number(base - 30)}V76L${number(to * 0.8)} 34Z`,
      fill,
    })
  })
  return one.join('')
}

/** Edges: glass is darkest where it is seen edge-on, with a bright line just inside. */
function contour(sheet: Sheet, plan: GlassPlan, body: string): string {
  const { half, base } = frameOf(plan)
  const box = [-half - 30, -30, half * 2 + 60, base + 70] as const
  const dark = plan.kind === 'lacquered' ? shade(plan.glass, -0.2) : mix(shade(plan.wall, -0.45), juiceOf(plan), 0.35)
  return [
    tag('path', {
      d: body,
      fill: 'none',
      stroke: dark,
      'stroke-width': 26,
      'stroke-opacity': 0.42,
      filter: sheet.blur(8, box),
    }),
    tag('path', {
      d: body,
      fill: 'none',
      stroke: '#ffffff',
      'stroke-width': 9,
      'stroke-opacity': plan.kind === 'lacquered' ? 0.1 : 0.34,
      transform: `scale(0.985 0.992)`,
    }),
    tag('path', { d: body, fill: 'none', stroke: dark, 'stroke-width': 4, 'stroke-opacity': 0.6 }),
  ].join('')
}

function frost(sheet: Sheet, plan: GlassPlan, body: string): string {
  const { half, base } = frameOf(plan)
  const milk = mix(plan.juice, '#ffffff', 0.72)
  return tag('path', {
    d: body,
    fill: sheet.linear(
      [-half, 0],
      [half, base],
      [
        [0, '#ffffff', 0.62],
        [0.45, milk, 0.44],
        [1, milk, 0.58],
      ],
    ),
  })
}

/** The softbox on the left, its echo on the right, and a glint on each shoulder. */
function reflections(sheet: Sheet, plan: GlassPlan): string {
  const { base, half } = frameOf(plan)
  const { outline, section } = plan.silhouette
  const strength = { clear: 1, smoked: 0.8, frosted: 0.35, lacquered: 0.62 }[plan.kind]
  const top = 46
  const bottom = base - plan.silhouette.baseThickness - 6
  const strip = (from: number, to: number, start: number, end: number) => {
    const steps = 28
    const heights = Array.from({ length: steps + 1 }, (_, index) => start + ((end - start) * index) / steps)
    const left = heights.map((y) => `${number(halfWidthAt(outline, y) * from)} ${number(y)}`)
    const right = heights.map((y) => `${number(halfWidthAt(outline, y) * to)} ${number(y)}`).reverse()
    return `M${[...left, ...right].join('L')}Z`
  }
  const fade = (from: number, to: number, start = top, end = bottom) =>
    sheet.linear(
      [0, start],
      [0, end],
      [
        [0, '#ffffff', 0],
        [0.09, '#ffffff', from * 0.8 * strength],
        [0.16, '#ffffff', from * strength],
        [0.55, '#ffffff', ((from + to) / 2) * strength],
        [1, '#ffffff', to * strength],
      ],
    )
  const sheen =
    section === 'round'
      ? tag('path', { d: strip(-0.44, -0.4, top + 60, bottom - 50), fill: fade(0.3, 0.05, top + 60) })
      : tag('path', {
          d: `M${number(-half * 0.2)} 0L${number(half * 0.34)} 0L${number(-half * 0.42)} ${number(base)}L${number(-half * 0.96)} ${number(base)}Z`,
          fill: fade(0.14, 0.03),
        })
  return [
    sheen,
    group(
      { filter: sheet.blur(1.6, [-half - 10, 0, half * 2 + 20, base + 20]) },
      tag('path', { d: strip(-0.83, -0.64, top + 12, bottom - 8), fill: fade(0.66, 0.12, top + 12) }),
      tag('path', { d: strip(-0.91, -0.885, top + 4, bottom), fill: fade(0.55, 0.3) }),
      tag('path', { d: strip(0.82, 0.88, top + 30, bottom - 4), fill: fade(0.26, 0.42, top + 30) }),
    ),
  ].join('')
}

function juiceOf(plan: GlassPlan): string {
  if (plan.kind === 'smoked') return mix(plan.juice, plan.glass, 0.62)
  // A litre is deeper than a drop: what is poured looks paler than what stands in the bottle.
  const { lightness, chroma, hue } = toOklch(plan.juice)
  return fromOklch({ lightness: lightness - 0.045, chroma: Math.min(0.19, chroma * 1.3), hue })
}
