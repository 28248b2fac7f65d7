import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { natsServerBinary } from './config.ts'
import { eventually } from './eventually.ts'

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
  const storeDirectory = join(directory, 'store')
  const port = await findFreePort()
  const configFile = join(directory, 'nats.conf')
  writeFileSync(configFile, `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${storeDirectory}" }\n`)
  const url = `nats://127.0.0.1:${port}`
  let server = await startServer(configFile, url)
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
    storeDirectory,
    kill: () => stopServer(server),
    async restart() {
      server = await startServer(configFile, url)
    },
    async stop() {
      await connection.close()
      await stopServer(server)
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function startServer(configFile: string, url: string): Promise<ChildProcess> {
  // The shell kills the server when its stdin ends, which it does at the latest when this process dies.
  const script = '"$0" -c "$1" & server=$!; read -r _; kill -9 $server; wait $server'
  const shell = spawn('sh', ['-c', script, natsServerBinary(), configFile], { stdio: ['pipe', 'ignore', 'ignore'] })
  await eventually(async () => {
    const probe = await connect({ servers: url, reconnect: false, timeout: 500 })
    await probe.close()
  })
  return shell
}

async function stopServer(shell: ChildProcess): Promise<void> {
  if (shell.exitCode !== null) return
  const exited = new Promise((resolve) => shell.once('exit', resolve))
  shell.stdin?.end()
  await exited
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no TCP address')
  return address.port
}
