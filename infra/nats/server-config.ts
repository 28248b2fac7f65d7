import { hashSync } from 'bcryptjs'
import { type NatsUser, natsUsers, permissionsOf } from './permissions.ts'

export type NatsPasswords = Readonly<Record<NatsUser, string>>

export interface NatsServerSettings {
  readonly host: string
  readonly clientPort: number
  readonly monitoringPort: number
  readonly storeDirectory: string
  readonly pidFile: string
  /** Whether each message is on the disk before it is acknowledged. Needs a nats-server of 2.10 or newer. */
  readonly syncsAlways?: boolean
  /** Without them everybody may do everything, which is for tests. */
  readonly passwords?: NatsPasswords | undefined
  /** Absent for a server that stands alone. */
  readonly cluster?: NatsClusterMember | undefined
}

/** One of several servers that keep the streams together. */
export interface NatsClusterMember {
  /** Another one for each of them. */
  readonly serverName: string
  /** Where the others reach it, on the host of the clients. */
  readonly port: number
  /** Where it reaches the others, and itself: `nats://127.0.0.1:6222`. */
  readonly routes: readonly string[]
}

/** The largest message, in bytes; the server itself advises against more. */
export const natsPayloadBytesMax = 8 * 1024 * 1024

/** The server's configuration file. Uses nothing newer than `natsVersionMin`, unless asked to. */
export function natsServerConfig({
  host,
  clientPort,
  monitoringPort,
  storeDirectory,
  pidFile,
  syncsAlways = false,
  passwords,
  cluster,
}: NatsServerSettings): string {
  return `server_name: ${cluster?.serverName ?? 'wangian'}
host: ${JSON.stringify(host)}
port: ${clientPort}
http: ${JSON.stringify(`${host}:${monitoringPort}`)}
pid_file: ${JSON.stringify(pidFile)}
max_payload: ${natsPayloadBytesMax}
# What a slow reader may leave unread before it is disconnected.
max_pending: ${64 * 1024 * 1024}
write_deadline: "5s"
ping_interval: "20s"
jetstream {
  store_dir: ${JSON.stringify(storeDirectory)}
  max_memory_store: ${256 * 1024 * 1024}
  max_file_store: ${10 * 1024 * 1024 * 1024}${syncsAlways ? '\n  sync_interval: always' : ''}
}
${cluster === undefined ? '' : routing(host, cluster)}${passwords === undefined ? '' : authorization(passwords)}`
}

function routing(host: string, { port, routes }: NatsClusterMember): string {
  return `cluster {
  name: wangian
  listen: ${JSON.stringify(`${host}:${port}`)}
  routes: ${JSON.stringify(routes)}
}
`
}

/** The least that bcrypt has: passwords that are long and random need no slower one, and each connection waits for it. */
const HASH_COST = 4

/** A user for each service, with what it needs and no more. Of passwords the file, and so the server's warning of them, has hashes only. */
function authorization(passwords: NatsPasswords): string {
  const list = (subjects: readonly string[]) => `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`
  const users = natsUsers.map((user) => {
    const { publish, subscribe } = permissionsOf(user)
    return `  {
    user: ${user}, password: ${JSON.stringify(hashSync(passwords[user], HASH_COST))}
    permissions { publish { allow: ${list(publish)} }, subscribe { allow: ${list(subscribe)} } }
  }`
  })
  return `authorization {
  users: [
${users.join('\n')}
  ]
}
`
}
