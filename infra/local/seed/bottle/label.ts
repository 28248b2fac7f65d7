import { mix, shade } from './colour.ts'
import { number } from './geometry.ts'
import { breakName, type Face, fitText, type Line, outlineText } from './lettering.ts'
import { aroundCylinder, type MaterialName, materials } from './materials.ts'
import { group, type Sheet, tag } from './sheet.ts'

export const labelStyles = ['paper', 'print', 'plate', 'band', 'oval'] as const
export type LabelStyle = (typeof labelStyles)[number]

export interface LabelPlan {
  readonly style: LabelStyle
  readonly house: string
  readonly name: string
  /** The small line below the name. */
  readonly foot: string
  /** The ground of a paper label. */
  readonly paper: string
  readonly ink: string
  readonly metal: MaterialName
  readonly face: Face
  readonly box: { readonly y: number; readonly width: number; readonly height: number }
  readonly isRound: boolean
  /** Half the bottle's width at the label, for bands that go all the way round. */
  readonly bodyHalf: number
}

export function drawLabel(sheet: Sheet, plan: LabelPlan): string {
  const { width, height, y } = plan.box
  const top = y - height / 2
  switch (plan.style) {
    case 'print':
      return lettering(plan, plan.ink, width, 1)
    case 'paper':
      return card(
        plan,
        `M${-width / 2} ${top}H${width / 2}V${top + height}H${-width / 2}Z`,
        paperFill(sheet, plan, width / 2),
        10,
      )
    case 'oval':
      return card(
        plan,
        `M${-width / 2} ${y}a${width / 2} ${height / 2} 0 1 0 ${width} 0a${width / 2} ${height / 2} 0 1 0 ${-width} 0Z`,
        paperFill(sheet, plan, width / 2),
        9,
      )
    case 'plate':
      return plate(sheet, plan)
    case 'band': {
      const half = plan.bodyHalf
      const sag = plan.isRound ? 9 : 0
      const d = `M${number(-half)} ${top}Q0 ${top + sag * 2} ${number(half)} ${top}V${top + height}Q0 ${top + height + sag * 2} ${number(-half)} ${top + height}Z`
      return (
        group(
          { 'clip-path': sheet.clip(d) },
          tag('path', { d, fill: paperFill(sheet, plan, half) }),
          rules(plan, half, sag),
        ) + lettering(plan, plan.ink, width * 0.94, 0.94)
      )
    }
  }
}

function card(plan: LabelPlan, d: string, fill: string, border: number): string {
  const { width, height, y } = plan.box
  const factorX = (width - border * 2) / width
  const factorY = (height - border * 2) / height
  return [
    tag('path', { d, fill: '#160c06', 'fill-opacity': 0.24, transform: 'translate(2 3)' }),
    tag('path', { d, fill }),
    tag('path', {
      d,
      fill: 'none',
      stroke: plan.ink,
      'stroke-width': 1.3,
      'stroke-opacity': 0.55,
      transform: `translate(0 ${number(y * (1 - factorY))}) scale(${factorX} ${factorY})`,
    }),
    lettering(plan, plan.ink, width - border * 2 - 30, plan.style === 'oval' ? 0.86 : 0.96),
  ].join('')
}

/** Paper takes the light as the glass under it does. */
function paperFill(sheet: Sheet, plan: LabelPlan, half: number): string {
  const { paper } = plan
  return plan.isRound
    ? sheet.linear(
        [-half, 0],
        [half, 0],
        [
          [0, shade(paper, -0.11)],
          [0.25, shade(paper, 0.02)],
          [0.45, paper],
          [1, shade(paper, -0.13)],
        ],
      )
    : sheet.linear(
        [-half, plan.box.y - half],
        [half, plan.box.y + half],
        [
          [0, shade(paper, 0.02)],
          [1, shade(paper, -0.06)],
        ],
      )
}

/** A metal plate is as high as what is engraved on it. */
function plate(sheet: Sheet, plan: LabelPlan): string {
  const { y } = plan.box
  const width = plan.box.width * 0.94
  const scale = plan.box.height < 140 ? 0.74 : 0.86
  const height = heightOf(compose(plan, width - 44, scale)) + 52
  const top = y - height / 2
  const { colour } = materials[plan.metal]
  const fill = plan.isRound
    ? sheet.linear(
        [-width / 2, 0],
        [width / 2, 0],
        aroundCylinder(plan.metal).map(([offset, hex]) => [offset, mix(hex, colour, 0.5)]),
      )
    : sheet.linear(
        [-width / 2, top],
        [width / 2, top + height],
        [
          [0, shade(colour, 0.16)],
          [0.38, shade(colour, 0.02)],
          [0.44, shade(colour, 0.17)],
          [0.7, shade(colour, -0.04)],
          [1, shade(colour, -0.1)],
        ],
      )
  const box = { x: -width / 2, y: top, width, height, rx: 5 }
  return [
    tag('rect', { ...box, fill: '#140a05', 'fill-opacity': 0.3, transform: 'translate(2 4)' }),
    tag('rect', { ...box, fill }),
    tag('rect', { ...box, fill: 'none', stroke: shade(colour, 0.3), 'stroke-width': 1.6, 'stroke-opacity': 0.8 }),
    tag('rect', {
      x: box.x + 7,
      y: top + 7,
      width: width - 14,
      height: height - 14,
      rx: 2,
      fill: 'none',
      stroke: shade(colour, -0.34),
      'stroke-width': 1.2,
      'stroke-opacity': 0.6,
    }),
    lettering(plan, shade(colour, -0.5), width - 44, scale),
  ].join('')
}

function rules(plan: LabelPlan, half: number, sag: number): string {
  const { y, height } = plan.box
  const line = (at: number) =>
    tag('path', {
      d: `M${number(-half)} ${at}Q0 ${at + sag * 2} ${number(half)} ${at}`,
      fill: 'none',
      stroke: plan.ink,
      'stroke-width': 1.6,
      'stroke-opacity': 0.6,
    })
  return line(y - height / 2 + 9) + line(y + height / 2 - 9)
}

/** House in small capitals, the name large, and what a bottle has to say below: all centred in the label's box. */
function lettering(plan: LabelPlan, ink: string, widthPx: number, scale: number): string {
  const lines = compose(plan, widthPx, scale)
  let y = plan.box.y - heightOf(lines) / 2
  const paths = lines.map(({ line, gapPx, rule }) => {
    y += gapPx + line.sizePx * 0.72
    const path = tag('path', { d: outlineText(line, 0, y), fill: ink })
    return rule
      ? path +
          tag('path', { d: `M-22 ${number(y + rule)}H22`, stroke: ink, 'stroke-width': 1.3, 'stroke-opacity': 0.8 })
      : path
  })
  return paths.join('')
}

/** Capitals stand about 0.72 of their size high. */
function heightOf(lines: readonly SetLine[]): number {
  return lines.reduce((sum, { line, gapPx }) => sum + gapPx + line.sizePx * 0.72, 0)
}

/** On one line unless that would make it tiny. */
function fitHouse(plan: LabelPlan, widthPx: number, scale: number): Line[] {
  const face = plan.face === 'cinzel' ? 'cinzel' : 'garamond'
  const set = (text: string) => fitText({ text, face, sizePx: 21 * scale, tracking: 0.2 }, widthPx)
  const house = plan.house.toUpperCase()
  const single = set(house)
  if (single.sizePx > 15 * scale || !house.includes(' ')) return [single]
  const broken = breakName(house, 0).map(set)
  const sizePx = Math.min(...broken.map((line) => line.sizePx))
  return broken.map((line) => ({ ...line, sizePx }))
}

interface SetLine {
  readonly line: Line
  readonly gapPx: number
  readonly rule?: number
}

function compose(plan: LabelPlan, widthPx: number, scale: number): SetLine[] {
  const roomy = plan.box.height >= 150
  const names = breakName(plan.name, plan.box.width > 240 ? 13 : 11)
  const nameSize = (roomy ? 54 : 46) * scale * (names.length > 1 ? 0.84 : 1)
  const fitted = names.map((text) => fitText({ text, face: plan.face, sizePx: nameSize, tracking: 0.01 }, widthPx))
  const sizePx = Math.min(...fitted.map((line) => line.sizePx))
  const houses = fitHouse(plan, widthPx, scale)
  const foot: Line = {
    text: plan.foot,
    face: 'garamondItalic',
    sizePx: 19 * scale,
    tracking: 0.03,
  }
  return [
    ...houses.map((line, index) => ({
      line,
      gapPx: index === 0 ? 0 : 9 * scale,
      ...(index === houses.length - 1 && { rule: 14 * scale }),
    })),
    ...fitted.map((line, index) => ({ line: { ...line, sizePx }, gapPx: (index === 0 ? 31 : 15) * scale })),
    { line: fitText(foot, widthPx), gapPx: 21 * scale },
  ]
}
