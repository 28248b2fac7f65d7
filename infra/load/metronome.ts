import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Closer beats are joined; whoever is called does everything that is due. */
const BEAT_MIN_MS = 0.2

/*
 * Sleeps by futex, which is exact to some 50 µs and costs nothing meanwhile. Node's own timers have a grain of a whole millisecond,
 * which is as long as the latencies that are measured here, and waiting in a loop would take one of few cores away.
 */
const worker = `
const { parentPort, workerData } = require('node:worker_threads')
const { periodMs, untilMs, originMs } = workerData
const nothing = new Int32Array(new SharedArrayBuffer(4))
const now = () => performance.timeOrigin + performance.now() - originMs
for (let dueMs = now(); dueMs < untilMs; dueMs += periodMs) {
  const waitMs = dueMs - now()
  if (waitMs > 0) Atomics.wait(nothing, 0, 0, waitMs)
  parentPort.postMessage(0)
}
`

/** Calls `beat` about every `periodMs` until `untilMs` (as of `performance.now()`); resolves after the last one. */
export async function beatUntil(untilMs: number, periodMs: number, beat: () => void): Promise<void> {
  const metronome = new Worker(worker, {
    eval: true,
    workerData: { periodMs: Math.max(periodMs, BEAT_MIN_MS), untilMs, originMs: performance.timeOrigin },
  })
  metronome.on('message', beat)
  await once(metronome, 'exit')
}
