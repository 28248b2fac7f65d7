/** A point of the right-hand outline: `x` from the bottle's axis, `y` down from the mouth, both in pixels. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** A corner of an outline, rounded by `r`. */
export interface Corner extends Point {
  readonly r?: number
}

/** A polygon's corners with the rounded ones replaced by arcs, as points about every few pixels. */
export function roundedOutline(corners: readonly Corner[]): Point[] {
  const points: Point[] = []
  corners.forEach((corner, index) => {
    const before = corners[index - 1]
    const after = corners[index + 1]
    if (!corner.r || !before || !after) {
      points.push({ x: corner.x, y: corner.y })
      return
    }
    const from = towards(corner, before, corner.r)
    const to = towards(corner, after, corner.r)
    for (let step = 0; step <= 10; step += 1) points.push(quadratic(from, corner, to, step / 10))
  })
  return points
}

/** One or more cubic curves; each takes two handles and an end. */
export function curvedOutline(start: Point, curves: readonly (readonly [Point, Point, Point])[]): Point[] {
  const points: Point[] = [start]
  let from = start
  for (const [first, second, end] of curves) {
    for (let step = 1; step <= 24; step += 1) points.push(cubic(from, first, second, end, step / 24))
    from = end
  }
  return points
}

export function scaled(outline: readonly Point[], factor: number): Point[] {
  return outline.map(({ x, y }) => ({ x: x * factor, y: y * factor }))
}

/** The outline drawn inwards: `side` from each flank, `top` below its top and `bottom` above its base. */
export function inset(outline: readonly Point[], edges: { side: number; top: number; bottom: number }): Point[] {
  const width = halfWidth(outline)
  const top = Math.min(...outline.map(({ y }) => y))
  const base = Math.max(...outline.map(({ y }) => y))
  const factorX = (width - edges.side) / width
  const factorY = (base - top - edges.top - edges.bottom) / (base - top)
  return outline.map(({ x, y }) => ({ x: x * factorX, y: top + edges.top + (y - top) * factorY }))
}

export function halfWidth(outline: readonly Point[]): number {
  return Math.max(...outline.map(({ x }) => x))
}

export function baseOf(outline: readonly Point[]): number {
  return Math.max(...outline.map(({ y }) => y))
}

/** How far the outline reaches from the axis at a height; the widest where it passes more than once. */
export function halfWidthAt(outline: readonly Point[], y: number): number {
  let widest = 0
  for (let index = 1; index < outline.length; index += 1) {
    const from = outline[index - 1] as Point
    const to = outline[index] as Point
    const [low, high] = from.y < to.y ? [from.y, to.y] : [to.y, from.y]
    if (y < low || y > high) continue
    const part = high === low ? 0 : (y - from.y) / (to.y - from.y)
    widest = Math.max(widest, from.x + (to.x - from.x) * part, high === low ? Math.max(from.x, to.x) : 0)
  }
  return widest
}

/**
 * The height below which the given part of the outline's area lies: where a liquid stands in it.
 * Widths count squared for round vessels, because their sections are discs.
 */
export function levelOf(outline: readonly Point[], part: number, isRound: boolean): number {
  const top = Math.min(...outline.map(({ y }) => y))
  const base = baseOf(outline)
  const slices = 160
  const step = (base - top) / slices
  const areas = Array.from({ length: slices }, (_, index) => {
    const width = halfWidthAt(outline, top + (index + 0.5) * step)
    return isRound ? width * width : width
  })
  const whole = areas.reduce((sum, area) => sum + area, 0)
  let below = 0
  for (let index = slices - 1; index >= 0; index -= 1) {
    below += areas[index] ?? 0
    if (below >= whole * part) return top + index * step
  }
  return top
}

/** The closed path of an outline and its mirror image; `sag` bends the base down as seen a little from above. */
export function mirroredPath(outline: readonly Point[], sag = 0): string {
  const base = baseOf(outline)
  const width = halfWidth(outline) || 1
  const bend = ({ x, y }: Point, side: 1 | -1) => {
    const lift = sag * Math.max(0, 1 - (x / width) ** 2) * Math.max(0, 1 - (base - y) / (sag * 3 + 1))
    return `${number(side * x)} ${number(y + lift)}`
  }
  const dense = withClosedBase(outline, sag)
  const right = dense.map((point) => bend(point, 1))
  const left = [...dense].reverse().map((point) => bend(point, -1))
  return `M${[...right, ...left].join('L')}Z`
}

export function number(value: number): string {
  // Adding zero turns -0 into 0.
  return String(Math.round(value * 10) / 10 + 0)
}

/** A base that sags needs points along it, otherwise there is nothing to bend. */
function withClosedBase(outline: readonly Point[], sag: number): readonly Point[] {
  const last = outline.at(-1)
  const before = outline.at(-2)
  if (!last || !before || sag === 0) return outline
  const edge = last.x === 0 ? before : last
  const kept = last.x === 0 ? outline.slice(0, -1) : outline
  const steps = Array.from({ length: 12 }, (_, index) => ({ x: edge.x * (1 - (index + 1) / 12), y: last.y }))
  return [...kept, ...steps]
}

function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1
  const part = Math.min(0.5, distance / length)
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}

function quadratic(from: Point, control: Point, to: Point, t: number): Point {
  const blend = (a: number, b: number, c: number) => (1 - t) ** 2 * a + 2 * (1 - t) * t * b + t ** 2 * c
  return { x: blend(from.x, control.x, to.x), y: blend(from.y, control.y, to.y) }
}

function cubic(from: Point, first: Point, second: Point, to: Point, t: number): Point {
  const blend = (a: number, b: number, c: number, d: number) =>
    (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t ** 2 * c + t ** 3 * d
  return { x: blend(from.x, first.x, second.x, to.x), y: blend(from.y, first.y, second.y, to.y) }
}
