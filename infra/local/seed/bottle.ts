import { type CapForm, capHeight, drawCap } from './bottle/caps.ts'
import { shade, toOklch } from './bottle/colour.ts'
import { baseOf, halfWidth, halfWidthAt, number, scaled } from './bottle/geometry.ts'
import { bandPath, clarityOf, drawGlass, type GlassKind } from './bottle/glass.ts'
import { drawLabel, type LabelStyle } from './bottle/label.ts'
import type { Face } from './bottle/lettering.ts'
import { aroundCylinder, type MaterialName } from './bottle/materials.ts'
import { between, randomFrom } from './bottle/random.ts'
import {
  drawScene,
  drawShadow,
  GROUND_Y,
  groundFor,
  HEIGHT_PX,
  type Mood,
  type Scene,
  WIDTH_PX,
} from './bottle/scene.ts'
import { type ShapeName, type Silhouette, silhouettes } from './bottle/shapes.ts'
import { createSheet, group, type Sheet, tag } from './bottle/sheet.ts'

/** How a bottle looks. Colours are `#rrggbb`. */
export interface BottleLook {
  readonly shape: ShapeName
  readonly cap: CapForm
  readonly capMaterial: MaterialName
  readonly collar: MaterialName
  readonly glass: GlassKind
  /** The colour of smoked or lacquered glass; clear and frosted glass ignores it. */
  readonly glassColour?: string
  readonly juice: string
  readonly label: LabelStyle
  readonly face: Face
  readonly paper?: string
  readonly ink?: string
  readonly scene: Scene
  readonly mood: Mood
}

export interface BottleFacts {
  readonly house: string
  readonly name: string
  readonly concentration: string
  readonly volumeMl: number
  /** 1 to 100: how full it is. */
  readonly fullnessPercent: number
}

/**
 * Draws a perfume bottle as an SVG document of 1200 by 1500 pixels. The same facts and look give the same drawing.
 * Lettering is outlined, so that it needs no fonts where it is rendered.
 */
export function drawBottle(facts: BottleFacts, look: BottleLook): string {
  const sheet = createSheet()
  const random = randomFrom(`${facts.house} ${facts.name}`)
  const silhouette: Silhouette = silhouettes[look.shape]
  const ground = groundFor(look.glass === 'lacquered' ? (look.glassColour ?? look.juice) : look.juice, look.mood)
  const collarPx = 30
  const bodyPx = baseOf(silhouette.outline)
  const wholePx = bodyPx + collarPx + capHeight(look.cap)
  const size = sizeOf(facts.volumeMl) * Math.min(1020 / wholePx, 700 / (halfWidth(silhouette.outline) * 2))
  const half = halfWidth(silhouette.outline) * size
  const footHalf = halfWidthAt(scaled(silhouette.outline, size), bodyPx * size - 24 * size)
  const tilt = between(random, -0.25, 0.25)
  const body = [
    drawGlass(sheet, {
      silhouette,
      kind: look.glass,
      glass: look.glassColour ?? '#f2eee8',
      juice: look.juice,
      fill: facts.fullnessPercent / 100,
      wall: ground.wall,
    }),
    ...(silhouette.bands ?? []).map((y) => metalBand(sheet, silhouette, look.collar, y)),
    drawLabel(sheet, {
      style: look.label,
      house: facts.house,
      name: facts.name,
      foot: `${facts.concentration}  ·  ${facts.volumeMl} ml`,
      paper: look.paper ?? '#f6f0e4',
      ink: look.ink ?? inkOn(look),
      metal: look.collar,
      face: look.face,
      box: silhouette.label,
      isRound: silhouette.section === 'round',
      bodyHalf: halfWidthAt(silhouette.outline, silhouette.label.y),
    }),
    collar(sheet, silhouette.neckHalf, look.collar, collarPx),
    group(
      { transform: `translate(0 ${-collarPx})` },
      drawCap(sheet, { form: look.cap, material: look.capMaterial, neckHalf: silhouette.neckHalf }, random),
    ),
  ]
  const parts = [
    drawScene(sheet, look.scene, ground, random),
    drawShadow(sheet, look.scene, ground, (half + footHalf) / 2, look.juice, clarityOf(look.glass)),
    group(
      {
        transform: `translate(600 ${number(GROUND_Y - bodyPx * size)}) rotate(${number(tilt)}) scale(${size.toFixed(4)})`,
      },
      ...body,
    ),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH_PX}" height="${HEIGHT_PX}" viewBox="0 0 ${WIDTH_PX} ${HEIGHT_PX}">${sheet.definitions()}${parts.join('')}</svg>`
}

/** Small bottles are drawn smaller, but not as much as they are: every card should be filled. */
function sizeOf(volumeMl: number): number {
  if (volumeMl <= 30) return 0.86
  if (volumeMl <= 50) return 0.92
  return volumeMl <= 75 ? 0.96 : 1
}

/** Lettering straight on the bottle must stand out from what is in it. */
function inkOn(look: BottleLook): string {
  if (look.label !== 'print') return '#2a1e16'
  const behind = look.glass === 'clear' || look.glass === 'frosted' ? look.juice : (look.glassColour ?? look.juice)
  if (look.glass === 'frosted') return shade(look.juice, -0.42)
  return toOklch(behind).lightness > 0.62 ? '#2b1d13' : '#f3e3c3'
}

function collar(sheet: Sheet, neckHalf: number, material: MaterialName, height: number): string {
  const half = neckHalf * 1.1
  const fill = sheet.linear([-half, 0], [half, 0], aroundCylinder(material))
  const dark = sheet.linear(
    [0, -height],
    [0, 6],
    [
      [0, '#120a06', 0.5],
      [0.25, '#120a06', 0],
      [0.8, '#120a06', 0],
      [1, '#120a06', 0.35],
    ],
  )
  const d = `M${number(-half)} ${-height}H${number(half)}V2Q0 12 ${number(-half)} 2Z`
  return (
    tag('path', { d, fill }) +
    tag('path', { d, fill: dark }) +
    tag('rect', { x: -half, y: -10, width: half * 2, height: 1.6, fill: '#ffffff', 'fill-opacity': 0.4 })
  )
}

function metalBand(sheet: Sheet, silhouette: Silhouette, material: MaterialName, y: number): string {
  const half = halfWidthAt(silhouette.outline, y) + 4
  return tag('path', {
    d: bandPath(silhouette, y, 13),
    fill: sheet.linear([-half, 0], [half, 0], aroundCylinder(material)),
  })
}
