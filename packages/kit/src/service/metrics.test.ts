import { describe, expect, it } from 'vitest'
import { counter, gauge, histogram, serveMetrics } from './metrics.ts'

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
