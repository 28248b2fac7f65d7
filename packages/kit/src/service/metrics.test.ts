import { beforeAll, describe, expect, it } from 'vitest'
import { counter, distribution, gauge, histogram, registry, serveMetrics, tally } from './metrics.ts'

// Test files share modules: an earlier one may have labelled the process.
beforeAll(() => registry.setDefaultLabels({}))

describe('a metric', () => {
  it('is one, however often it is asked for', async () => {
    const declaration = { name: 'kit_test_bids_total', help: 'Bids', labelNames: ['outcome'] as const }
    counter(declaration).inc({ outcome: 'won' })
    counter(declaration).inc({ outcome: 'won' }, 2)
    expect((await counter(declaration).get()).values).toMatchObject([{ labels: { outcome: 'won' }, value: 3 }])
    gauge({ name: 'kit_test_rooms', help: 'Rooms' }).set(4)
    expect((await gauge({ name: 'kit_test_rooms', help: 'Rooms' }).get()).values).toMatchObject([{ value: 4 }])
    const timing = { name: 'kit_test_duration_seconds', help: 'Time', buckets: [0.1, 1] }
    histogram(timing).observe(0.5)
    histogram(timing).observe(2)
    const count = (await histogram(timing).get()).values.find(({ metricName }) => metricName?.endsWith('_count'))
    expect(count?.value).toBe(2)
  })

  it('that counts says from the start what is known', async () => {
    const known = [{ kind: 'lost' }, { kind: 'found' }]
    const declaration = { name: 'kit_test_bottles_total', help: 'Bottles', labelNames: ['kind'] as const, known }
    counter(declaration)
    expect((await counter(declaration).get()).values).toMatchObject(known.map((labels) => ({ labels, value: 0 })))
  })
})

describe('what happens thousands of times a second', () => {
  it('is counted by a label, by everybody who asks for the same name', async () => {
    const declaration = { name: 'kit_test_answers_total', help: 'Answers', label: 'outcome' }
    tally<'yes' | 'no'>(declaration).add('yes')
    tally<'yes' | 'no'>(declaration).add('no', 3)
    tally<'yes' | 'no'>(declaration).add('yes')
    for (const _ of [1, 2]) {
      const lines = (await registry.getSingleMetricAsString('kit_test_answers_total')).split('\n')
      expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/outcome="yes".* 2$/)]))
      expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/outcome="no".* 3$/)]))
    }
  })

  it('is spread over buckets as in any other histogram', async () => {
    const declaration = { name: 'kit_test_wait_seconds', help: 'Waits', buckets: [0.1, 1] }
    const usual = histogram({ ...declaration, name: 'kit_test_usual_seconds' })
    for (const value of [0.1, 0.2, 1, 7]) {
      distribution(declaration).observe(value)
      usual.observe(value)
    }
    const said = await registry.getSingleMetricAsString('kit_test_wait_seconds')
    const expected = await registry.getSingleMetricAsString('kit_test_usual_seconds')
    const sorted = (text: string) =>
      text
        .split('\n')
        .filter((line) => !line.startsWith('#'))
        .sort()
    expect(sorted(said)).toEqual(sorted(expected.replaceAll('kit_test_usual_seconds', 'kit_test_wait_seconds')))
    expect(said).toContain('kit_test_wait_seconds_bucket{le="+Inf"} 4')
  })
})

describe('a port for metrics', () => {
  it('serves them and nothing else, until it is stopped', async () => {
    counter({ name: 'kit_test_served_total', help: 'Served' }).inc()
    const { port, stop } = await serveMetrics({ host: '127.0.0.1', port: 0 })
    const response = await fetch(`http://127.0.0.1:${port}/metrics`)
    expect(await response.text()).toMatch(/^kit_test_served_total(\{.*\})? 1$/m)
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(404)
    expect((await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })).status).toBe(404)
    await stop()
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow()
  })

  it('that is taken is an error of the start', async () => {
    const first = await serveMetrics({ host: '127.0.0.1', port: 0 })
    await expect(serveMetrics({ host: '127.0.0.1', port: first.port })).rejects.toThrow(/EADDRINUSE/)
    await first.stop()
  })
})
