import { type DatabasePool, openPool } from '../database/postgres.ts'
import { type LetterRow, listDeadLetters, releaseDeadLetters } from './dead-letters.ts'

const USAGE = `Lists the events that this service could not take and has put aside, or has them tried again:
  node dead-letters.ts                        lists them
  node dead-letters.ts retry <event id> …     has these tried again
  node dead-letters.ts retry --all            has all of them tried again
`
const ERROR_LENGTH_MAX = 200

/** What the command `dead-letters.ts` of a service does; its exit code is 0 when it did what it was told. */
export async function runDeadLetters({ databaseUrl }: { readonly databaseUrl: string }): Promise<void> {
  const pool = await openPool({ url: databaseUrl, applicationName: 'dead-letters' })
  try {
    const { text, exitCode } = await answer(pool, process.argv.slice(2))
    process.stdout.write(text)
    process.exitCode = exitCode
  } finally {
    await pool.end()
  }
}

interface Answer {
  readonly text: string
  readonly exitCode: number
}

/** @param args as they stand behind the command's name */
export async function answer(pool: DatabasePool, [verb = 'list', ...args]: readonly string[]): Promise<Answer> {
  if (verb === 'list' && args.length === 0) {
    const letters = await listDeadLetters(pool)
    return { text: letters.length === 0 ? 'nothing is put aside\n' : letters.map(describe).join(''), exitCode: 0 }
  }
  if (verb !== 'retry' || args.length === 0) return { text: USAGE, exitCode: 2 }
  const isAll = args.includes('--all')
  const count = await releaseDeadLetters(pool, isAll ? null : args)
  if (count === 0 && !isAll) {
    return { text: 'nothing of that id is put aside, or it is one that cannot be published\n', exitCode: 1 }
  }
  const events = count === 1 ? '1 event is' : `${count} events are`
  return { text: `${events} tried again: at once where the service runs, or when it starts\n`, exitCode: 0 }
}

/** Two lines. What the event says is left out: it may be personal. */
function describe({ consumer, eventId, subject, stream, error, tries, parkedAt, dueAt }: LetterRow): string {
  const facts = [
    eventId,
    subject,
    stream,
    `put aside by ${consumer} at ${parkedAt} after ${tries} ${tries === 1 ? 'try' : 'tries'}`,
    ...(dueAt === null ? [] : ['to be tried again']),
  ]
  const reason = error.replaceAll(/\s+/g, ' ').slice(0, ERROR_LENGTH_MAX)
  return `${facts.join('  ')}\n    ${reason}\n`
}
