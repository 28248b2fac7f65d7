import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { invariant } from '../invariant.ts'

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

interface Service {
  /** Resolves when stdout has a line that contains `text`. */
  line(text: string): Promise<void>
  signal(signal: NodeJS.Signals): void
  hangUp(): void
  /** The exit code, the lines that the service itself has written, and those of its log. */
  end(): Promise<{ code: number | null; said: string[]; logged: string[] }>
}

/** Runs `runService` with this body of `start` in a process of its own. `say` writes a line. */
function service(start: string, options = ''): Service {
  const script = `import { runService } from ${JSON.stringify(import.meta.resolve('./lifecycle.ts'))}
    const say = (text) => console.log('say ' + text)
    const forever = new Promise(() => {})
    setInterval(() => {}, 1000)
    runService({ name: 'test', ${options} start: async (onStop) => { ${start} } })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  children.push(child)
  // Not `close`: it never comes for a child whose channel we have closed ourselves.
  const exited = once(child, 'exit')
  const { stdout } = child
  invariant(stdout, 'stdout is piped')
  const read = once(stdout, 'end')
  let output = ''
  stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    child.emit('output')
  })
  return {
    async line(text) {
      while (!output.includes(text)) await once(child, 'output')
    },
    signal: (signal) => void child.kill(signal),
    hangUp: () => child.disconnect(),
    async end() {
      const [code] = (await exited) as [number | null]
      await read
      const lines = output.split('\n')
      const said = lines.flatMap((line) => (line.startsWith('say ') ? [line.slice('say '.length)] : []))
      return { code, said, logged: lines.filter((line) => line.startsWith('{')) }
    },
  }
}

const steps = `
  onStop(() => say('pool'), 'pool')
  onStop(async () => { await null; say('nats') }, 'nats')
  onStop(() => say('http'), 'http')
`

describe('a running service', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('takes itself down in reverse order at %s', async (signal) => {
    const running = service(steps)
    await running.line('"started"')
    running.signal(signal)
    expect(await running.end()).toMatchObject({ code: 0, said: ['http', 'nats', 'pool'] })
  })

  it('ends when its parent does', async () => {
    const running = service(steps)
    await running.line('"started"')
    running.hangUp()
    expect(await running.end()).toMatchObject({ code: 0, said: ['http', 'nats', 'pool'] })
  })

  it('goes on stopping when a step fails, and says so by its exit code', async () => {
    const running = service(`${steps} onStop(() => { throw new Error('stuck') })`)
    await running.line('"started"')
    running.signal('SIGTERM')
    expect(await running.end()).toMatchObject({ code: 1, said: ['http', 'nats', 'pool'] })
  })

  it('takes two signals in a row for one wish', async () => {
    const running = service(`onStop(() => new Promise((resolve) => setTimeout(resolve, 300))) ; ${steps}`)
    await running.line('"started"')
    running.signal('SIGINT')
    await running.line('"stopping"')
    running.signal('SIGTERM')
    expect(await running.end()).toMatchObject({ code: 0, said: ['http', 'nats', 'pool'] })
  })

  it('goes on stopping when its parent ends and it is told so as well', async () => {
    const running = service(`onStop(() => new Promise((resolve) => setTimeout(resolve, 300))) ; ${steps}`)
    await running.line('"started"')
    running.hangUp()
    await running.line('"stopping"')
    running.signal('SIGTERM')
    expect(await running.end()).toMatchObject({ code: 0, said: ['http', 'nats', 'pool'] })
  })

  it('goes on stopping after an error that nobody handled, and says so by its exit code', async () => {
    const running = service(`${steps}
      onStop(() => new Promise((resolve) => setTimeout(resolve, 100)))
      onStop(() => void Promise.reject(new Error('bug')))`)
    await running.line('"started"')
    running.signal('SIGTERM')
    expect(await running.end()).toMatchObject({ code: 1, said: ['http', 'nats', 'pool'] })
  })

  it('ends at once at a later second signal', async () => {
    const running = service(`onStop(() => { setTimeout(() => say('waited'), 600); return forever })`)
    await running.line('"started"')
    running.signal('SIGTERM')
    await running.line('say waited')
    running.signal('SIGTERM')
    expect((await running.end()).code).toBe(1)
  })

  it('does not wait for ever for a step', async () => {
    const running = service('onStop(() => forever)', 'stopDeadlineMs: 200,')
    await running.line('"started"')
    running.signal('SIGTERM')
    expect((await running.end()).code).toBe(1)
  })

  it.each([
    ['an error that nobody handled', "setTimeout(() => { throw new Error('bug') })"],
    ['a promise that nobody handled', "void Promise.reject(new Error('bug'))"],
  ])('stops with 1 after %s', async (_, bug) => {
    const running = service(`${steps} ${bug}`)
    expect(await running.end()).toMatchObject({ code: 1, said: ['http', 'nats', 'pool'] })
  })
})

describe('a service that cannot start', () => {
  it('closes what it had opened and ends with 1', async () => {
    const running = service(`${steps} throw new Error('no database')`)
    expect(await running.end()).toMatchObject({ code: 1, said: ['http', 'nats', 'pool'] })
  })
})

describe('a service that cannot start before somebody mends something', () => {
  it('says what and no more, and ends with the code that nobody tries again after', async () => {
    const errors = JSON.stringify(import.meta.resolve('../errors.ts'))
    const running = service(`${steps}
      const { StartError } = await import(${errors})
      throw new StartError('mend this', { cause: new Error('within') })`)
    await running.line('"msg":"mend this"')
    const { code, said, logged } = await running.end()
    expect({ code, said }).toEqual({ code: 78, said: ['http', 'nats', 'pool'] })
    expect(logged.filter((line) => line.includes('within') || line.includes('    at '))).toEqual([])
  })
})

describe('a service that is told to stop while it starts', () => {
  it('ends with 0 without having started', async () => {
    const running = service(`${steps} say('waiting'); await forever`)
    await running.line('say waiting')
    running.signal('SIGTERM')
    expect(await running.end()).toMatchObject({ code: 0, said: ['waiting', 'http', 'nats', 'pool'] })
  })

  it('closes what it opens meanwhile', async () => {
    const running = service(`
      let go
      const told = new Promise((resolve) => { go = resolve })
      onStop(async () => { say('first'); go(); await new Promise((resolve) => setTimeout(resolve, 100)) })
      say('waiting')
      await told
      onStop(() => say('late'))
    `)
    await running.line('say waiting')
    running.signal('SIGTERM')
    expect(await running.end()).toMatchObject({ code: 0, said: ['waiting', 'first', 'late'] })
  })
})
