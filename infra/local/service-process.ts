import { setTimeout as wait } from 'node:timers/promises'
import { type GuardedProcess, spawnGuarded } from './guarded-process.ts'
import { readable } from './log.ts'
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

const pollMs = 50
const pollTimeoutMs = 2000

/** Starts a Node process of ours. */
export function launchService(options: ServiceProcessOptions): Launched {
  const guarded = spawnGuarded({
    command: process.execPath,
    args: [...NODE_FLAGS, ...options.args],
    environment: options.environment,
    workingDirectory: options.workingDirectory,
    stopSignal: 'SIGTERM',
    ipc: true,
    onLine: options.onLine,
  })
  const ready = untilReady(options.url, guarded)
  ready.catch(() => {})
  return { ...guarded, ready }
}

async function untilReady(url: string, { exited, recentOutput }: GuardedProcess): Promise<void> {
  let ended = false
  void exited.then(() => {
    ended = true
  })
  for (;;) {
    const answer = await fetch(`${url}/readyz`, {
      // A connection that is kept would be waited for when it stops.
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(pollTimeoutMs),
    }).catch(() => undefined)
    await answer?.body?.cancel()
    if (ended) throw new Error(`it ended before it was ready:\n${recentOutput().split('\n').map(readable).join('\n')}`)
    if (answer?.ok) return
    await wait(pollMs)
  }
}
