import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LOOK_EVERY_MS = 10_000
/** Of the time between two looks. */
const QUIET_MAX = 0.05
/** Of what was left the last time; less is not worth the pause of some 50 ms. */
const GROWTH_MIN = 1.3

/**
 * Gives back what starting, or a busy time, has left in the heap, as soon as the process has little to do: V8 collects when it needs room, which
 * a process in peace does not, and holds a third of its memory for nothing.
 */
export function collectWhenQuiet({ lookEveryMs = LOOK_EVERY_MS } = {}): void {
  let collect: (() => void) | undefined
  let keptBytes = 0
  let before: EventLoopUtilization = performance.eventLoopUtilization()
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > QUIET_MAX || getHeapStatistics().total_heap_size < keptBytes * GROWTH_MIN) return
    collect ??= exposedCollector()
    collect()
    keptBytes = getHeapStatistics().total_heap_size
  }, lookEveryMs).unref()
}

/** The collector as `node --expose-gc` has it. */
function exposedCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
