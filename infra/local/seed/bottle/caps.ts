import { mix, shade } from './colour.ts'
import { curvedOutline, mirroredPath, number, type Point, roundedOutline } from './geometry.ts'
import { acrossFace, aroundCylinder, grain, type MaterialName, materials } from './materials.ts'
import type { Random } from './random.ts'
import { group, type Sheet, tag } from './sheet.ts'

export const capForms = ['cylinder', 'tall', 'block', 'ball', 'disc', 'dome', 'onion', 'stopper', 'tiers'] as const
export type CapForm = (typeof capForms)[number]

export interface CapPlan {
  readonly form: CapForm
  readonly material: MaterialName
  /** Half the width of what it sits on. */
  readonly neckHalf: number
}

/** How high a cap stands above the collar, in pixels. */
export function capHeight(form: CapForm): number {
  return { cylinder: 128, tall: 196, block: 132, ball: 150, disc: 58, dome: 122, onion: 214, stopper: 186, tiers: 150 }[
    form
  ]
}

/** The cap with the middle of its lower edge at the origin, growing upwards. */
export function drawCap(sheet: Sheet, plan: CapPlan, random: Random): string {
  const half = plan.neckHalf
  switch (plan.form) {
    case 'cylinder':
      return turned(sheet, plan, random, straight(half * 1.28, 128), 9)
    case 'tall':
      return turned(sheet, plan, random, straight(half * 1.04, 196), 7)
    case 'disc':
      return turned(sheet, plan, random, straight(half * 1.75, 58), 13)
    case 'block':
      return block(sheet, plan, random, half * 1.34, 132)
    case 'tiers':
      return (
        turned(sheet, plan, random, straight(half * 1.34, 46), 9) +
        group({ transform: 'translate(0 -46)' }, turned(sheet, plan, random, straight(half * 1.08, 104), 8))
      )
    case 'ball':
      return ball(sheet, plan, random, Math.max(70, half * 1.42))
    case 'dome':
      return turned(sheet, plan, random, domeOutline(half * 1.36, 122), 0)
    case 'onion':
      return turned(sheet, plan, random, onionOutline(half, 214), 0)
    case 'stopper':
      return stopper(sheet, plan)
  }
}

const at = (x: number, y: number): Point => ({ x, y })

function straight(half: number, height: number): Point[] {
  return roundedOutline([
    { x: 0, y: -height },
    { x: half, y: -height, r: 9 },
    { x: half, y: 0, r: 4 },
    { x: 0, y: 0 },
  ])
}

function domeOutline(half: number, height: number): Point[] {
  return curvedOutline(at(0, -height), [
    [at(half * 0.62, -height), at(half, -height * 0.72), at(half, -height * 0.3)],
    [at(half, -height * 0.16), at(half, -height * 0.1), at(half, 0)],
    [at(half * 0.6, 0), at(half * 0.3, 0), at(0, 0)],
  ])
}

function onionOutline(half: number, height: number): Point[] {
  return curvedOutline(at(0, -height), [
    [at(7, -height + 4), at(5, -height + 30), at(9, -height + 36)],
    [at(22, -height + 42), at(22, -height + 58), at(10, -height + 62)],
    [at(12, -height + 74), at(half * 1.3, -height * 0.52), at(half * 1.3, -height * 0.32)],
    [at(half * 1.3, -height * 0.18), at(half * 0.86, -height * 0.12), at(half * 0.86, -24)],
    [at(half * 1.24, -22), at(half * 1.24, -2), at(half * 1.16, 0)],
    [at(half * 0.6, 0), at(half * 0.3, 0), at(0, 0)],
  ])
}

/** Anything turned on a lathe: the light runs round it, and a flat top shows as a thin ellipse. */
function turned(sheet: Sheet, plan: CapPlan, random: Random, outline: readonly Point[], topRy: number): string {
  const half = Math.max(...outline.map(({ x }) => x))
  const height = -Math.min(...outline.map(({ y }) => y))
  const { colour, finish } = materials[plan.material]
  const path = mirroredPath(outline, 4)
  const top = sheet.linear(
    [-half, 0],
    [half, 0],
    [
      [0, shade(colour, 0.02)],
      [0.35, shade(colour, 0.24)],
      [1, shade(colour, -0.08)],
    ],
  )
  const falloff = sheet.linear(
    [0, -height],
    [0, 6],
    [
      [0, '#ffffff', 0.14],
      [0.3, '#ffffff', 0],
      [0.72, '#000000', 0],
      [1, '#120a06', finish === 'metal' ? 0.34 : 0.3],
    ],
  )
  return group(
    { 'clip-path': sheet.clip(path) },
    tag('path', { d: path, fill: sheet.linear([-half, 0], [half, 0], aroundCylinder(plan.material)) }),
    grain(plan.material, random, [-half, -height, half * 2, height]),
    tag('path', { d: path, fill: falloff }),
    topRy > 0 ? tag('ellipse', { cx: 0, cy: -height + topRy * 0.4, rx: half * 0.985, ry: topRy, fill: top }) : '',
    topRy > 0
      ? tag('path', {
          d: `M${number(-half)} ${number(-height + topRy * 0.4)}A${number(half * 0.985)} ${topRy} 0 0 0 ${number(half)} ${number(-height + topRy * 0.4)}`,
          fill: 'none',
          stroke: shade(colour, 0.34),
          'stroke-width': 1.6,
          'stroke-opacity': 0.7,
        })
      : '',
    tag('path', { d: path, fill: 'none', stroke: shade(colour, -0.34), 'stroke-width': 2, 'stroke-opacity': 0.45 }),
  )
}

function block(sheet: Sheet, plan: CapPlan, random: Random, half: number, height: number): string {
  const { colour } = materials[plan.material]
  const lip = 12
  const face = `M${-half} ${-height + lip}H${half}V-3Q${half} 0 ${half - 3} 0H${-half + 3}Q${-half} 0 ${-half} -3Z`
  const top = `M${-half} ${-height + lip}L${-half + 12} ${-height}H${half - 12}L${half} ${-height + lip}Z`
  const edge = sheet.linear(
    [-half, 0],
    [half, 0],
    [
      [0, '#ffffff', 0.5],
      [0.03, '#ffffff', 0.02],
      [0.96, '#000000', 0.02],
      [1, '#000000', 0.4],
    ],
  )
  const falloff = sheet.linear(
    [0, -height],
    [0, 0],
    [
      [0.5, '#120a06', 0],
      [1, '#120a06', 0.3],
    ],
  )
  return [
    group(
      { 'clip-path': sheet.clip(face) },
      tag('path', { d: face, fill: sheet.linear([-half, -height], [half, 0], acrossFace(plan.material)) }),
      grain(plan.material, random, [-half, -height, half * 2, height]),
      tag('path', { d: face, fill: edge }),
      tag('path', { d: face, fill: falloff }),
    ),
    tag('path', {
      d: top,
      fill: sheet.linear(
        [-half, 0],
        [half, 0],
        [
          [0, shade(colour, 0.3)],
          [0.5, shade(colour, 0.18)],
          [1, shade(colour, 0.02)],
        ],
      ),
    }),
  ].join('')
}

function ball(sheet: Sheet, plan: CapPlan, random: Random, radius: number): string {
  const { colour, finish } = materials[plan.material]
  const centre = -radius - 6
  const shine = finish === 'metal' || finish === 'lacquer' ? 0.9 : 0.35
  const circle = `M${-radius} ${centre}a${radius} ${radius} 0 1 0 ${radius * 2} 0a${radius} ${radius} 0 1 0 ${-radius * 2} 0Z`
  return [
    tag('rect', {
      x: -radius * 0.52,
      y: -16,
      width: radius * 1.04,
      height: 16,
      rx: 3,
      fill: sheet.linear([-radius * 0.52, 0], [radius * 0.52, 0], aroundCylinder(plan.material)),
    }),
    group(
      { 'clip-path': sheet.clip(circle) },
      tag('path', {
        d: circle,
        fill: sheet.radial([-radius * 0.32, centre - radius * 0.38], radius * 1.5, [
          [0, shade(colour, 0.24)],
          [0.28, shade(colour, 0.08)],
          [0.62, shade(colour, -0.1)],
          [0.88, shade(colour, -0.26)],
          [1, shade(colour, -0.2)],
        ]),
      }),
      grain(plan.material, random, [-radius, centre - radius, radius * 2, radius * 2]),
      tag('path', {
        d: circle,
        fill: sheet.radial(
          [radius * 0.16, centre + radius * 1.02],
          radius * 0.72,
          [
            [0, shade(colour, 0.26), 0.6],
            [1, shade(colour, 0.26), 0],
          ],
          0.5,
        ),
      }),
      tag('ellipse', {
        cx: 0,
        cy: 0,
        rx: radius * 0.34,
        ry: radius * 0.34,
        transform: `translate(${number(-radius * 0.4)} ${number(centre - radius * 0.42)}) rotate(38) scale(0.72 1)`,
        fill: sheet.radial([0, 0], radius * 0.34, [
          [0, '#ffffff', shine * 0.95],
          [0.35, '#ffffff', shine * 0.7],
          [1, '#ffffff', 0],
        ]),
      }),
    ),
  ].join('')
}

/** A cut-glass stopper: planes of glass turned to the light or away from it, over a metal foot. */
function stopper(sheet: Sheet, plan: CapPlan): string {
  const half = plan.neckHalf * 1.56
  const { colour } = materials[plan.material]
  const [top, crown, girdle, foot] = [-182, -150, -96, -30]
  const dark = shade(colour, -0.32)
  const pale = mix(colour, '#ffffff', 0.78)
  const plane = (points: readonly (readonly [number, number])[], from: string, to: string, opacity: number) => {
    const xs = points.map(([x]) => x * half)
    const fill = sheet.linear(
      [Math.min(...xs), top],
      [Math.max(...xs), foot],
      [
        [0, from, opacity],
        [1, to, opacity],
      ],
    )
    return tag('path', {
      d: `M${points.map(([x, y]) => `${number(x * half)} ${y}`).join('L')}Z`,
      fill,
      stroke: '#ffffff',
      'stroke-opacity': 0.7,
      'stroke-width': 1.6,
      'stroke-linejoin': 'round',
    })
  }
  const neck = half * 0.5
  return [
    tag('rect', {
      x: -neck,
      y: foot - 2,
      width: neck * 2,
      height: -foot + 2,
      rx: 3,
      fill: sheet.linear([-neck, 0], [neck, 0], aroundCylinder(plan.material)),
    }),
    plane(
      [
        [-0.5, top],
        [-0.86, crown],
        [-0.34, crown],
        [-0.2, top],
      ],
      '#ffffff',
      pale,
      0.92,
    ),
    plane(
      [
        [-0.2, top],
        [-0.34, crown],
        [0.34, crown],
        [0.2, top],
      ],
      pale,
      colour,
      0.78,
    ),
    plane(
      [
        [0.2, top],
        [0.34, crown],
        [0.86, crown],
        [0.5, top],
      ],
      colour,
      dark,
      0.62,
    ),
    plane(
      [
        [-0.86, crown],
        [-1, girdle],
        [-0.42, girdle],
        [-0.34, crown],
      ],
      pale,
      colour,
      0.72,
    ),
    plane(
      [
        [-0.34, crown],
        [-0.42, girdle],
        [0.42, girdle],
        [0.34, crown],
      ],
      '#ffffff',
      pale,
      0.66,
    ),
    plane(
      [
        [0.34, crown],
        [0.42, girdle],
        [1, girdle],
        [0.86, crown],
      ],
      pale,
      '#ffffff',
      0.82,
    ),
    plane(
      [
        [-1, girdle],
        [-0.46, foot],
        [-0.16, foot],
        [-0.42, girdle],
      ],
      colour,
      dark,
      0.66,
    ),
    plane(
      [
        [-0.42, girdle],
        [-0.16, foot],
        [0.16, foot],
        [0.42, girdle],
      ],
      pale,
      colour,
      0.7,
    ),
    plane(
      [
        [0.42, girdle],
        [0.16, foot],
        [0.46, foot],
        [1, girdle],
      ],
      '#ffffff',
      colour,
      0.8,
    ),
    tag('path', {
      d: `M${number(-half * 0.66)} ${top + 12}L${number(-half * 0.8)} ${crown - 4}L${number(-half * 0.56)} ${crown - 4}L${number(-half * 0.44)} ${top + 12}Z`,
      fill: '#ffffff',
      'fill-opacity': 0.9,
    }),
  ].join('')
}
