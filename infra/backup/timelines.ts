import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { partsOfBackup } from './archive.ts'

/** One of Postgres' histories of a database. Whatever goes on from a restore writes a new one, and leaves the old one where it went back to. */
interface Timeline {
  readonly id: number
  /** When it was first archived: what was restored goes on from then. */
  readonly beganAt: Date
  /** The ones that it comes from, and the position at which it left each. */
  readonly left: ReadonlyMap<number, bigint>
}

/** Where something was written: on which timeline, and up to which position of it, as `0/3000060`. */
interface Place {
  readonly timeline: number
  readonly position: string
}

const HISTORY_FILE = /^([0-9A-F]{8})\.history$/

/** The one that people saw at that time, and not one that began later at an earlier position; without a time the newest. */
export function chooseTimeline(backupDir: string, until: Date | null): Timeline {
  const [first, ...others] = listTimelines(backupDir)
  return others.findLast(({ beganAt }) => until === null || beganAt <= until) ?? first
}

/** Whether what was written there belongs to what the timeline comes from. */
export function includes({ id, left }: Timeline, { timeline, position }: Place): boolean {
  return timeline === id || parsePosition(position) <= (left.get(timeline) ?? -1n)
}

/** The timelines that an archive has, the oldest first. */
function listTimelines(backupDir: string): readonly [Timeline, ...Timeline[]] {
  const { wal } = partsOfBackup(backupDir)
  // The first one comes from nowhere, and has no file.
  const first = { id: 1, beganAt: new Date(0), left: new Map() }
  const names = existsSync(wal) ? readdirSync(wal).sort() : []
  const others = names.flatMap((name) => {
    const id = HISTORY_FILE.exec(name)?.[1]
    const file = join(wal, name)
    return id === undefined
      ? []
      : [{ id: Number.parseInt(id, 16), beganAt: statSync(file).mtime, left: readLeft(file) }]
  })
  return [first, ...others]
}

/** A line for each: its number, the position, and why it was left. */
function readLeft(file: string): ReadonlyMap<number, bigint> {
  const lines = readFileSync(file, 'utf8').matchAll(/^(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/gm)
  return new Map([...lines].map(([, id, position = '']) => [Number(id), parsePosition(position)]))
}

function parsePosition(position: string): bigint {
  const [high, low] = position.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}
