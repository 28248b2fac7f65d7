import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimes } from 'node:fs'
import { join } from 'node:path'

/** Whoever runs one says so this often, and what nobody has run for so long is removed when another one is made. */
const SAID_EVERY_MS = 3_600_000
const KEPT_MS = 24 * SAID_EVERY_MS

/**
 * A build of its own for each fingerprint, side by side: one that another start makes of other sources, or with other settings, takes nothing from
 * those that run. From now on this process says that it is in use.
 * @param parent the folder that has them all
 * @param make fills a folder that is there and empty
 * @returns the build's folder
 */
export async function keptBuild(
  parent: string,
  fingerprint: string,
  make: (fresh: string) => Promise<void>,
): Promise<string> {
  const directory = join(parent, fingerprint.slice(0, 16))
  if (!existsSync(directory)) await makeBuild(parent, directory, make)
  sayInUse(directory)
  return directory
}

async function makeBuild(parent: string, directory: string, make: (fresh: string) => Promise<void>): Promise<void> {
  mkdirSync(parent, { recursive: true })
  removeOld(parent)
  // Made beside and moved into place, so that nobody ever finds a part of it.
  const fresh = mkdtempSync(join(parent, '.build-'))
  try {
    await make(fresh)
    renameSync(fresh, directory)
  } catch (error) {
    // Another start made the same at the same moment.
    if (!existsSync(directory)) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

function sayInUse(directory: string): void {
  const say = () => utimes(directory, new Date(), new Date(), () => {})
  say()
  setInterval(say, SAID_EVERY_MS).unref()
}

function removeOld(parent: string): void {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name)
    const { mtimeMs = Infinity } = statSync(path, { throwIfNoEntry: false }) ?? {}
    if (mtimeMs < Date.now() - KEPT_MS) rmSync(path, { recursive: true, force: true })
  }
}
