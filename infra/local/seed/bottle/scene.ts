import { mix, shade, tone, toOklch } from './colour.ts'
import { between, type Random } from './random.ts'
import { group, type Sheet, tag } from './sheet.ts'

export const WIDTH_PX = 1200
export const HEIGHT_PX = 1500
/** Where bottles stand. */
export const GROUND_Y = 1276

export const scenes = ['cove', 'arch', 'plinth', 'window', 'panel'] as const
export type Scene = (typeof scenes)[number]
export const moods = ['pale', 'mid', 'deep'] as const
export type Mood = (typeof moods)[number]

export interface Ground {
  readonly wall: string
  readonly floor: string
  readonly shadow: string
  readonly light: string
}

/** The wall and the floor take their hue from what is in the bottle, leaning to warm paper. */
export function groundFor(juice: string, mood: Mood): Ground {
  const { hue, chroma } = toOklch(juice)
  const lightness = { pale: 0.905, mid: 0.775, deep: 0.335 }[mood]
  const most = { pale: 0.034, mid: 0.062, deep: 0.042 }[mood]
  const own = tone(`#${'c8a27a'}`, lightness, most)
  const tinted = mix(tone(juice, lightness, Math.min(most, chroma * 0.55)), own, hue > 30 && hue < 110 ? 0.2 : 0.3)
  return {
    wall: tinted,
    floor: shade(tinted, mood === 'deep' ? -0.05 : -0.035),
    shadow: tone(tinted, mood === 'deep' ? 0.1 : 0.26, 0.045),
    light: shade(tinted, mood === 'deep' ? 0.14 : 0.075),
  }
}

/** Everything behind and under the bottle except its shadow. */
export function drawScene(sheet: Sheet, scene: Scene, ground: Ground, random: Random): string {
  const horizon = between(random, 1040, 1085)
  const wall = sheet.linear(
    [0, 0],
    [0, HEIGHT_PX],
    [
      [0, shade(ground.wall, -0.02)],
      [0.45, ground.wall],
      [horizon / HEIGHT_PX, shade(ground.wall, 0.018)],
      [horizon / HEIGHT_PX + 0.06, ground.floor],
      [1, shade(ground.floor, -0.035)],
    ],
  )
  const glow = sheet.radial([between(random, 330, 430), between(random, 420, 560)], 860, [
    [0, ground.light, 0.95],
    [0.5, ground.light, 0.38],
    [1, ground.light, 0],
  ])
  const vignette = sheet.radial(
    [600, 730],
    1120,
    [
      [0.5, ground.shadow, 0],
      [1, ground.shadow, 0.2],
    ],
    1.15,
  )
  return [
    tag('rect', { width: WIDTH_PX, height: HEIGHT_PX, fill: wall }),
    tag('rect', { width: WIDTH_PX, height: HEIGHT_PX, fill: glow }),
    backdrops[scene](sheet, ground, random, horizon),
    tag('rect', { width: WIDTH_PX, height: HEIGHT_PX, fill: vignette }),
  ].join('')
}

/** What the bottle's weight and colour do to the floor: contact, cast shadow and the light that comes through. */
export function drawShadow(
  sheet: Sheet,
  scene: Scene,
  ground: Ground,
  half: number,
  juice: string,
  clarity: number,
): string {
  const y = GROUND_Y
  const soft = sheet.blur(26, [600 - half * 1.8, y - 150, half * 5, 290])
  const near = sheet.blur(7, [600 - half * 1.4, y - 60, half * 3, 120])
  const bright = sheet.blur(13, [600 - half * 0.6, y - 70, half * 3.4, 170])
  const { top, ry } = plinth
  const disc = `M${600 - plinth.half} ${top}a${plinth.half} ${ry} 0 1 0 ${plinth.half * 2} 0a${plinth.half} ${ry} 0 1 0 ${-plinth.half * 2} 0Z`
  return group(
    // A shadow ends where the stone does.
    scene === 'plinth' ? { 'clip-path': sheet.clip(disc) } : {},
    group(
      { filter: soft },
      tag('ellipse', {
        cx: 600 + half * 0.5,
        cy: y + 8,
        rx: half * 1.42,
        ry: 40,
        fill: ground.shadow,
        'fill-opacity': 0.42,
      }),
      tag('path', {
        d: `M${600 - half * 0.7} ${y - 6}L${600 + half * 0.8} ${y - 26}L${600 + half * 2.5} ${y - 64}L${600 + half * 2.2} ${y + 8}L${600 + half * 0.9} ${y + 26}Z`,
        fill: ground.shadow,
        'fill-opacity': 0.36,
      }),
    ),
    group(
      { filter: bright },
      tag('ellipse', {
        cx: 600 + half * 1.18,
        cy: y + 2,
        rx: half * 0.5,
        ry: 17,
        fill: mix(shade(juice, 0.16), '#ffdcae', 0.4),
        'fill-opacity': 0.6 * clarity,
      }),
      tag('ellipse', {
        cx: 600 + half * 1.05,
        cy: y + 4,
        rx: half * 0.2,
        ry: 8,
        fill: '#fff6e4',
        'fill-opacity': 0.4 * clarity,
      }),
    ),
    group(
      { filter: near },
      tag('ellipse', { cx: 606, cy: y + 1, rx: half * 0.99, ry: 13, fill: ground.shadow, 'fill-opacity': 0.72 }),
    ),
  )
}

/** The disc of stone that some bottles stand on. */
const plinth = { half: 436, top: GROUND_Y - 6, ry: 48 } as const

type Backdrop = (sheet: Sheet, ground: Ground, random: Random, horizon: number) => string

const backdrops: Record<Scene, Backdrop> = {
  cove: () => '',
  arch: (sheet, ground, random, horizon) => {
    const half = between(random, 352, 392)
    const top = between(random, 190, 240)
    const foot = horizon + 74
    const slab = (shift: number) =>
      `M${600 - half + shift} ${foot}V${top + half}A${half} ${half} 0 0 1 ${600 + half + shift} ${top + half}V${foot}Z`
    const face = sheet.linear(
      [600 - half, top],
      [600 + half, foot],
      [
        [0, shade(ground.wall, 0.045)],
        [0.5, shade(ground.wall, 0.005)],
        [1, shade(ground.wall, -0.035)],
      ],
    )
    const cast = sheet.blur(24, [600 - half - 60, top - 60, half * 2 + 240, foot - top + 130])
    return [
      tag('path', { d: slab(44), fill: ground.shadow, 'fill-opacity': 0.26, filter: cast }),
      tag('path', { d: slab(13), fill: shade(ground.wall, -0.12) }),
      tag('path', { d: slab(0), fill: face }),
      tag('path', { d: slab(0), fill: 'none', stroke: ground.light, 'stroke-opacity': 0.75, 'stroke-width': 2.2 }),
    ].join('')
  },
  plinth: (sheet, ground) => {
    const { half, top, ry } = plinth
    const height = 104
    const side = `M${600 - half} ${top}V${top + height}A${half} ${ry} 0 0 0 ${600 + half} ${top + height}V${top}Z`
    const around = sheet.linear(
      [600 - half, 0],
      [600 + half, 0],
      [
        [0, shade(ground.floor, -0.1)],
        [0.24, shade(ground.floor, 0.035)],
        [0.6, shade(ground.floor, -0.04)],
        [1, shade(ground.floor, -0.16)],
      ],
    )
    const face = sheet.linear(
      [600 - half, 0],
      [600 + half, 0],
      [
        [0, shade(ground.floor, 0.05)],
        [0.4, shade(ground.floor, 0.075)],
        [1, shade(ground.floor, -0.005)],
      ],
    )
    return [
      tag('ellipse', {
        cx: 690,
        cy: top + height + 18,
        rx: half * 1.06,
        ry: 60,
        fill: ground.shadow,
        'fill-opacity': 0.4,
        filter: sheet.blur(24, [100, top, 1100, 270]),
      }),
      tag('path', { d: side, fill: around }),
      tag('ellipse', { cx: 600, cy: top, rx: half, ry, fill: face }),
      tag('path', {
        d: `M${600 - half} ${top}A${half} ${ry} 0 0 0 ${600 + half} ${top}`,
        fill: 'none',
        stroke: ground.light,
        'stroke-opacity': 0.8,
        'stroke-width': 2.5,
      }),
    ].join('')
  },
  window: (sheet, ground, random) => {
    const start = between(random, -60, 120)
    const pane = (x: number, y: number, width: number, height: number) =>
      `M${x} ${y}l${width} ${-width * 0.22}l${height * 0.42} ${height}l${-width} ${width * 0.22}Z`
    const panes = [
      pane(start, 190, 300, 420),
      pane(start + 340, 118, 300, 420),
      pane(start + 190, 640, 300, 400),
      pane(start + 530, 566, 300, 400),
    ]
    return group(
      { filter: sheet.blur(12, [0, 0, WIDTH_PX, 1200]) },
      tag('path', { d: panes.join(''), fill: ground.light, 'fill-opacity': 0.62 }),
    )
  },
  panel: (sheet, ground, random, horizon) => {
    const x = between(random, 640, 760)
    const edge = horizon + 20
    const dark = sheet.linear(
      [x, 0],
      [WIDTH_PX, 0],
      [
        [0, shade(ground.wall, -0.085)],
        [1, shade(ground.wall, -0.045)],
      ],
    )
    const table = sheet.linear(
      [0, edge],
      [0, HEIGHT_PX],
      [
        [0, shade(ground.floor, -0.035)],
        [0.35, shade(ground.floor, 0.015)],
        [1, shade(ground.floor, -0.03)],
      ],
    )
    return [
      tag('rect', { x, y: 0, width: WIDTH_PX - x, height: edge, fill: dark }),
      tag('rect', {
        x,
        y: 0,
        width: 46,
        height: edge,
        fill: sheet.linear(
          [x, 0],
          [x + 46, 0],
          [
            [0, ground.shadow, 0.24],
            [1, ground.shadow, 0],
          ],
        ),
      }),
      tag('rect', { x: 0, y: edge, width: WIDTH_PX, height: HEIGHT_PX - edge, fill: table }),
      tag('rect', { x: 0, y: edge, width: WIDTH_PX, height: 2, fill: ground.light, 'fill-opacity': 0.6 }),
    ].join('')
  },
}
