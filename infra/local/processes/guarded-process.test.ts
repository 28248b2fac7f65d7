import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { describe, expect, it } from 'vitest'
import { spawnGuarded } from './guarded-process.ts'
import { isAlive } from './predecessor.ts'

function guarded(script: string) {
  return spawnGuarded({
    command: '/bin/sh',
    args: ['-c', script],
    environment: { PATH: '/usr/bin:/bin' },
    stopSignal: 'SIGTERM',
    onLine: () => {},
  })
}

/** Starts another process that guards one, and returns the ids of both. */
async function supervisorWithChild(childScript: string) {
  const program = `
    import { spawnGuarded } from ${JSON.stringify(new URL('./guarded-process.ts', import.meta.url).href)}
    const child = spawnGuarded({
      command: '/bin/sh', args: ['-c', ${JSON.stringify(childScript)}], environment: { PATH: '/usr/bin:/bin' },
      stopSignal: 'SIGTERM', onLine: (line) => console.log(line === 'up' ? child.pid : line),
    })`
  const supervisor = spawn(process.execPath, ['--input-type=module', '--eval', program])
  const [line] = await once(createInterface({ input: supervisor.stdout }), 'line')
  return { supervisor, childPid: Number(line) }
}

describe('a guarded process', () => {
  it('keeps its id and reports how it ended', async () => {
    const child = guarded('echo $$; exit 5')
    expect(await child.exited).toEqual({ code: 5, signal: null })
    await eventually(() => expect(child.recentOutput()).toBe(String(child.pid)))
  })

  it('is as patient as what has started it', async () => {
    const program = `
      import { setPriority } from 'node:os'
      import { spawnGuarded } from ${JSON.stringify(new URL('./guarded-process.ts', import.meta.url).href)}
      setPriority(7)
      spawnGuarded({
        command: '/bin/sh', args: ['-c', 'sleep 0.1; nice; cat /proc/self/autogroup 2>&1'], environment: { PATH: '/usr/bin:/bin' },
        stopSignal: 'SIGTERM', onLine: console.log,
      })`
    const patient = spawn(process.execPath, ['--input-type=module', '--eval', program])
    const lines: string[] = []
    createInterface({ input: patient.stdout }).on('line', (line) => lines.push(line))
    await once(patient, 'close')
    expect(lines[0]).toBe('7')
    // Where processors are not shared by session there is no such file.
    expect(lines[1]).toMatch(/nice 7$|No such file/)
  })

  it('is stopped with its signal', async () => {
    const child = guarded('trap "exit 9" TERM; echo up; while :; do sleep 0.05; done')
    await eventually(() => expect(child.recentOutput()).toBe('up'))
    expect(await child.stop()).toEqual({ code: 9, signal: null })
    expect(isAlive(child.pid)).toBe(false)
  })

  it('is killed with all it started when it does not obey', async () => {
    const child = guarded('trap "" TERM; sleep 1000 & echo $!; wait')
    await eventually(() => expect(child.recentOutput()).not.toBe(''))
    const grandchildPid = Number(child.recentOutput())
    expect(await child.stop({ timeoutMs: 50 })).toEqual({ code: null, signal: 'SIGKILL' })
    await eventually(() => !isAlive(grandchildPid))
  })

  it('is stopped even while it is paused', async () => {
    const child = guarded('exec sleep 1000')
    child.kill('SIGSTOP')
    expect(await child.stop()).toEqual({ code: null, signal: 'SIGTERM' })
  })

  it('reports a program that does not exist', async () => {
    const child = spawnGuarded({
      command: '/nowhere/to-be-found',
      args: [],
      environment: {},
      stopSignal: 'SIGTERM',
      onLine: () => {},
    })
    expect(await child.exited).toEqual({ code: 127, signal: null })
  })
})

describe('a guarded process whose supervisor is killed', () => {
  it('ends', async () => {
    const { supervisor, childPid } = await supervisorWithChild('echo up; exec sleep 1000')
    expect(isAlive(childPid)).toBe(true)
    supervisor.kill('SIGKILL')
    await eventually(() => !isAlive(childPid))
  })

  it('ends also when it is paused', async () => {
    const { supervisor, childPid } = await supervisorWithChild('echo up; exec sleep 1000')
    process.kill(childPid, 'SIGSTOP')
    supervisor.kill('SIGKILL')
    await eventually(() => !isAlive(childPid))
  })
})
