import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, isAbsolute } from 'node:path'

/*
 * What a supervisor that died has left behind is known only by process ids in files, and an id may since belong to
 * another program, or to the same one of somebody else: hence also its name, and what it was told to work with.
 */

/**
 * Whether a process of this id runs, is called `programName`, which a version may follow (`nats-server-v2.14.9`, as our cache has it), and was
 * started with this directory or something in it.
 */
export function isRunning(pid: number, programName: string, directory: string): boolean {
  if (!isAlive(pid)) return false
  const { program, args } = commandOf(pid)
  const [name] = basename(program).split('-v')
  return name === programName && (args === null || args.some((arg) => isIn(directory, arg)))
}

/** A process that has ended and that its parent has not noticed yet (a zombie) does not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return statusOf(pid)[0] !== 'Z'
}

/** Tells two processes apart that had the same id one after the other; empty where the system does not say. */
export function startOf(pid: number): string {
  return statusOf(pid)[19] ?? ''
}

/** The columns of /proc/<pid>/stat after the program's name, which may itself hold blanks and brackets. */
function statusOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  } catch {
    // Ended meanwhile, or not Linux.
    return []
  }
}

/** Without arguments where the system does not say them. */
function commandOf(pid: number): { readonly program: string; readonly args: readonly string[] | null } {
  if (existsSync('/proc/self/cmdline')) {
    try {
      const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return { program, args }
    } catch {
      return { program: '', args: [] }
    }
  }
  const name = spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? ''
  return { program: name, args: null }
}

function isIn(directory: string, path: string): boolean {
  try {
    return isAbsolute(path) && `${realpathSync(path)}/`.startsWith(`${realpathSync(directory)}/`)
  } catch {
    return false
  }
}
