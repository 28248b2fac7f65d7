import { describe, expect, it } from 'vitest'
import { parseRunOptions } from './options.ts'

describe('the command line of npm test', () => {
  it('runs everything when nothing is asked for', () => {
    expect(parseRunOptions([])).toEqual({ stages: ['check', 'vitest', 'browser'], vitestFilters: [] })
  })

  it('runs the stages that are asked for', () => {
    expect(parseRunOptions(['--only=check,browser'])).toEqual({ stages: ['check', 'browser'], vitestFilters: [] })
    expect(parseRunOptions(['--only=check', '--only=vitest'])).toMatchObject({ stages: ['check', 'vitest'] })
  })

  it('passes filters to vitest, and runs nothing else then', () => {
    expect(parseRunOptions(['services/auction', '--', '-t', 'closes'])).toEqual({
      stages: ['vitest'],
      vitestFilters: ['services/auction', '-t', 'closes'],
    })
  })

  it('explains itself when it is not understood', () => {
    expect(parseRunOptions(['--only=everything'])).toHaveProperty('usage')
    expect(parseRunOptions(['--fast'])).toHaveProperty('usage')
  })
})
