import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts the time of processors in hundredths of a second, whatever its kernel does (`getconf CLK_TCK`). */
const TICKS_PER_S = 100
/** Where `utime` and `stime` stand behind the name in `/proc/<pid>/stat`. */
const USER_AT = 11
const SYSTEM_AT = 12
const PARENT_AT = 1

/** What a process takes: seconds of processors so far, and memory of its own (not files, not what it shares). */
export interface Usage {
  readonly cpuS: number
  readonly memoryBytes: number
}

/** Of a process, or with `andChildren` of all that it has started too; `undefined` when it is gone or this is no Linux. */
export function usageOf(pid: number, { andChildren = false } = {}): Usage | undefined {
  const pids = andChildren ? [pid, ...descendantsOf(pid)] : [pid]
  const usages = pids.flatMap((each) => ownUsageOf(each) ?? [])
  if (usages.length === 0) return undefined
  return {
    cpuS: usages.reduce((sum, { cpuS }) => sum + cpuS, 0),
    memoryBytes: usages.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  }
}

function ownUsageOf(pid: number): Usage | undefined {
  try {
    const fields = statOf(pid)
    const memoryKb = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    const ticks = Number(fields[USER_AT]) + Number(fields[SYSTEM_AT])
    return { cpuS: ticks / TICKS_PER_S, memoryBytes: Number(memoryKb ?? 0) * 1024 }
  } catch {
    return undefined
  }
}

function descendantsOf(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of listed('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      parents.set(Number(name), Number(statOf(Number(name))[PARENT_AT]))
    } catch {
      // It has ended meanwhile.
    }
  }
  const found = [pid]
  for (const parent of found) for (const [child, of] of parents) if (of === parent) found.push(child)
  return found.slice(1)
}

/** What follows the name, which is in brackets and may hold anything. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function listed(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
