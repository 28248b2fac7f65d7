import { describe, expect, it } from 'vitest'
import { k6Environment, loadConfig } from './config.ts'
import { type GivenSizes, parseScripts, sized } from './options.ts'
import { type ScriptPlan, scriptPlans } from './scripts.ts'

const planOf = (script: string) => scriptPlans.find((plan) => plan.script === script) as ScriptPlan
const nothing = loadConfig({}).sizes

function namesOf(argv: readonly string[]): readonly string[] {
  const parsed = parseScripts(argv)
  return 'usage' in parsed ? [parsed.usage.split('\n')[0] ?? ''] : parsed.plans.map(({ script }) => script)
}

describe('the command line', () => {
  it.each(scriptPlans)('can name $script', ({ script }) => expect(namesOf([script])).toEqual([script]))

  it('means all scripts but the long one when it names none', () => {
    expect(namesOf([])).toEqual(['one-hot-auction', 'many-auctions', 'watchers', 'mix', 'deals'])
  })

  it('takes names in any order', () => {
    expect(namesOf(['watchers', 'one-hot-auction'])).toEqual(['one-hot-auction', 'watchers'])
  })

  it('may say how long a script goes on', () => {
    expect(parseScripts(['soak', '--minutes', '30'])).toMatchObject({ durationS: 1800 })
    expect(parseScripts(['soak'])).toMatchObject({ durationS: undefined })
  })

  it.each([
    ['sniper', 'There is no script sniper'],
    ['--help', 'Usage: npm run load [-- script … [--minutes N]]'],
    ['--minutes=soon', 'Usage: npm run load [-- script … [--minutes N]]'],
  ])('answers %s with the usage', (argument, line) => expect(namesOf([argument])).toEqual([line]))
})

describe('sizes', () => {
  const given: GivenSizes = { ...nothing, bidders: 5, watchers: 7, auctions: 9, ratePerS: 11, visitors: 3, pairs: 2 }

  it('are the script’s own when none are given', () => {
    expect(sized(planOf('one-hot-auction'), nothing)).toEqual(planOf('one-hot-auction'))
  })

  it('can be given, but one hot auction stays one', () => {
    const hot = planOf('one-hot-auction')
    expect(sized(hot, given)).toEqual({ ...hot, bidders: 5, watchers: 7, ratePerS: 11 })
    expect(sized(planOf('many-auctions'), given).auctions).toBe(9)
  })

  it('make nobody do what a script does not have', () => {
    const deals = planOf('deals')
    expect(sized(deals, given)).toEqual({ ...deals, pairs: 2 })
  })

  it.each(scriptPlans)('of $script stay below the limits of production', (plan) => {
    const { bidders, watchers, pairs, auctions, ratePerS, pagesPerS } = plan
    expect(bidders + watchers + 2 * pairs).toBeLessThanOrEqual(200)
    // A page asks for up to seven things, and a gateway answers 600 a minute.
    expect(pagesPerS * 7 * 60).toBeLessThanOrEqual(600 * 3)
    if (bidders === 0) return
    expect(ratePerS / bidders / Math.min(5, auctions)).toBeLessThanOrEqual(5)
    expect(ratePerS / bidders).toBeLessThanOrEqual(20)
  })
})

describe('the environment of a run', () => {
  it('may be empty', () => {
    expect(loadConfig({ RATE: '' })).toMatchObject({
      baseUrl: undefined,
      sizes: { ratePerS: undefined },
      durationS: 10,
      processes: 1,
    })
  })

  it('says where to go, without a slash at the end', () => {
    expect(loadConfig({ BASE_URL: 'https://staging.example.com/' }).baseUrl).toBe('https://staging.example.com')
  })

  it('says whether the system is disturbed, and where its mails are', () => {
    expect(loadConfig({})).toMatchObject({ isDisturbed: false, mailpitUrl: undefined })
    const given = { DISTURBED: '1', MAILPIT_URL: 'http://localhost:8025/' }
    expect(loadConfig(given)).toMatchObject({ isDisturbed: true, mailpitUrl: 'http://localhost:8025' })
  })

  it('is refused with everything that is wrong in it', () => {
    const wrong = { BASE_URL: 'staging', RATE: '0', BIDDERS: 'many' }
    expect(() => loadConfig(wrong)).toThrow(/BASE_URL=staging.*\n.*BIDDERS=many.*\n.*RATE=0/)
  })

  it('reaches k6 without what would change a script’s options', () => {
    const environment = { HOME: '/home/mei', K6_VUS: '1', WATCHERS: '3', PROCESSES: '2', PREPARED: 'old' }
    expect(k6Environment({ PREPARED: 'new' }, environment)).toEqual({
      HOME: '/home/mei',
      PREPARED: 'new',
      K6_AUTO_EXTENSION_RESOLUTION: 'false',
    })
  })
})
