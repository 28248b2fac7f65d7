import { Rejection } from './errors.ts'

/** Lets only so many works run at once. */
export interface Gate {
  /**
   * Runs the work when there is room.
   * @throws Rejection('unavailable') when too many wait already
   */
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createGate(limits: { readonly runningMax: number; readonly waitingMax: number }): Gate {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    async run(work) {
      if (running < limits.runningMax) running += 1
      else {
        if (waiting.length >= limits.waitingMax) throw new Rejection('unavailable')
        // Whoever leaves hands over the place, so that nobody who comes later gets ahead.
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else running -= 1
      }
    },
  }
}
