import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readComposeFile } from '../docker/testing/compose-file.ts'
import { natsServerConfig } from '../nats/server-config.ts'
import type { TestConfig } from './config.ts'

/** What the tests take from `docker-compose.yml`, by its name there. */
const parts = ['postgres', 'nats', 'mailpit', 'storage'] as const
type Part = (typeof parts)[number]

/** The image of a part, as `docker-compose.yml` names it. */
export function imageOf(part: Part): string {
  const container = readComposeFile().get(part)
  if (container === undefined) throw new Error(`docker-compose.yml has no ${part}`)
  return container.image
}

/** How the servers of the tests are started, with a sentence for whoever looks. */
export interface Choice {
  readonly usesContainers: boolean
  readonly says: string
}

/** What there is to run containers with: the images that the engine does not have, or why there is no engine. */
type Engine = { readonly missing: readonly string[] } | { readonly problem: string }

/**
 * Containers where an engine answers that has the images; nothing is ever fetched.
 * @param wanted TEST_CONTAINERS, if it says anything
 * @throws when containers are asked for and cannot be had
 */
export function choose(wanted: boolean | undefined, engine: Engine): Choice {
  if (wanted === false) return { usesContainers: false, says: 'embedded, as TEST_CONTAINERS=0 asks for' }
  const problem =
    'problem' in engine
      ? engine.problem
      : engine.missing.length > 0
        ? `the Docker engine has no ${engine.missing.join(', no ')}`
        : undefined
  if (problem === undefined) return { usesContainers: true, says: 'in containers' }
  if (wanted === true) throw new Error(`TEST_CONTAINERS=1 asks for containers, but ${problem}`)
  return { usesContainers: false, says: `embedded: ${problem}` }
}

/** Looks what this machine has, and chooses. */
export async function chooseServers({ usesContainers, engineAddresses }: TestConfig): Promise<Choice> {
  return choose(usesContainers, usesContainers === false ? { problem: '' } : await findEngine(engineAddresses))
}

async function findEngine(addresses: readonly string[]): Promise<Engine> {
  // Looking properly takes half a second, which nobody without Docker should wait for.
  if (!addresses.some((address) => !address.startsWith('/') || existsSync(address))) {
    return { problem: 'there is no Docker engine' }
  }
  const { missingImages } = await import('@wangian/kit/testing/containers.ts')
  try {
    return { missing: await missingImages(parts.map(imageOf)) }
  } catch {
    return { problem: 'no Docker engine answers' }
  }
}

/** A server that the tests share, and its end. */
export interface Shared<Address> {
  readonly address: Address
  stop(): Promise<unknown>
}

const POSTGRES_PORT = 5432
const NATS_PORTS = { clients: 4222, monitoring: 8222 } as const
const NATS_CONFIG = '/etc/wangian-nats.conf'
const MAIL_PORTS = { smtp: 1025, http: 8025 } as const
const STORAGE_PORT = 7070
const POLL_MS = 200
/** As in `docker-compose.yml`. */
const SHARED_MEMORY_BYTES = 256 * 1024 * 1024

async function load() {
  const [{ Wait }, kit] = await Promise.all([import('testcontainers'), import('@wangian/kit/testing/containers.ts')])
  const answers = (path: string, port: number) => Wait.forHttp(path, port).forStatusCode(200).withReadTimeout(POLL_MS)
  return { Wait, answers, ...kit }
}

/** @param settings of the server, such as `{ fsync: 'off' }` */
export async function startPostgresContainer(settings: Readonly<Record<string, string>>): Promise<Shared<string>> {
  const { testContainer, Wait } = await load()
  const password = randomBytes(12).toString('hex')
  const initdbArguments = readComposeFile().get('postgres')?.environment['POSTGRES_INITDB_ARGS'] ?? ''
  const container = await testContainer(imageOf('postgres'))
    .withEnvironment({ POSTGRES_PASSWORD: password, POSTGRES_INITDB_ARGS: initdbArguments })
    .withCommand(['postgres', ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])])
    .withTmpFs({ '/var/lib/postgresql': 'rw', '/var/run/postgresql': 'rw' })
    .withSharedMemorySize(SHARED_MEMORY_BYTES)
    .withExposedPorts(POSTGRES_PORT)
    // Over TCP: the server of the first initialisation answers on its socket only.
    .withWaitStrategy(Wait.forSuccessfulCommand('pg_isready --host=127.0.0.1 --username=postgres --quiet'))
    .start()
  const host = `${container.getHost()}:${container.getMappedPort(POSTGRES_PORT)}`
  return { address: `postgres://postgres:${password}@${host}/postgres`, stop: () => container.stop() }
}

/** A NATS with JetStream where everybody may do everything. */
export async function startNatsContainer(): Promise<Shared<string>> {
  const { testContainer, answers } = await load()
  const { clients, monitoring } = NATS_PORTS
  const config = natsServerConfig({
    host: '0.0.0.0',
    clientPort: clients,
    monitoringPort: monitoring,
    storeDirectory: '/tmp/nats',
    pidFile: '/tmp/nats.pid',
  })
  const container = await testContainer(imageOf('nats'))
    .withCopyContentToContainer([{ content: config, target: NATS_CONFIG }])
    .withCommand(['--config', NATS_CONFIG])
    .withExposedPorts(clients, monitoring)
    .withWaitStrategy(answers('/healthz', monitoring))
    .start()
  return {
    address: `nats://${container.getHost()}:${container.getMappedPort(clients)}`,
    stop: () => container.stop(),
  }
}

/** Mailpit. */
export async function startMailContainer(): Promise<Shared<{ readonly smtpUrl: string; readonly mailpitUrl: string }>> {
  const { testContainer, answers } = await load()
  const { smtp, http } = MAIL_PORTS
  const container = await testContainer(imageOf('mailpit'))
    .withExposedPorts(smtp, http)
    .withWaitStrategy(answers('/readyz', http))
    .start()
  const host = container.getHost()
  return {
    address: {
      smtpUrl: `smtp://${host}:${container.getMappedPort(smtp)}`,
      mailpitUrl: `http://${host}:${container.getMappedPort(http)}`,
    },
    stop: () => container.stop(),
  }
}

/** Object storage, without a bucket. */
export async function startStorageContainer() {
  const { testContainer, answers } = await load()
  const keys = { accessKeyId: 'tests', secretAccessKey: randomBytes(12).toString('hex') }
  const command = `mkdir -p /data && exec versitygw --quiet --port :${STORAGE_PORT} --health /health posix /data`
  const container = await testContainer(imageOf('storage'))
    .withEnvironment({ ROOT_ACCESS_KEY_ID: keys.accessKeyId, ROOT_SECRET_ACCESS_KEY: keys.secretAccessKey })
    .withEntrypoint(['sh', '-c'])
    .withCommand([command])
    .withExposedPorts(STORAGE_PORT)
    .withWaitStrategy(answers('/health', STORAGE_PORT))
    .start()
  const endpoint = `http://${container.getHost()}:${container.getMappedPort(STORAGE_PORT)}`
  return {
    address: { endpoint, bucket: 'pictures', region: 'us-east-1', ...keys },
    stop: () => container.stop(),
  }
}
