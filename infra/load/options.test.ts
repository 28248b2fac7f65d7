import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { k6Environment, loadConfig } from './config.ts'
import { parseScripts, sized } from './options.ts'
import { scriptPlans } from './scripts.ts'

const hot = { script: 'one-hot-auction', bidders: 50, watchers: 0, auctions: 1, ratePerS: 200 }
const nothing = { bidders: undefined, watchers: undefined, auctions: undefined, ratePerS: undefined }

function namesOf(argv: readonly string[]): readonly string[] {
  const parsed = parseScripts(argv)
  return 'usage' in parsed ? [parsed.usage.split('\n')[0] ?? ''] : parsed.map(({ script }) => script)
}

describe('the command line', () => {
  it.each(scriptPlans)('can name $script, which there is', ({ script }) => {
    expect(namesOf([script])).toEqual([script])
    expect(existsSync(join(import.meta.dirname, `${script}.js`))).toBe(true)
  })

  it('means all scripts when it names none', () => {
    expect(namesOf([])).toEqual(['one-hot-auction', 'many-auctions', 'watchers'])
  })

  it('takes file names, in any order', () => {
    expect(namesOf(['watchers.js', 'one-hot-auction'])).toEqual(['one-hot-auction', 'watchers'])
  })

  it.each([
    ['sniper', 'There is no script sniper'],
    ['--help', 'Usage: npm run load [-- script …]'],
  ])('answers %s with the usage', (argument, line) => expect(namesOf([argument])).toEqual([line]))
})

describe('sizes', () => {
  it('are the script’s own when none are given', () => expect(sized(hot, nothing)).toEqual(hot))

  it('can be given, but one hot auction stays one', () => {
    const sizes = { bidders: 5, watchers: 7, auctions: 9, ratePerS: 11 }
    expect(sized(hot, sizes)).toEqual({ ...hot, bidders: 5, watchers: 7, ratePerS: 11 })
    expect(sized({ ...hot, auctions: 50 }, sizes).auctions).toBe(9)
  })

  it.each(scriptPlans)(
    'of $script stay below the limits of production',
    ({ bidders, watchers, auctions, ratePerS }) => {
      expect(bidders + watchers).toBeLessThanOrEqual(200)
      const auctionsOfABidder = Math.min(5, auctions)
      expect(ratePerS / bidders / auctionsOfABidder).toBeLessThanOrEqual(5)
      expect(ratePerS / bidders).toBeLessThanOrEqual(20)
    },
  )
})

describe('the environment of a run', () => {
  it('may be empty', () => {
    expect(loadConfig({ RATE: '' })).toMatchObject({ baseUrl: undefined, ratePerS: undefined, durationS: 10 })
  })

  it('says where to go, without a slash at the end', () => {
    expect(loadConfig({ BASE_URL: 'https://staging.example.com/' }).baseUrl).toBe('https://staging.example.com')
  })

  it('is refused with everything that is wrong in it', () => {
    const wrong = { BASE_URL: 'staging', RATE: '0', BIDDERS: 'many' }
    expect(() => loadConfig(wrong)).toThrow(/BASE_URL=staging.*\n.*BIDDERS=many.*\n.*RATE=0/)
  })

  it('reaches k6 without what would change a script’s options', () => {
    const environment = { HOME: '/home/mei', K6_VUS: '1', WATCHERS: '3', PREPARED: 'old' }
    expect(k6Environment({ PREPARED: 'new' }, environment)).toEqual({
      HOME: '/home/mei',
      PREPARED: 'new',
      K6_AUTO_EXTENSION_RESOLUTION: 'false',
    })
  })
})
