import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { findFreePort } from '../free-port.ts'
import { natsOfTests } from './config.ts'
import { eventually } from './eventually.ts'
import { natsConfig, type RestartableNats } from './restartable-nats.ts'

export interface TestNats {
  readonly url: string
  /** Reconnects for ever, quickly. */
  readonly connection: NatsConnection
  /** As a crash does. */
  kill(): Promise<void>
  /** Starts it again, on the same port and with what its store holds. */
  restart(): Promise<void>
  /** The folder of the JetStream store. May be copied, changed and removed while the server is down. */
  readonly storeDirectory: string
  stop(): Promise<void>
}

/** A NATS server of one's own: the streams of a server belong to services, so two test files must not share them. */
export async function startTestNats(): Promise<TestNats> {
  const directory = mkdtempSync(join(tmpdir(), 'wangian-nats-'))
  const port = await findFreePort()
  const nats = natsOfTests()
  // Whoever needs no container does not wait for all that it takes.
  const server =
    'image' in nats
      ? (await import('./nats-container.ts')).inContainer(nats.image, directory, port)
      : asProcess(nats.binary, directory, port)
  const url = `nats://127.0.0.1:${port}`
  const start = async () => {
    await server.start()
    await untilAnswering(url)
  }
  await start()
  const connection = await connect({
    servers: url,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 50,
    reconnectJitter: 0,
    noAsyncTraces: true,
  })
  return {
    url,
    connection,
    storeDirectory: join(directory, 'store'),
    kill: () => server.kill(),
    restart: start,
    async stop() {
      await connection.close()
      await server.remove()
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function asProcess(binary: string, directory: string, port: number): RestartableNats {
  const configFile = join(directory, 'nats.conf')
  writeFileSync(configFile, natsConfig(`127.0.0.1:${port}`, join(directory, 'store')))
  let shell: ChildProcess | undefined
  const kill = async () => {
    if (shell === undefined || shell.exitCode !== null) return
    const exited = once(shell, 'exit')
    shell.stdin?.end()
    await exited
  }
  return {
    async start() {
      // The shell kills the server when its stdin ends, which it does at the latest when this process dies.
      const script = '"$0" -c "$1" & server=$!; read -r _; kill -9 $server; wait $server'
      shell = spawn('sh', ['-c', script, binary, configFile], { stdio: ['pipe', 'ignore', 'ignore'] })
    },
    kill,
    remove: kill,
  }
}

async function untilAnswering(url: string): Promise<void> {
  await eventually(async () => {
    const probe = await connect({ servers: url, reconnect: false, timeout: 500 })
    await probe.close()
  })
}
