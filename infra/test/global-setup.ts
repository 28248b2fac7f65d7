import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestServers } from '@wangian/kit/testing/config.ts'
import { startTestBucket } from '@wangian/kit/testing/test-bucket.ts'
import { startMailCatcher } from '../local/mail-catcher/mail-catcher.ts'
import { locateNatsServer, startNats } from '../local/servers/nats.ts'
import { postgresSettings, startPostgres } from '../local/servers/postgres.ts'
import { announceServers, readTestConfig, type TestConfig, withoutReaper } from './config.ts'
import {
  chooseServers,
  imageOf,
  type Shared,
  startMailContainer,
  startNatsContainer,
  startPostgresContainer,
  startStorageContainer,
} from './containers.ts'

/**
 * For speed, and here only: these databases live as long as one run, and what survives a crash is the fault tests'
 * question, which start servers of their own with everything on.
 */
const forgetful = { fsync: 'off', full_page_writes: 'off', min_wal_size: '80MB', max_wal_size: '512MB' }
/** What the embedded Postgres has in any case. */
const connections = { max_connections: '200' }

/**
 * Starts one Postgres, one NATS, one mail catcher and one object storage for all test files, unless the environment names others, and tells the
 * workers where they are. Each file makes its own database and subjects. They run in containers where a Docker engine has their images
 * (TEST_CONTAINERS), and embedded elsewhere.
 * @returns what vitest calls after the last file
 */
export async function setup(): Promise<() => Promise<void>> {
  const given = readTestConfig()
  const directory = mkdtempSync(join(given.memoryDirectory ?? tmpdir(), 'wangian-servers-'))
  // The user who runs Postgres when we are root has to get in.
  chmodSync(directory, 0o755)
  const started: Shared<unknown>[] = []
  const teardown = async () => {
    for (const server of started.reverse()) await server.stop()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
  const keep = async <Address>(starting: Promise<Shared<Address>>): Promise<Address> => {
    const server = await starting
    started.push(server)
    return server.address
  }
  try {
    const { usesContainers, says } = await chooseServers(given)
    console.log(`The servers of the tests run ${says}.`)
    if (usesContainers) await useContainers(given, directory, keep)
    else await embed(given, directory, keep)
  } catch (error) {
    await teardown()
    throw error
  }
  return teardown
}

type Keep = <Address>(starting: Promise<Shared<Address>>) => Promise<Address>

async function useContainers(given: TestConfig, directory: string, keep: Keep): Promise<void> {
  withoutReaper()
  await (await import('@wangian/kit/testing/containers.ts')).removeLeftContainers()
  // A program that is named is what NATS is to run on.
  const { natsBinary } = given
  const [databaseUrl, natsUrl, { smtpUrl, mailpitUrl }, bucket] = await Promise.all([
    given.databaseUrl ?? keep(startPostgresContainer({ ...postgresSettings, ...forgetful, ...connections })),
    given.natsUrl ??
      keep(
        natsBinary === undefined
          ? startNatsContainer()
          : addressed(startNats({ dataDir: directory, binary: natsBinary })),
      ),
    keep(startMailContainer()),
    keep(startStorageContainer()),
  ])
  const servers: TestServers = { databaseUrl, natsUrl, smtpUrl, mails: { mailpitUrl }, bucket }
  announceServers(servers, natsBinary === undefined ? { image: imageOf('nats') } : { binary: natsBinary })
}

async function embed(given: TestConfig, directory: string, keep: Keep): Promise<void> {
  const binary = given.natsBinary ?? (await locateNatsServer())
  const databaseUrl =
    given.databaseUrl ?? (await keep(addressed(startPostgres({ dataDir: directory, settings: forgetful }))))
  const natsUrl = given.natsUrl ?? (await keep(addressed(startNats({ dataDir: directory, binary }))))
  const mails = await startMailCatcher({ directory: join(directory, 'mails') })
  const { smtpUrl, inboxUrl } = await keep(Promise.resolve({ ...mails, address: mails }))
  const storage = await startTestBucket()
  const bucket = await keep(Promise.resolve({ ...storage, address: storage.bucket }))
  announceServers({ databaseUrl, natsUrl, smtpUrl, mails: { inboxUrl }, bucket }, { binary })
}

async function addressed(
  starting: Promise<{ readonly url: string; stop(): Promise<unknown> }>,
): Promise<Shared<string>> {
  const server = await starting
  return { address: server.url, stop: () => server.stop() }
}
