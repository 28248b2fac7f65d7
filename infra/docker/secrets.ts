import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { newVapidKey } from '../local/secrets.ts'
import { databaseServices } from '../local/services.ts'
import { type NatsUser, natsUsers } from '../nats/permissions.ts'
import { type NatsPasswords, natsServerConfig } from '../nats/server-config.ts'
import { makeCertificate } from '../production/certificate.ts'

/** Where everything is in the network of `docker-compose.yml`. */
const POSTGRES = 'postgres:5432'
const NATS = 'nats:4222'
const DATABASE = 'wangian'
/** Long enough to be renewed by hand, or replaced by one that browsers know. */
const CERTIFICATE_DAYS = 365

/** Who keeps pictures. All of them use the one key of the storage. */
const pictureServices = ['identity', 'catalogue', 'messaging'] as const

/** What only an operator knows, for them to fill in; empty means that there is none. */
const given: Readonly<Record<string, string>> = {
  'identity/smtp-url': 'smtp://mailpit:1025',
  'identity/admin-password': '',
  'identity/facebook-app-secret': '',
  'identity/auth-jwt-secret': '',
  'boost/billplz-api-key': '',
  'boost/billplz-x-signature-key': '',
}

/**
 * Makes what is missing of the secrets of a system in containers: a folder for each container, which sees no other's, with a file for each
 * secret. What is there stays as it is, so that an operator may change any of it. Only the configuration of NATS is written anew each time,
 * from the users' addresses and from what this version lets them do.
 * @param host where people find the system, for the certificate that is made when there is none
 * @returns the files that were made
 */
export function makeSecrets(directory: string, host: string): readonly string[] {
  const made: string[] = []
  mkdirSync(directory, { recursive: true })
  // This keeps others of the machine out. Below it everybody may read, because each image has a user of its own.
  chmodSync(directory, 0o700)
  const keep = (name: string, make: () => string): string => {
    const file = join(directory, name)
    if (!existsSync(file)) {
      write(file, make())
      made.push(name)
    }
    return readFileSync(file, 'utf8').trim()
  }

  const administrator = keep('postgres/password', newPassword)
  keep('prepare/database-url', () => `postgres://postgres:${administrator}@${POSTGRES}/${DATABASE}`)
  for (const service of databaseServices) {
    keep(`${service}/database-url`, () => `postgres://${service}:${newPassword()}@${POSTGRES}/${DATABASE}`)
  }
  const passwords = natsUsers.map((user): [NatsUser, string] => {
    const url = keep(`${user}/nats-url`, () => `nats://${user}:${newPassword()}@${NATS}`)
    return [user, decodeURIComponent(new URL(url.split(',')[0] ?? '').password)]
  })
  write(join(directory, 'nats/nats-server.conf'), natsConfig(Object.fromEntries(passwords) as NatsPasswords))

  const accessKeyId = keep('storage/access-key-id', () => randomBytes(10).toString('hex'))
  const secretAccessKey = keep('storage/secret-access-key', newPassword)
  for (const service of ['prepare', ...pictureServices]) {
    keep(`${service}/s3-access-key-id`, () => accessKeyId)
    keep(`${service}/s3-secret-access-key`, () => secretAccessKey)
  }
  keep('load-balancer/tls.pem', () => newCertificate(host))
  keep('messaging/vapid-private-key', newVapidKey)
  keep('grafana/admin-password', newPassword)
  for (const [name, value] of Object.entries(given)) keep(name, () => value)
  return made
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  // On the disk before it has its name: what is there is left alone, and would stay empty after a full disk or a power cut.
  const unfinished = `${file}.new`
  writeFileSync(unfinished, text.endsWith('\n') || text === '' ? text : `${text}\n`, { flush: true })
  // Whatever the umask says.
  chmodSync(dirname(file), 0o755)
  chmodSync(unfinished, 0o644)
  renameSync(unfinished, file)
}

function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

/** Key and certificate in one file, as HAProxy reads them. */
function newCertificate(host: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'wangian-certificate-'))
  try {
    const { key, certificate } = makeCertificate(directory, host, CERTIFICATE_DAYS)
    return readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8')
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function natsConfig(passwords: NatsPasswords): string {
  return natsServerConfig({
    host: '0.0.0.0',
    clientPort: 4222,
    monitoringPort: 8222,
    storeDirectory: '/data',
    pidFile: '/tmp/nats-server.pid',
    syncsAlways: true,
    passwords,
  })
}
