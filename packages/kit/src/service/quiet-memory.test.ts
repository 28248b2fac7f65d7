import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

const module = new URL('./quiet-memory.ts', import.meta.url)

/** Runs a program that holds 64 MB and lets go of them, and says how many of them its heap has some looks later. */
async function leftAfter({ meanwhile = '', heapMaxMegabytes = 96 }): Promise<number> {
  const program = `
    const { collectOnceQuiet } = await import('${module}')
    let held = Array.from({ length: 64 }, () => Array.from({ length: 131072 }, () => 1.5))
    const before = process.memoryUsage().heapUsed
    held = null
    collectOnceQuiet({ lookEveryMs: 50, heapMaxBytes: ${heapMaxMegabytes} * 1048576 })
    ${meanwhile}
    setTimeout(() => {
      console.log((before - process.memoryUsage().heapUsed) / 1048576)
      process.exit(0)
    }, 600)`
  return 64 - (await saidBy(program))
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
  await once(child, 'exit')
  return Number(said)
}

it('gives back what a process in peace does not need any more', async () => {
  expect(await leftAfter({})).toBeLessThan(16)
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
    setTimeout(() => {
      const { heapTotal, heapUsed } = process.memoryUsage()
      console.log((heapTotal - heapUsed) / 1048576)
      process.exit(0)
    }, 600)`
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
