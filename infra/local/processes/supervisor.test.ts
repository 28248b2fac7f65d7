import { findFreePort } from '@wangian/kit/free-port.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { isAlive } from './predecessor.ts'
import { launchService } from './service-process.ts'
import { type SupervisedProcess, startWithin, supervise } from './supervisor.ts'

const server = `
  import { createServer } from 'node:http'
  process.once('SIGTERM', () => process.exit(0))
  process.on('SIGUSR2', () => process.exit(3))
  createServer((request, response) => response.end()).listen(process.env.SERVICE_PORT, '127.0.0.1')`

const started: SupervisedProcess[] = []
afterEach(() => Promise.all(started.splice(0).map((supervised) => supervised.stop())))

async function supervised(script: string) {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const lines: string[] = []
  const supervisedProcess = supervise({
    name: 'probe',
    log: (line) => lines.push(line),
    launch: async () =>
      launchService({
        args: ['--input-type=module', '--eval', script],
        workingDirectory: '/',
        environment: { SERVICE_PORT: String(port) },
        url,
        onLine: () => {},
      }),
  })
  started.push(supervisedProcess)
  return { probe: supervisedProcess, url, lines }
}

describe('a running process', () => {
  it('is started again at once when it is killed, on the same port', async () => {
    const { probe, url, lines } = await supervised(server)
    await probe.start()
    const { pid } = probe
    expect(await probe.kill()).toEqual({ code: null, signal: 'SIGKILL' })
    await probe.whenReady()
    expect(probe.pid).not.toBe(pid)
    expect(probe.restarts).toBe(1)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    expect(lines).toEqual(['was ended by SIGKILL; starting again'])
  })

  it('waits longer before each further start, except when it was fenced', async () => {
    const { probe, lines } = await supervised(server)
    await probe.start()
    for (const signal of ['SIGKILL', 'SIGKILL', 'SIGUSR2'] as const) {
      await probe.kill(signal)
      await probe.whenReady()
    }
    expect(lines).toEqual([
      'was ended by SIGKILL; starting again',
      'was ended by SIGKILL; starting again in 250 ms',
      'ended with code 3; starting again',
    ])
  })

  it('can be asked to start without the wait', async () => {
    const { probe } = await supervised(server)
    await probe.start()
    for (let crash = 0; crash < 4; crash++) {
      await probe.kill()
      await probe.start()
    }
    expect(probe.restarts).toBe(4)
  })

  it('stays down when it is stopped, until it is started', async () => {
    const { probe } = await supervised(server)
    await probe.start()
    const { pid } = probe
    await probe.stop()
    expect(probe.pid).toBeUndefined()
    expect(isAlive(pid ?? 0)).toBe(false)
    await expect(probe.whenReady()).rejects.toThrow('probe is stopped')
    await probe.start()
    expect(probe.pid).toBeDefined()
    expect(probe.restarts).toBe(0)
  })

  it('answers no more while it is paused, and again afterwards', async () => {
    const { probe, url } = await supervised(server)
    await probe.start()
    probe.pause()
    await expect(fetch(`${url}/readyz`, { signal: AbortSignal.timeout(200) })).rejects.toThrow('timeout')
    probe.resume()
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
  })
})

describe('a process that takes long until it is ready', () => {
  const slow = `setTimeout(() => {${server}}, 700)`.replace("import { createServer } from 'node:http'", '')

  it('is waited for, and said to take long', async () => {
    const { probe } = await supervised(`import { createServer } from 'node:http'; ${slow}`)
    const said: string[] = []
    await startWithin(probe, { noticeMs: 100, timeoutMs: 30_000, log: (line) => said.push(line) })
    expect(said).toEqual([expect.stringContaining('probe runs and is not ready yet')])
  })

  it('is given up at last', async () => {
    const { probe } = await supervised('setInterval(() => {}, 1000)')
    const starting = startWithin(probe, { noticeMs: 10_000, timeoutMs: 100, log: () => {} })
    await expect(starting).rejects.toThrow('probe runs but was not ready within 0.1 s.')
  })
})

describe('a process that cannot start', () => {
  it('is given up after three attempts, with what it said', async () => {
    const { probe, lines } = await supervised(`console.error('no such table'); process.exit(4)`)
    await expect(probe.start()).rejects.toThrow(/probe does not start: it ended before it was ready:\nno such table/)
    expect(lines).toEqual(['ended with code 4; starting again', 'ended with code 4; starting again in 250 ms'])
    expect(probe.pid).toBeUndefined()
  })

  it('is given up at once when only a change of its environment can help', async () => {
    const { probe, lines } = await supervised('process.exit(78)')
    await expect(probe.start()).rejects.toThrow(/probe does not start/)
    expect(lines).toEqual([])
  })
})
