import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

const module = new URL('./quiet-memory.ts', import.meta.url)

/** Some looks. */
const A_WHILE_MS = 600
/** For what has to come, also on a machine that others use. */
const AT_LAST_MS = 30_000

interface Wait {
  readonly max?: number
  readonly withinMs?: number
}

/** Says a number as soon as it is small enough, or what it is after so long. */
const sayOnce = (number: string, { max = 0, withinMs = A_WHILE_MS }: Wait) => `
    const giveUpAtMs = performance.now() + ${withinMs}
    setInterval(() => {
      const number = ${number}
      if (number >= ${max} && performance.now() < giveUpAtMs) return
      console.log(number)
      process.exit(0)
    }, 100)`

/** Runs a program that holds 64 MB and lets go of them, and says how many of them its heap still has at last. */
async function leftAfter({
  meanwhile = '',
  heapMaxMegabytes = 96,
  ...wait
}: Wait & { readonly meanwhile?: string; readonly heapMaxMegabytes?: number }): Promise<number> {
  const program = `
    const { collectOnceQuiet } = await import('${module}')
    let held = Array.from({ length: 64 }, () => Array.from({ length: 131072 }, () => 1.5))
    const before = process.memoryUsage().heapUsed
    held = null
    collectOnceQuiet({ lookEveryMs: 50, heapMaxBytes: ${heapMaxMegabytes} * 1048576 })
    ${meanwhile}
    ${sayOnce('64 - (before - process.memoryUsage().heapUsed) / 1048576', wait)}`
  return saidBy(program)
}

/**
 * A heap that may be large from the start is never collected by V8 itself, which would give back what the tests expect to stay.
 *
 * @returns the number that a program prints
 */
async function saidBy(program: string): Promise<number> {
  const child = spawn(process.execPath, ['--initial-heap-size=1024', '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk) => (said += chunk))
  await once(child, 'close')
  return Number(said)
}

it('gives back what a process in peace does not need any more', async () => {
  expect(await leftAfter({ max: 16, withinMs: AT_LAST_MS })).toBeLessThan(16)
})

it('gives emptied pages back to the system', async () => {
  // What survives a while makes room for what comes next, which V8 keeps.
  const program = `
    const { collectOnceQuiet } = await import('${module}')
    let recent = []
    for (let round = 0; round < 200; round++) {
      recent = Array.from({ length: 20_000 }, () => ({ round, of: recent.length }))
    }
    recent = null
    collectOnceQuiet({ lookEveryMs: 50 })
    const emptyBytes = ({ heapTotal, heapUsed }) => heapTotal - heapUsed
    ${sayOnce('emptyBytes(process.memoryUsage()) / 1048576', { max: 4, withinMs: AT_LAST_MS })}`
  expect(await saidBy(program)).toBeLessThan(4)
})

it('leaves a busy process alone', async () => {
  // Four fifths of its time its loop is held up, by nothing that fills the heap.
  const meanwhile = `
    const never = new Int32Array(new SharedArrayBuffer(4))
    setInterval(() => Atomics.wait(never, 0, 0, 20), 25)`
  expect(await leftAfter({ meanwhile })).toBeGreaterThan(48)
})

it('leaves one alone that holds so much that others would feel it', async () => {
  expect(await leftAfter({ heapMaxMegabytes: 32 })).toBeGreaterThan(48)
})
