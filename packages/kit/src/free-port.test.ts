import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { findFreePort } from './free-port.ts'

describe('a free port', () => {
  const MANY = 400
  const findMany = async () => {
    const ports: number[] = []
    for (let count = 0; count < MANY; count++) ports.push(await findFreePort())
    return ports
  }

  it('is given to nobody else, in this process or another one', async () => {
    const script = `
      import { findFreePort } from ${JSON.stringify(new URL('./free-port.ts', import.meta.url).href)}
      for (let count = 0; count < ${MANY}; count++) console.log(await findFreePort())
      process.stdin.resume()`
    const other = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'pipe' })
    const ended = once(other, 'exit')
    const theirs: number[] = []
    for await (const line of createInterface(other.stdout)) if (theirs.push(Number(line)) === MANY) break
    const ours = await findMany()
    other.kill()
    await ended
    expect(new Set([...ours, ...theirs]).size).toBe(2 * MANY)
  })
})
