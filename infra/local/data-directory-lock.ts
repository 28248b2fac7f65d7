import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { isAlive, startOf } from './processes/predecessor.ts'
import { makeDataDirectory } from './servers/postgres-directory.ts'

const holderSchema = z.object({ pid: z.number(), start: z.string(), url: z.string() })
const attemptsMax = 3

/**
 * Makes sure that one system at a time works with a data directory. A lock whose holder has died is taken over.
 * @returns what releases it
 * @throws when another one runs, saying where, or when nothing can be written there
 */
export function lockDataDirectory(dataDir: string, url: string): () => void {
  try {
    makeDataDirectory(dataDir)
  } catch (error) {
    throw unusable(dataDir, error)
  }
  const file = join(dataDir, 'running.json')
  const ours = JSON.stringify({ pid: process.pid, start: startOf(process.pid), url })
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    try {
      writeFileSync(file, ours, { flag: 'wx' })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(dataDir, error)
    }
    const holder = readHolder(file)
    if (isRunning(holder)) {
      throw new Error(
        `${dataDir} is in use: Wangian already runs at ${holder.url} (process ${holder.pid}). ` +
          'Stop that one, or start this one with another DATA_DIR and PORT.',
      )
    }
    removeLeftBehind(file)
  }
  throw new Error(`${dataDir} is being used by another start. Try again.`)
}

/** Removes a lock whose holder has died. Another start may have done so since, and have a lock of its own there: that one stays. */
export function removeLeftBehind(file: string): void {
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
    if (isRunning(readHolder(aside))) linkSync(aside, file)
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

type Holder = z.infer<typeof holderSchema>

function isRunning(holder: Holder | undefined): holder is Holder {
  return holder !== undefined && isAlive(holder.pid) && startOf(holder.pid) === holder.start
}

function unusable(dataDir: string, cause: unknown): Error {
  return new Error(`The folder ${dataDir} (DATA_DIR) cannot be used: ${(cause as Error).message}.`, { cause })
}

function readHolder(file: string): Holder | undefined {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // Cut off in the middle of writing, or just removed.
    return undefined
  }
}
