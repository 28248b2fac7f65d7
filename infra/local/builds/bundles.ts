import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { inheritedEnvironment } from '../config.ts'
import { fingerprintOf } from './fingerprint.ts'
import { keptBuild } from './kept-builds.ts'
import { runBuild } from './run-build.ts'

const BUILD_TIMEOUT_MS = 120_000

/** Everything that is in them. */
const sources = ['services', 'packages/contracts', 'packages/kit', 'infra/local']

/** What a process is started from, by its script. */
export type Bundles = (script: string) => Promise<string>

/** Scripts as they are, which a watching Node wants. */
export const unbundled: Bundles = async (script) => script

/**
 * Bundles each script with all that it imports, unless that was done for the same sources. A start then reads one file in place of 700 modules, in
 * less than half of the time, and the process holds less.
 *
 * @param scripts absolute; others are started as they are
 */
export function bundle(repositoryRoot: string, scripts: readonly string[], log: (line: string) => void): Bundles {
  const directory = ensureBundled(repositoryRoot, scripts, log)
  // Whoever starts one of them hears of it.
  directory.catch(() => {})
  return async (script) =>
    scripts.includes(script) ? join(await directory, relative(repositoryRoot, script)).replace(/\.ts$/, '.mjs') : script
}

function ensureBundled(root: string, scripts: readonly string[], log: (line: string) => void): Promise<string> {
  // Where the root is stands in them.
  const fingerprint = fingerprintOf(root, sources, root)
  return keptBuild(join(root, 'infra', 'node_modules', '.bundles'), fingerprint, async (fresh) => {
    log('Bundling the services …')
    const bundler = join(import.meta.dirname, 'bundle.ts')
    const how = { cwd: root, env: inheritedEnvironment(), timeoutMs: BUILD_TIMEOUT_MS }
    await runBuild('The services', [bundler, fresh, ...scripts], how)
  })
}

const place = /(?:file:\/\/)?(\/[^\s()"']*\/\.bundles\/[^\s()"']+\.mjs):(\d+)(?::(\d+))?/g

/** A line of a process in which places of a bundle are those of the sources: `services/identity/src/app.ts:12:3`. */
export function withSources(line: string): string {
  if (!line.includes('/.bundles/')) return line
  return line.replace(place, (all, file: string, row: string, column?: string) => {
    try {
      const origin = mapOf(file).findOrigin(Number(row), Number(column ?? Number.MAX_SAFE_INTEGER))
      if (!('fileName' in origin)) return all
      const { fileName, lineNumber, columnNumber } = origin
      return `${join(dirname(file), fileName)}:${lineNumber}${column ? `:${columnNumber}` : ''}`
    } catch {
      return all
    }
  })
}

/** Kept: what fails often says so with many places of few files. */
const maps = new Map<string, SourceMap>()

function mapOf(file: string): SourceMap {
  const map = maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
  maps.set(file, map)
  return map
}
