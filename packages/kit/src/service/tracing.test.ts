import { afterEach, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../testing/test-server.ts'
import { startTracing, traced } from './tracing.ts'

let collector: TestServer | undefined
afterEach(() => collector?.stop())

it('stops soon, and without a failure, when the collector says nothing or is away', async () => {
  collector = await startTestServer(() => {})
  for (const endpoint of [collector.url, 'http://127.0.0.1:1']) {
    const tracing = await startTracing({ endpoint, service: 'kit', instanceId: 'kit-1', share: 1 })
    await traced({ name: 'work', isRoot: true }, async () => {})
    const stoppedAtMs = performance.now()
    await tracing.stop()
    expect(performance.now() - stoppedAtMs).toBeLessThan(3_000)
  }
})
