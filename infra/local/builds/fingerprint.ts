import { createHash, type Hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ignored = new Set(['node_modules', 'dist', 'e2e', 'test-results'])

/**
 * Changes whenever what is built from these folders could turn out otherwise: with a source in them, a package, or an option. Tests do not count.
 * @param folders from the root of the repository
 */
export function fingerprintOf(root: string, folders: readonly string[], options: unknown = null): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'pnpm-lock.yaml')))
  hash.update(JSON.stringify(options))
  for (const folder of folders) addFolder(hash, join(root, folder))
  return hash.digest('hex')
}

function addFolder(hash: Hash, folder: string): void {
  const entries = readdirSync(folder, { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (ignored.has(entry.name) || /\.test\.tsx?$/.test(entry.name)) continue
    hash.update(`${entry.name}\n`)
    if (entry.isDirectory()) addFolder(hash, join(folder, entry.name))
    else hash.update(readFileSync(join(folder, entry.name)))
  }
}
