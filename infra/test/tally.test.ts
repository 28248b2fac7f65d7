import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Tally, tallyPlaywright, tallyRun, tallyVitest } from './tally.ts'

const file = (name: string, status: string, tests: Record<string, string>) => ({
  name,
  status,
  assertionResults: Object.entries(tests).map(([fullName, testStatus]) => ({ fullName, status: testStatus })),
})

describe('a report of vitest', () => {
  it('counts what passed and names what failed', () => {
    const report = { testResults: [file('bids.test.ts', 'failed', { 'takes a bid': 'passed', closes: 'failed' })] }
    expect(tallyVitest(report)).toEqual({ passed: 1, failed: ['bids.test.ts: closes'] })
  })

  it('says on one line how a failure begins, and where', () => {
    const failureMessages = [
      'AssertionError: expected 2 to be 1\n\n- 1\n+ 2\n    at bids.test.ts:7:3\n    at node:internal',
    ]
    const report = {
      testResults: [
        {
          name: 'bids.test.ts',
          status: 'failed',
          assertionResults: [{ fullName: 'closes', status: 'failed', failureMessages }],
        },
      ],
    }
    expect(tallyVitest(report).failed).toEqual([
      'bids.test.ts: closes — AssertionError: expected 2 to be 1 · - 1 · + 2 · at bids.test.ts:7:3',
    ])
  })

  it('counts a file that could not be loaded as a failure', () => {
    const report = { testResults: [file('bids.test.ts', 'failed', {})] }
    expect(tallyVitest(report)).toEqual({ passed: 0, failed: ['bids.test.ts: the file failed outside its tests'] })
  })

  it('counts a file whose tests passed and whose teardown failed as a failure', () => {
    const report = { testResults: [file('bids.test.ts', 'failed', { 'takes a bid': 'passed' })] }
    expect(tallyVitest(report)).toEqual({ passed: 1, failed: ['bids.test.ts: the file failed outside its tests'] })
  })

  it('counts a skipped test as a failure, unless a filter left it out', () => {
    const report = { testResults: [file('bids.test.ts', 'passed', { closes: 'skipped', 'takes a bid': 'passed' })] }
    expect(tallyVitest(report)).toEqual({ passed: 1, failed: ['bids.test.ts: closes (skipped, not run)'] })
    expect(tallyVitest(report, { filtered: true })).toEqual({ passed: 1, failed: [] })
  })
})

describe('a report of Playwright', () => {
  const suite = (statuses: Record<string, string>) => ({
    specs: Object.entries(statuses).map(([title, status]) => ({ title, file: 'bid.e2e.ts', tests: [{ status }] })),
  })

  it('counts nested groups, and only what passed the first time as passed', () => {
    const report = {
      suites: [{ ...suite({ 'two people bid': 'expected' }), suites: [suite({ ends: 'unexpected', waits: 'flaky' })] }],
      errors: [],
    }
    expect(tallyPlaywright(report)).toEqual({ passed: 1, failed: ['bid.e2e.ts: ends', 'bid.e2e.ts: waits (flaky)'] })
  })

  it('says how a journey failed', () => {
    const results = [{ error: { message: 'Error: the bid was not shown' } }]
    const specs = [{ title: 'ends', file: 'bid.e2e.ts', tests: [{ status: 'unexpected', results }] }]
    expect(tallyPlaywright({ suites: [{ specs }], errors: [] }).failed).toEqual([
      'bid.e2e.ts: ends — Error: the bid was not shown',
    ])
  })

  it('counts an error outside the tests, and a skipped test, as failures', () => {
    const report = { suites: [suite({ ends: 'skipped' })], errors: [{ message: 'the server did not start\n at …' }] }
    expect(tallyPlaywright(report).failed).toEqual([
      'outside the tests: the server did not start',
      'bid.e2e.ts: ends (skipped)',
    ])
  })
})

describe('a run', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'wangian-tally-'))
  })
  afterEach(() => {
    rmSync(directory, { recursive: true })
  })
  const tally = (counted: Tally | null, outcome: { ok: boolean; reason: string; lastLines: string[] }) => {
    const path = join(directory, 'report.json')
    if (counted !== null) writeFileSync(path, JSON.stringify(counted))
    return tallyRun('vitest', path, (report) => report as Tally, outcome)
  }
  const good = { ok: true, reason: '', lastLines: ['2 passed'] }
  const bad = { ok: false, reason: 'exit code 1', lastLines: ['Unhandled Rejection', 'Error: late'] }

  it('is what its report says', () => {
    expect(tally({ passed: 2, failed: ['closes'] }, bad)).toEqual({ passed: 2, failed: ['closes'] })
    expect(tally({ passed: 2, failed: [] }, good)).toEqual({ passed: 2, failed: [] })
  })

  it('fails when it ran nothing, even when the runner is content', () => {
    expect(tally({ passed: 0, failed: [] }, good).failed).toEqual(['vitest: not one test ran'])
  })

  it('fails without a report, even when the runner is content', () => {
    expect(tally(null, good).failed).toHaveLength(1)
    expect(tally(null, bad).failed).toEqual(['vitest: no report (exit code 1)'])
  })

  it('fails when the runner failed although every test passed, and says what it said last', () => {
    expect(tally({ passed: 2, failed: [] }, bad)).toEqual({
      passed: 2,
      failed: [
        'vitest: exit code 1, though no test failed. Its output ended:\n    Unhandled Rejection\n    Error: late',
      ],
    })
  })
})
