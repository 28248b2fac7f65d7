import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LOOK_EVERY_MS = 10_000
/** Of the time between two looks. */
const QUIET_MAX = 0.05
/** To look through this much takes some 200 ms. Whoever holds more is at work already, and others would feel the pause. */
const HEAP_MAX_BYTES = 64 * 1024 * 1024

/**
 * Gives back once what starting has left in the heap, as soon as the process has little to do: V8 collects when it needs room, which a process
 * in peace does not, and would hold a third of its memory for nothing.
 */
export function collectOnceQuiet({ lookEveryMs = LOOK_EVERY_MS, heapMaxBytes = HEAP_MAX_BYTES } = {}): void {
  let before: EventLoopUtilization = performance.eventLoopUtilization()
  const looks = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > QUIET_MAX) return
    clearInterval(looks)
    if (getHeapStatistics().used_heap_size <= heapMaxBytes) exposedCollector()()
  }, lookEveryMs).unref()
}

/** The collector as `node --expose-gc` has it, in the only way that also gives the emptied pages back to the system. */
function exposedCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void
  return () => collect({ type: 'major', flavor: 'last-resort' })
}
