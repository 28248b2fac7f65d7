import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { partsOfBackup } from './archive.ts'

/** One of Postgres' histories of a database. Whatever goes on from a restore writes a new one, and leaves the old one where it went back to. */
interface Timeline {
  readonly id: number
  /** When it was first archived: what was restored goes on from then. */
  readonly beganAt: Date
  /** When anything of it was last archived. */
  readonly archivedAt: Date
  /** The ones that it comes from, and the position at which it left each. */
  readonly left: ReadonlyMap<number, bigint>
}

/** Where something was written: on which timeline, and up to which position of it, as `0/3000060`. */
interface Place {
  readonly timeline: number
  readonly position: string
}

const HISTORY_FILE = /^([0-9A-F]{8})\.history$/
const PIECE = /^([0-9A-F]{8})[0-9A-F]{16}$/

/**
 * The one that people saw at that time, and not one that began later at an earlier position; without a time the one that was archived last. One that
 * was left since, as a rehearsal's that was archived by mistake, is passed over: the newest one is not always what went on.
 */
export function chooseTimeline(backupDir: string, until: Date | null): Timeline {
  const [first, ...others] = listTimelines(backupDir)
  const begun = [first, ...others.filter(({ beganAt }) => until === null || beganAt <= until)]
  const goesOn = until === null ? undefined : begun.findLast(({ archivedAt }) => archivedAt >= until)
  return goesOn ?? begun.reduce((last, one) => (one.archivedAt >= last.archivedAt ? one : last), first)
}

/** Whether what was written there belongs to what the timeline comes from. */
export function includes({ id, left }: Timeline, { timeline, position }: Place): boolean {
  return timeline === id || parsePosition(position) <= (left.get(timeline) ?? -1n)
}

/** The timelines that an archive has, the oldest first. */
function listTimelines(backupDir: string): readonly [Timeline, ...Timeline[]] {
  const { wal } = partsOfBackup(backupDir)
  const names = existsSync(wal) ? readdirSync(wal).sort() : []
  const timeOf = (name: string) => statSync(join(wal, name)).mtime
  const lastPieces = new Map(names.flatMap((name) => idIn(PIECE, name).map((id) => [id, name] as const)))
  const archivedAt = (id: number, beganAt: Date) => {
    const piece = lastPieces.get(id)
    return piece === undefined ? beganAt : latest(beganAt, timeOf(piece))
  }
  // The first one comes from nowhere, and has no file.
  const beginning = new Date(0)
  const first = { id: 1, beganAt: beginning, archivedAt: archivedAt(1, beginning), left: new Map() }
  const others = names.flatMap((name) =>
    idIn(HISTORY_FILE, name).map((id) => {
      const beganAt = timeOf(name)
      return { id, beganAt, archivedAt: archivedAt(id, beganAt), left: readLeft(join(wal, name)) }
    }),
  )
  return [first, ...others]
}

const latest = (one: Date, other: Date): Date => (one > other ? one : other)

/** The timeline that a file is of; none when it is another kind of file. */
function idIn(kind: RegExp, name: string): number[] {
  const id = kind.exec(name)?.[1]
  return id === undefined ? [] : [Number.parseInt(id, 16)]
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
