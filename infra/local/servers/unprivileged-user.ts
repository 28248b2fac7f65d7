import { spawnSync } from 'node:child_process'

export interface UnprivilegedUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

const userName = 'postgres'

/**
 * The user that Postgres runs as when we are root, which it refuses to run as; created when it does not exist.
 * Undefined when we are an ordinary user, who can run it directly.
 * @throws when the user can neither be found nor created
 */
export function unprivilegedUser(): UnprivilegedUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const existing = findUser()
  if (existing) return existing
  const commands: [string, string[]][] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/sh', userName]],
    ['adduser', ['-S', '-D', '-H', userName]],
  ]
  for (const [command, args] of commands) {
    spawnSync(command, args, { stdio: 'ignore' })
    const created = findUser()
    if (created) return created
  }
  throw new Error(
    `Postgres refuses to run as root, and the user "${userName}" could not be created. ` +
      `Create it (useradd --system ${userName}), or start as an ordinary user.`,
  )
}

/** Whether `user` (us, when undefined) can use `path`: 'x' to enter or execute, 'w' to write. */
export function canUse(user: UnprivilegedUser | undefined, permission: 'x' | 'w', path: string): boolean {
  const ids = user && { uid: user.uid, gid: user.gid }
  return spawnSync('/bin/sh', ['-c', `test -${permission} "$1"`, 'sh', path], { cwd: '/', ...ids }).status === 0
}

function findUser(): UnprivilegedUser | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const output = spawnSync('id', [flag, userName], { encoding: 'utf8' })
    return output.status === 0 ? Number(output.stdout) : Number.NaN
  })
  return uid && gid ? { name: userName, uid, gid } : undefined
}
