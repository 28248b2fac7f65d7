import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

const THREADS = '/proc/self/task'
/** What Node calls the threads on which V8 marks what is still used, sweeps, and compiles. */
const HELPER = 'V8Worker'
/** They get a thirtieth of a processor that is wanted by somebody else. */
const NICENESS = 15

/**
 * Lets V8's own threads yield to whoever answers somebody, in this process and in others. To collect the old objects of a busy service they take
 * 100 to 300 ms of two processors at once, which on a small machine everybody felt. What they do not get done meanwhile, the process does itself.
 * Only Linux has a priority for each thread; elsewhere nothing happens.
 */
export function yieldHelperThreads(): void {
  for (const thread of threadIds()) {
    try {
      const isHelper = readFileSync(`${THREADS}/${thread}/comm`, 'utf8').trim() === HELPER
      // Whoever started the process may want it to yield more.
      if (isHelper && getPriority(Number(thread)) < NICENESS) setPriority(Number(thread), NICENESS)
    } catch {
      // The thread has ended, or the system does not allow it: it goes on as before.
    }
  }
}

function threadIds(): readonly string[] {
  try {
    return readdirSync(THREADS)
  } catch {
    return []
  }
}
