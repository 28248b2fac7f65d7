import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { expect } from 'vitest'
import type { ServiceHandle } from '../local/system.ts'

/** Around which side of a commit a process dies. */
export type Moment = 'before' | 'after'
export const moments = ['before', 'after'] as const

/** How long what was pressed may take to lead to a death, on a machine with much else to do. */
const DIES_WITHIN_MS = 60_000

export interface Deaths {
  /** For the services that are to die. */
  readonly environment: NodeJS.ProcessEnv
  /**
   * Has a service die, once for each moment, around the commit of this event, which `press` leads to. It is there again afterwards.
   * @param press what it answers is told when nobody dies
   */
  killAround(
    death: { readonly service: ServiceHandle; readonly moments: readonly Moment[]; readonly type: string },
    press: () => unknown,
  ): Promise<void>
}

/** @param directory where it is noted who is to die */
export function prepareDeaths(directory: string): Deaths {
  const file = join(directory, 'deaths')
  writeFileSync(file, '')
  const preload = pathToFileURL(join(import.meta.dirname, 'die-around-commit.ts'))
  preload.searchParams.set('deaths', file)
  return {
    environment: { NODE_OPTIONS: `--import=${preload.href}` },
    async killAround({ service, moments, type }, press) {
      let { exited } = service
      writeFileSync(file, moments.map((moment) => `${moment} ${type}\n`).join(''))
      let answer: unknown = 'nothing yet'
      const tell = (told: unknown) => {
        answer = told
      }
      Promise.resolve(press()).then(tell, tell)
      for (const moment of moments) {
        const death = await Promise.race([exited, wait(DIES_WITHIN_MS, null, { ref: false })])
        if (death === null) {
          // Or it would die in the next test.
          writeFileSync(file, '')
          throw new Error(`${service.name} did not die ${moment} ${type}. The answer was ${inspect(answer)}`)
        }
        expect(death.signal).toBe('SIGKILL')
        ;({ exited } = service)
        // The back-off of a service that has died often is not what is tried: once it has begun to wait, it is cut short.
        await wait(0)
        service.start().catch(() => {})
      }
      expect(readFileSync(file, 'utf8')).toBe('')
      await service.whenReady()
    },
  }
}
