import { setTimeout as delay } from 'node:timers/promises'

/**
 * Does the work and answers no sooner than after `durationMs`, which is longer than the work takes: what it had to do must not
 * be seen by the clock. A refusal comes no sooner either.
 */
export async function inEvenTime<T>(durationMs: number, work: () => Promise<T>): Promise<T> {
  const [result] = await Promise.allSettled([work(), delay(durationMs)])
  if (result.status === 'rejected') throw result.reason
  return result.value
}
