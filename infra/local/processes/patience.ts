import { existsSync, writeFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

/** The process takes only what others leave of the processor, and so does all that it starts with `passPatienceOn`. */
export function makePatient(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
    setNicenessOfSession(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It has ended already, or the system does not let us: then it is as any other.
  }
}

/** For a process that was started in a session of its own: it is as patient as we are. */
export function passPatienceOn(pid: number): void {
  const niceness = getPriority()
  if (niceness <= 0) return
  try {
    setNicenessOfSession(pid, niceness)
  } catch {
    // The same as above.
  }
}

/** Where Linux shares the processor among sessions first (`sched(7)`, autogroup), niceness counts within one only, and a new one has none. */
function setNicenessOfSession(pid: number, niceness: number): void {
  const session = `/proc/${pid}/autogroup`
  if (existsSync(session)) writeFileSync(session, String(niceness))
}
