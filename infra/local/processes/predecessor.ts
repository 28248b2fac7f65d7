import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

/*
 * What a supervisor that died has left behind is known only by process ids in files, and an id may since belong to
 * another program: hence also its name.
 */

/** Whether a process of this id runs and is called `programName`. */
export function isRunning(pid: number, programName: string): boolean {
  return isAlive(pid) && basename(programOf(pid)) === programName
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

function programOf(pid: number): string {
  if (existsSync('/proc/self/cmdline')) {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? ''
    } catch {
      return ''
    }
  }
  return spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? ''
}
