import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { capForms } from './bottle/caps.ts'
import { glassKinds } from './bottle/glass.ts'
import { labelStyles } from './bottle/label.ts'
import { moods, scenes } from './bottle/scene.ts'
import { shapeNames } from './bottle/shapes.ts'
import { type BottleLook, drawBottle } from './bottle.ts'

const facts = {
  house: 'Maison d’Essai',
  name: 'Eau Première',
  volumeMl: 100,
  fullnessPercent: 60,
  concentration: 'eau de toilette',
}
const look: BottleLook = {
  shape: 'slab',
  cap: 'cylinder',
  capMaterial: 'black',
  collar: 'silver',
  glass: 'clear',
  juice: '#c8873c',
  label: 'paper',
  face: 'garamond',
  scene: 'cove',
  mood: 'pale',
}

/** All of it can be drawn: a number that is none ends a path, silently. */
function expectWhole(drawing: string): void {
  expect(drawing).toMatch(/^<svg [^>]*width="1200" height="1500"/)
  expect(drawing).not.toMatch(/NaN|undefined|Infinity|null/)
  const defined = new Set([...drawing.matchAll(/ id="(\w+)"/g)].map(([, id]) => id))
  for (const [, id] of drawing.matchAll(/url\(#(\w+)\)/g)) expect(defined).toContain(id)
}

describe('a bottle', () => {
  it.each(shapeNames)('can be a %s', (shape) => expectWhole(drawBottle(facts, { ...look, shape })))
  it.each(capForms)('can have a %s cap', (cap) =>
    expectWhole(drawBottle(facts, { ...look, cap, capMaterial: 'walnut' })),
  )
  it.each(glassKinds)('can be of %s glass', (glass) => expectWhole(drawBottle(facts, { ...look, glass })))
  it.each(labelStyles)('can have a %s label', (label) => expectWhole(drawBottle(facts, { ...look, label })))
  it.each(scenes)('can stand in front of a %s', (scene) => expectWhole(drawBottle(facts, { ...look, scene })))
  it.each(moods)('can be in a %s mood', (mood) => expectWhole(drawBottle(facts, { ...look, mood })))

  it('looks the same every time, and different under another name', () => {
    const windowed = { ...look, scene: 'window' } as const
    expect(drawBottle(facts, windowed)).toBe(drawBottle(facts, windowed))
    expect(drawBottle({ ...facts, name: 'Eau Seconde' }, windowed)).not.toBe(drawBottle(facts, windowed))
  })

  it('is a picture of 4 by 5 without any font of the machine', async () => {
    const drawing = drawBottle(facts, look)
    expect(drawing).not.toContain('<text')
    const { info } = await sharp(Buffer.from(drawing)).png().toBuffer({ resolveWithObject: true })
    expect(info).toMatchObject({ width: 1200, height: 1500 })
  })

  it('is as full as it says', async () => {
    const levels = []
    for (const fullnessPercent of [15, 55, 95]) levels.push(await levelPx({ ...facts, fullnessPercent }))
    const [low, middle, high] = levels as [number, number, number]
    // Equal steps, as the flanks of this bottle are straight.
    expect(low - middle).toBeGreaterThan(150)
    expect((middle - high) / (low - middle)).toBeCloseTo(1, 1)
  })
})

/** How far from the top the first blue pixel is, in a column between label and edge of a bottle with blue juice. */
async function levelPx(given: typeof facts): Promise<number> {
  const drawing = drawBottle(given, { ...look, juice: '#1f4fd0' })
  const { data, info } = await sharp(Buffer.from(drawing))
    .extract({ left: 800, top: 0, width: 1, height: 1500 })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  for (let y = 0; y < info.height; y += 1) {
    const [red = 0, , blue = 0] = data.subarray(y * info.channels, y * info.channels + 3)
    if (blue > red + 70) return y
  }
  return info.height
}
