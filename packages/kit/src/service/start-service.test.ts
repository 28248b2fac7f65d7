import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LOG_START } from '@wangian/contracts/envelope.ts'
import { serviceStatusRequests } from '@wangian/contracts/service-status.ts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { request } from '../bus/requests.ts'
import { invariant } from '../invariant.ts'
import { requestLogPage } from '../log/log-pages.ts'
import { eventually } from '../testing/eventually.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { startTestLog, type TestLog } from '../testing/test-log.ts'
import { startTestNats, type TestNats } from '../testing/test-nats.ts'

/*
 * A service that is called catalogue and has one of everything: it writes down who was registered, and says on stdout what it does.
 */

let nats: TestNats
let database: TestDatabase
let identity: TestLog
let folder: string
const children: ChildProcess[] = []
beforeAll(async () => {
  nats = await startTestNats()
  folder = mkdtempSync(join(tmpdir(), 'wangian-service-'))
  writeFileSync(
    join(folder, '0001-people.sql'),
    '-- Up Migration\ncreate table people (id bigint);\n-- Down Migration\ndrop table people;\n',
  )
})
afterAll(async () => {
  await nats.stop()
  rmSync(folder, { recursive: true })
})
beforeEach(async () => {
  database = await createTestDatabase({ service: 'catalogue' })
  identity = await startTestLog({ service: 'identity', nats: nats.connection })
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await identity.stop()
  await database.drop()
})

interface Running {
  /** Resolves with the rest of the first line that begins so. */
  line(begin: string): Promise<string>
  signal(signal: NodeJS.Signals): void
  /** The exit code and what the service itself has said. */
  end(): Promise<{ code: number | null; said: string[] }>
}

/** Runs the service in a process of its own. @param changes statements that may change `service` before it is started */
function run(changes = ''): Running {
  const kit = (path: string) => JSON.stringify(import.meta.resolve(`../${path}`))
  const config = {
    serviceHost: '127.0.0.1',
    servicePort: 0,
    instanceId: 'catalogue-1',
    databaseUrl: database.url,
    natsUrl: nats.url,
    identityUrl: ['http://127.0.0.1:9'],
    logLevel: 'warn',
  }
  const script = `
    import { createApp } from ${kit('http/http.ts')}
    import { sql } from ${kit('database/postgres.ts')}
    import { checkTokens, startService } from ${kit('service/start-service.ts')}
    const say = (text) => console.log('say ' + text)
    const part = (name) => { say('start ' + name); return { name, stop: () => say('stop ' + name) } }
    const service = {
      name: 'catalogue',
      config: ${JSON.stringify(config)},
      migrations: new URL(${JSON.stringify(`${pathToFileURL(folder)}`)}),
      reactions: ({ onStop, config }) => {
        say('start consumers of ' + config.instanceId)
        onStop(() => say('stop consumers'))
        const UserRegistered = (transaction, { data }) =>
          transaction.query(sql.unsafe\`insert into people (id) values (\${data.userId})\`)
        return [{ source: 'identity', name: 'people', handlers: { UserRegistered } }]
      },
      parts: {
        first: async ({ pool, nats, onStop }) => {
          onStop(async () => {
            await pool.query(sql.unsafe\`select 1\`)
            say('the pool is open and NATS is ' + (nats.isClosed() ? 'closed' : 'open'))
          })
          return part('first')
        },
        second: () => part('second'),
      },
      app: (context, { first }) => {
        say('start http with ' + first.name)
        const app = createApp({ name: 'catalogue', auth: checkTokens(context), readiness: context.readiness })
        app.get('/people', () => context.pool.anyFirst(sql.unsafe\`select id from people\`))
        app.addHook('onListen', () => say('listening on ' + app.server.address().port))
        app.addHook('onClose', () => say('stop http'))
        return app
      },
      afterListen: async ({ onStop }, { second }) => {
        say('after listening, ' + second.name)
        onStop(() => say('stop what came after'))
      },
    }
    ${changes}
    startService(service)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const closed = once(child, 'close')
  const { stdout } = child
  invariant(stdout, 'stdout is piped')
  let output = ''
  stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    child.emit('output')
  })
  const said = () => output.split('\n').flatMap((text) => (text.startsWith('say ') ? [text.slice('say '.length)] : []))
  return {
    async line(begin) {
      for (;;) {
        const found = said().find((text) => text.startsWith(begin))
        if (found !== undefined && output.endsWith('\n')) return found.slice(begin.length)
        await once(child, 'output')
      }
    },
    signal: (signal) => void child.kill(signal),
    async end() {
      const [code] = (await closed) as [number | null]
      return { code, said: said().filter((text) => !text.startsWith('listening')) }
    },
  }
}

const register = (userId: number) =>
  identity.append(`user-${userId}`, {
    type: 'UserRegistered',
    data: { userId, isSeller: true, isAdmin: false, registeredAt: '2026-11-01T00:00:00.000Z' },
  })

it('starts what a service has, and stops it in the reverse order', async () => {
  await register(7)
  const service = run()
  const port = await service.line('listening on ')
  const url = `http://127.0.0.1:${port}`
  await service.line('after')
  await eventually(async () => expect(await (await fetch(`${url}/people`)).json()).toEqual([7]))
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ parts: { database: true, nats: true } })
  const types = [{ type: 'ListingCreated', after: LOG_START }]
  expect(await requestLogPage(nats.connection, 'catalogue', { types })).toMatchObject({ events: [], isEnd: true })
  const status = await request(nats.connection, 'catalogue', serviceStatusRequests.getStatus, {})
  expect(status).toMatchObject({ instanceId: 'catalogue-1', consumers: [{ consumer: 'identity-people' }] })
  service.signal('SIGTERM')
  expect(await service.end()).toEqual({
    code: 0,
    said: [
      'start first',
      'start second',
      'start consumers of catalogue-1',
      'start http with first',
      'after listening, second',
      'stop what came after',
      'stop http',
      'stop consumers',
      'stop second',
      'stop first',
      'the pool is open and NATS is open',
    ],
  })
})

it('leaves the log and those of others alone in a process that only answers', async () => {
  await register(7)
  const service = run('service.onlyAnswers = true')
  const port = await service.line('listening on ')
  await service.line('after')
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
  const types = [{ type: 'ListingCreated', after: LOG_START }]
  await expect(requestLogPage(nats.connection, 'catalogue', { types })).rejects.toThrow()
  service.signal('SIGTERM')
  const { code, said } = await service.end()
  expect(code).toBe(0)
  expect(said).not.toContain('start consumers of catalogue-1')
})

it.each([
  ['a part', `service.parts.second = () => { throw new Error('broken') }`, ['start first', 'stop first']],
  [
    'the HTTP side',
    `service.app = () => { throw new Error('broken') }`,
    ['start first', 'start second', 'start consumers of catalogue-1', 'stop consumers', 'stop second', 'stop first'],
  ],
])('stops what it has started when %s fails, and ends with 1', async (_, failure, said) => {
  expect(await run(failure).end()).toEqual({ code: 1, said: [...said, 'the pool is open and NATS is open'] })
})
