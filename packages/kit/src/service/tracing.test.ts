import { afterEach, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer } from '../testing/test-server.ts'
import { startTracing, traced } from './tracing.ts'

let collector: TestServer | undefined
afterEach(() => {
  vi.useRealTimers()
  return collector?.stop()
})

it('stops soon, and without a failure, when the collector says nothing or is away', async () => {
  collector = await startTestServer(() => {})
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  for (const endpoint of [collector.url, 'http://127.0.0.1:1']) {
    const tracing = await startTracing({ endpoint, service: 'kit', instanceId: 'kit-1', share: 1 })
    await traced({ name: 'work', isRoot: true }, async () => {})
    const stopped = tracing.stop()
    await vi.advanceTimersByTimeAsync(3_000)
    await expect(stopped).resolves.toBeUndefined()
  }
})
