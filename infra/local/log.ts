/** Takes one line of a source: `start` for our own progress, else the name of a process. */
export type LogSink = (source: string, line: string) => void

const colours = [36, 32, 33, 35, 34, 96, 92, 93, 95, 94]
/** What the servers say to those who ask too early or too late; every client then tries again by itself. */
const expectedWhileDown =
  /starting up|shutting down|not yet accepting connections|administrator command|recovery mode|database ".*" does not exist|Healthcheck failed/

/** Why it failed is said by the programs that Postgres runs to archive. */
const archivingFailed = /^(LOG: {2}archive command failed|(cp|mv|sync): )/
/** Postgres tries three times in three seconds, and so again every minute and with each new piece. */
const ARCHIVING_REPEATED_AFTER_MS = 600_000

/** Prints each line with its source in front: `[auction-1] …`, coloured when asked for. */
export function printTo(write: (text: string) => void, isColoured: boolean): LogSink {
  const known: string[] = []
  const toldAt = new Map<string, number>()
  return (source, line) => {
    if (source === 'start') return write(`${line}\n`)
    const text = worthShowing(source, line)
    if (text === undefined) return
    if (source === 'postgres' && archivingFailed.test(text)) {
      if (Date.now() - (toldAt.get(text) ?? 0) < ARCHIVING_REPEATED_AFTER_MS) return
      toldAt.set(text, Date.now())
    }
    if (!known.includes(source)) known.push(source)
    const colour = colours[known.indexOf(source) % colours.length]
    write(isColoured ? `\u001b[${colour}m[${source}]\u001b[0m ${text}\n` : `[${source}] ${text}\n`)
  }
}

/** A line as a person wants to see it, or undefined for one of those that only matter when something is wrong. */
export function worthShowing(source: string, line: string): string | undefined {
  if (source !== 'postgres' && source !== 'nats') return readable(line)
  if (source === 'postgres' && archivingFailed.test(line)) return line
  const matters = source === 'postgres' ? /^(NOTICE|FATAL|PANIC)/ : /\[(WRN|ERR|FTL)\]/
  return matters.test(line) && !expectedWhileDown.test(line) ? line : undefined
}

/** A service logs JSON, one object a line; whatever else it prints stays as it is. */
export function readable(line: string): string {
  if (!line.startsWith('{')) return line
  try {
    const { level, msg, time, name, instance, err, ...rest } = JSON.parse(line) as Record<string, unknown>
    if (typeof level !== 'string' || typeof msg !== 'string') return line
    const details = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : ''
    const error = err && typeof err === 'object' ? `\n${(err as Error).stack ?? (err as Error).message}` : ''
    return `${level} ${msg}${details}${error}`
  } catch {
    return line
  }
}
