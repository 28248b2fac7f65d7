import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from './child.ts'

const node = (script: string, timeoutMs = 20_000, isPatient = false) =>
  run({
    label: 'probe',
    isPatient,
    program: process.execPath,
    args: ['-e', script],
    cwd: tmpdir(),
    timeoutMs,
    output: 'on-failure',
  })

describe('a program', () => {
  it('is ok when it ends with 0', async () => {
    expect(await node('')).toMatchObject({ ok: true, reason: '' })
  })

  it('says how it failed', async () => {
    expect(await node('process.exit(3)')).toMatchObject({ ok: false, reason: 'exit code 3' })
    expect(await node('process.kill(process.pid, "SIGKILL")')).toMatchObject({ ok: false, reason: 'ended by SIGKILL' })
  })

  it('says that it could not be started', async () => {
    const outcome = await run({
      label: 'probe',
      program: join(tmpdir(), 'no-such-program'),
      args: [],
      cwd: tmpdir(),
      timeoutMs: 1000,
      output: 'on-failure',
    })
    expect(outcome).toMatchObject({ ok: false, reason: expect.stringContaining('could not start') })
  })

  it('that is patient lets all others go first', async () => {
    const script = 'process.exit(require("node:os").getPriority())'
    expect(await node(script)).toMatchObject({ ok: true })
    expect(await node(script, 20_000, true)).toMatchObject({ reason: 'exit code 19' })
  })

  it('is remembered by how its output ended', async () => {
    const { lastLines } = await node('for (let line = 1; line <= 100; line += 1) console.log(line)')
    expect(lastLines).toEqual(Array.from({ length: 60 }, (_, index) => String(index + 41)))
  })

  it('is stopped at its limit', async () => {
    const outcome = await node('setInterval(() => {}, 1000)', 300)
    expect(outcome).toMatchObject({ ok: false, reason: 'stopped after its limit of 0.3 s' })
  })
})

describe('a program that leaves a child behind', () => {
  // The child holds our end of the pipe: were it still alive, the run would go on to its limit and fail.
  it('takes the child with it', async () => {
    const outcome = await node(`
      const forever = ['-e', 'setInterval(() => {}, 1000)']
      require('node:child_process').spawn(process.execPath, forever, { stdio: 'inherit' })
      process.exit(0)
    `)
    expect(outcome).toMatchObject({ ok: true, reason: '' })
  })
})
