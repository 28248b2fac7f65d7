import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SourceFile } from './syntax.ts'

/** The root of the checkout, an absolute path without a trailing slash. */
export const rootDirectory = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')
const readable = /\.(ts|tsx|mts|mjs|sql|md|sh|yml|yaml|css|html)$/

/**
 * The text files that are, or are about to be, in the repository. The folders are walked, because asking git needs a
 * git, and one that trusts the owner of the checkout; neither is certain on a machine that only runs the tests.
 */
export function repositoryFiles(): readonly SourceFile[] {
  const ignored = ignoredNames(readFileSync(join(rootDirectory, '.gitignore'), 'utf8'))
  return pathsBelow('', ignored).map((path) => ({ path, text: readFileSync(join(rootDirectory, path), 'utf8') }))
}

/** The lines of our .gitignore are names, with `*` at most, and a slash at the end of a folder's. */
function ignoredNames(gitignore: string): readonly string[] {
  const lines = gitignore.split('\n').filter((line) => line !== '')
  return ['.git', ...lines.map((line) => line.replace(/\/$/, ''))]
}

function pathsBelow(folder: string, ignored: readonly string[]): string[] {
  return readdirSync(join(rootDirectory, folder), { withFileTypes: true })
    .filter((entry) => !ignored.some((name) => matchesGlob(entry.name, name)))
    .flatMap((entry) => {
      const path = posix.join(folder, entry.name)
      if (entry.isDirectory()) return pathsBelow(path, ignored)
      return entry.isFile() && readable.test(path) ? [path] : []
    })
}
