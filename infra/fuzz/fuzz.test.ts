import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fuzzFrames } from './frames-fuzzer.ts'
import { fuzzCursors, fuzzRoutes } from './routes-fuzzer.ts'
import { type FuzzSite, startFuzzSite } from './site.ts'

let site: FuzzSite

beforeAll(async () => {
  site = await startFuzzSite()
}, 120_000)

afterAll(async () => {
  await site?.stop()
})

/** Others are drawn by `npm run fuzz`. */
const seeds = [1, 2, 3]

describe('hostile input', () => {
  it.each(seeds)('in requests is refused as declared (seed %i)', async (seed) => {
    const { faults, requests } = await fuzzRoutes(site, seed)
    expect(faults).toEqual([])
    expect(requests).toBeGreaterThan(80)
  })

  it('in cursors is refused as declared', async () => {
    const { faults, requests } = await fuzzCursors(site)
    expect(faults).toEqual([])
    expect(requests).toBeGreaterThan(80)
  })

  it.each(seeds)('in frames is refused as declared (seed %i)', async (seed) => {
    const { faults, frames } = await fuzzFrames(site, seed)
    expect(faults).toEqual([])
    expect(frames).toBeGreaterThan(50)
  })

  it('leaves every process alive and healthy', async () => {
    await site.requireHealth()
    expect(site.complaints).toEqual([])
  })
})
