import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SourceFile } from './syntax.ts'

const rootDirectory = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')
const read = /\.(ts|tsx|mts|mjs|sql|md|sh|yml|yaml|css|html)$/

/** The text files that are, or are about to be, in the repository: tracked, or new and not ignored. */
export function repositoryFiles(): readonly SourceFile[] {
  const listing = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: rootDirectory,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return (
    [...new Set(listing.split('\0'))]
      // A file that was deleted but not yet committed as deleted is still listed.
      .filter((path) => read.test(path) && existsSync(join(rootDirectory, path)))
      .map((path) => ({ path, text: readFileSync(join(rootDirectory, path), 'utf8') }))
  )
}
