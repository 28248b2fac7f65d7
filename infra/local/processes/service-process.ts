import { withSources } from '../builds/bundles.ts'
import { untilAnswering } from './answering.ts'
import { spawnGuarded } from './guarded-process.ts'
import type { Launched } from './supervisor.ts'

export interface ServiceProcessOptions {
  /** Arguments of Node: the script last. */
  readonly args: readonly string[]
  readonly workingDirectory: string
  readonly environment: NodeJS.ProcessEnv
  /** Answers 200 under /readyz when the service can be used. */
  readonly url: string
  readonly onLine: (line: string) => void
}

/**
 * Of Node, for every service; the image has the same. New objects get 8 MB at a time, where a busy process would take 32: to clear those away held a
 * process up for 20 ms at once, which everybody felt whom it served, and it never gave them back.
 */
export const NODE_FLAGS = ['--max-semi-space-size=8'] as const

/** Starts a Node process of ours. */
export function launchService(options: ServiceProcessOptions): Launched {
  const guarded = spawnGuarded({
    command: process.execPath,
    args: [...NODE_FLAGS, ...options.args],
    environment: options.environment,
    workingDirectory: options.workingDirectory,
    stopSignal: 'SIGTERM',
    ipc: true,
    onLine: (line) => options.onLine(withSources(line)),
  })
  const ready = untilAnswering(`${options.url}/readyz`, guarded)
  ready.catch(() => {})
  return { ...guarded, ready }
}
