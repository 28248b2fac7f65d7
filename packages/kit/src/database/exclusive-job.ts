import { pause, untilTick } from '../bell.ts'
import { type Logger, silentLogger } from '../service/logger.ts'
import type { Locks, SessionKeeper } from './exclusive-session.ts'

/**
 * Does `work` at once and then again and again, in one process of the service at a time. What fails is logged and done the next time.
 * @param options.job what there may be one of in this schema, e.g. `upkeep`
 * @param options.work may say in how many ms there is more to do, where that is sooner than `everyMs`; what takes long ends soon after its signal is
 * aborted, for the process has to stop
 */
export function startExclusiveJob(options: {
  readonly locks: Locks
  readonly job: string
  readonly everyMs: number
  readonly log?: Logger | undefined
  readonly work: (signal: AbortSignal) => Promise<number | undefined> | Promise<void>
}): SessionKeeper {
  const { locks, job, everyMs, work, log = silentLogger } = options
  return locks.keep(job, async ({ signal }) => {
    while (!signal.aborted) {
      let nextInMs: number | undefined
      try {
        nextInMs = (await work(signal)) ?? undefined
      } catch (error) {
        log.warn({ err: error, job }, 'a job has failed and is tried again')
      }
      await pause(nextInMs !== undefined && nextInMs < everyMs ? nextInMs : untilTick(everyMs), signal)
    }
  })
}
