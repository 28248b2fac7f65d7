import { identityRequests, PEOPLE_PER_PAGE } from '@wangian/contracts/revocations.ts'
import { pause } from '@wangian/kit/bell.ts'
import { request } from '@wangian/kit/bus.ts'
import type { Logger } from '@wangian/kit/log.ts'
import type { NatsConnection } from '@wangian/kit/nats.ts'
import type { DatabasePool } from '@wangian/kit/postgres.ts'
import { hasFilled, saveFilled, saveKnownPerson } from './people-store.ts'

const FILL = 'people'
const RETRY_DELAY_MS = 1_000

/**
 * Asks identity once for everybody: who registered before JetStream's memory begins, or before we kept what we keep now. Events go on
 * arriving meanwhile and win. Goes on until it is done; two processes that do it at once do no harm.
 */
export function startPeopleFill(options: {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  readonly log?: Logger
}): { readonly done: Promise<void>; stop(): Promise<void> } {
  const stopping = new AbortController()
  const done = fill(options, stopping.signal)
  return {
    done,
    async stop() {
      stopping.abort()
      await done
    },
  }
}

async function fill({ nats, pool, log }: Parameters<typeof startPeopleFill>[0], signal: AbortSignal): Promise<void> {
  let afterUserId = 0
  for (let failures = 0; !signal.aborted; ) {
    try {
      if (await hasFilled(pool, FILL)) return
      const { people } = await request(nats, 'identity', identityRequests.listPeople, { afterUserId })
      await pool.transaction(async (transaction) => {
        for (const person of people) await saveKnownPerson(transaction, person)
        if (people.length < PEOPLE_PER_PAGE) await saveFilled(transaction, FILL)
      })
      afterUserId = people.at(-1)?.userId ?? afterUserId
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      // While everything starts nobody may answer yet.
      if (failures === 10) log?.warn({ err: error }, 'cannot learn of people from identity, trying again')
      await pause(RETRY_DELAY_MS, signal)
    }
  }
}
