import { mix, shade } from './colour.ts'
import { between, type Random } from './random.ts'
import type { Stop } from './sheet.ts'

type Finish = 'metal' | 'lacquer' | 'wood' | 'stone'

export const materials = {
  gold: { finish: 'metal', colour: '#c6a15b' },
  champagne: { finish: 'metal', colour: '#d6c19a' },
  rose: { finish: 'metal', colour: '#c58f78' },
  silver: { finish: 'metal', colour: '#b7babd' },
  gunmetal: { finish: 'metal', colour: '#56575a' },
  bronze: { finish: 'metal', colour: '#86623f' },
  black: { finish: 'lacquer', colour: '#1d1a19' },
  ivory: { finish: 'lacquer', colour: '#ece4d6' },
  burgundy: { finish: 'lacquer', colour: '#5a1727' },
  navy: { finish: 'lacquer', colour: '#1d2a47' },
  emerald: { finish: 'lacquer', colour: '#17463b' },
  blush: { finish: 'lacquer', colour: '#e0b7ab' },
  terracotta: { finish: 'lacquer', colour: '#a6583a' },
  walnut: { finish: 'wood', colour: '#70482d' },
  oak: { finish: 'wood', colour: '#b58a5a' },
  ebony: { finish: 'wood', colour: '#3a2a21' },
  marble: { finish: 'stone', colour: '#e6e0d8' },
} as const satisfies Record<string, { finish: Finish; colour: string }>

export type MaterialName = keyof typeof materials

/** Light as it goes round an upright cylinder of the material, from its left edge to its right one. */
export function aroundCylinder(name: MaterialName): Stop[] {
  const { finish, colour } = materials[name]
  const step = (offset: number, change: number): Stop => [offset, shade(colour, change)]
  switch (finish) {
    case 'metal':
      return [
        step(0, -0.3),
        step(0.05, -0.12),
        step(0.13, 0.2),
        [0.2, mix(shade(colour, 0.25), '#ffffff', 0.55)],
        step(0.28, 0.12),
        step(0.42, -0.06),
        step(0.6, -0.2),
        step(0.74, -0.16),
        step(0.86, 0.1),
        step(0.93, 0.04),
        step(1, -0.3),
      ]
    case 'lacquer':
      return [
        step(0, -0.12),
        step(0.08, 0),
        step(0.14, 0.08),
        [0.17, mix(shade(colour, 0.2), '#ffffff', 0.45)],
        [0.23, mix(shade(colour, 0.2), '#ffffff', 0.35)],
        step(0.26, 0.09),
        step(0.45, 0.02),
        step(0.75, -0.06),
        step(0.9, -0.08),
        step(0.95, 0.12),
        step(1, -0.1),
      ]
    case 'wood':
    case 'stone':
      return [step(0, -0.16), step(0.2, 0.05), step(0.34, 0.07), step(0.6, -0.02), step(0.86, -0.12), step(1, -0.2)]
  }
}

/** Light on a flat front of the material, from its top left to its bottom right. */
export function acrossFace(name: MaterialName): Stop[] {
  const { finish, colour } = materials[name]
  const strength = finish === 'metal' ? 1 : 0.6
  const step = (offset: number, change: number): Stop => [offset, shade(colour, change * strength)]
  return [step(0, 0.16), step(0.32, 0.04), step(0.36, 0.2), step(0.5, 0.02), step(0.8, -0.08), step(1, -0.14)]
}

/** The drawing of the material itself, grain or veins, for a box; empty for smooth ones. */
export function grain(name: MaterialName, random: Random, box: readonly [number, number, number, number]): string {
  const { finish, colour } = materials[name]
  const [x, y, width, height] = box
  if (finish === 'wood') {
    return Array.from({ length: 26 }, () => {
      const start = x + random() * width
      const drift = between(random, -9, 9)
      const path = `M${start.toFixed(1)} ${y}C${(start + drift).toFixed(1)} ${y + height * 0.3} ${(start - drift).toFixed(1)} ${y + height * 0.7} ${(start + drift / 2).toFixed(1)} ${y + height}`
      const dark = random() < 0.7
      return `<path d="${path}" fill="none" stroke="${shade(colour, dark ? -0.16 : 0.1)}" stroke-opacity="${between(random, 0.18, 0.5).toFixed(2)}" stroke-width="${between(random, 0.8, 2.6).toFixed(1)}"/>`
    }).join('')
  }
  if (finish === 'stone') {
    return Array.from({ length: 6 }, () => {
      const startY = y + random() * height
      const rise = between(random, -50, 50)
      const path = `M${x} ${startY.toFixed(1)}C${(x + width * 0.3).toFixed(1)} ${(startY + rise).toFixed(1)} ${(x + width * 0.6).toFixed(1)} ${(startY - rise).toFixed(1)} ${x + width} ${(startY + rise * 0.8).toFixed(1)}`
      return `<path d="${path}" fill="none" stroke="${shade(colour, -0.18)}" stroke-opacity="${between(random, 0.12, 0.35).toFixed(2)}" stroke-width="${between(random, 1, 4).toFixed(1)}"/>`
    }).join('')
  }
  return ''
}
