import { once } from 'node:events'
import { findFreePort } from '@wangian/kit/free-port.ts'
import { openWatchers } from '../load/watchers.ts'
import { repositoryRoot } from '../local/config.ts'
import { launchService } from '../local/processes/service-process.ts'
import type { FanOutResult } from './fan-out-server.ts'
import { type BenchOptions, interleave, type Turn } from './rounds.ts'
import type { Samples } from './statistics.ts'

const WATCHERS = 1000
const GROUPS = 30
const FRAMES_PER_TICK = 8
const EVERYTHING_ARRIVES_WITHIN_MS = 10_000

export const fanOutName = (how: 'bare' | 'hub', framesPerGroup: number) =>
  `${how === 'bare' ? 'ws.send loop' : 'room'}, ${framesPerGroup} per ${framesPerGroup === 1 ? 'write' : 'tick'}, deliveries per CPU second`

/**
 * G3: what it costs the sending process to bring a frame to a thousand sockets, by its processor time: how often a room may send is a
 * matter of pacing and measured with G3c. All ways use the same sockets.
 */
export async function measureFanOut(samples: Samples, options: BenchOptions): Promise<void> {
  const port = await findFreePort()
  const server = launchService({
    args: [new URL('./fan-out-server.ts', import.meta.url).pathname, String(port)],
    workingDirectory: repositoryRoot,
    environment: {},
    url: `http://127.0.0.1:${port}`,
    onLine: (line) => console.error(`fan-out: ${line}`),
  })
  try {
    await server.ready
    const watchers = await openWatchers(`ws://127.0.0.1:${port}/ws`, 1, WATCHERS)
    let expected = watchers.frames
    const run = async (how: 'bare' | 'hub', framesPerGroup: number, groups = GROUPS): Promise<number> => {
      expected += WATCHERS * groups * framesPerGroup
      const answer = await fetch(`http://127.0.0.1:${port}/${how}/${groups}/${framesPerGroup}`)
      const { cpuMs } = (await answer.json()) as FanOutResult
      const deadlineMs = performance.now() + EVERYTHING_ARRIVES_WITHIN_MS
      while (watchers.frames < expected && performance.now() < deadlineMs) await once(AbortSignal.timeout(5), 'abort')
      if (watchers.frames !== expected) throw new Error(`${watchers.frames} frames arrived of ${expected}`)
      return (WATCHERS * groups * framesPerGroup * 1000) / cpuMs
    }
    // Until everything is compiled.
    for (const how of ['bare', 'hub'] as const) await run(how, FRAMES_PER_TICK, 5)
    const turns = (['bare', 'hub'] as const).flatMap((how) =>
      [1, FRAMES_PER_TICK].map(
        (framesPerGroup): Turn =>
          async () => {
            samples.add(fanOutName(how, framesPerGroup), await run(how, framesPerGroup))
          },
      ),
    )
    await interleave(turns, samples, options)
    await watchers.close()
  } finally {
    await server.stop()
  }
}
