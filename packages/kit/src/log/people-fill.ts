import { identityRequests, type KnownPerson, PEOPLE_PER_PAGE } from '@wangian/contracts/revocations.ts'
import { pause } from '../bell.ts'
import type { NatsConnection } from '../bus/nats.ts'
import { request } from '../bus/requests.ts'
import { type DatabasePool, type Executor, sql, type Transaction } from '../database/postgres.ts'
import type { Logger } from '../service/logger.ts'

const FILL = 'people'
const RETRY_DELAY_MS = 1_000

/**
 * Asks identity once for everybody: who registered before JetStream's memory begins, or before we kept what we keep now. Events go on
 * arriving meanwhile and win. Goes on until it is done; two processes that do it at once do no harm. That it is done is noted in the
 * service's own table `completed_fills`.
 * @param options.save takes over what identity says of one person, but for what a later event has told
 */
export function startPeopleFill(options: {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  readonly save: (transaction: Transaction, person: KnownPerson) => Promise<void>
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

async function fill(
  { nats, pool, save, log }: Parameters<typeof startPeopleFill>[0],
  signal: AbortSignal,
): Promise<void> {
  let afterUserId = 0
  for (let failures = 0; !signal.aborted; ) {
    try {
      if (await hasFilled(pool, FILL)) return
      const { people } = await request(nats, 'identity', identityRequests.listPeople, { afterUserId })
      await pool.transaction(async (transaction) => {
        for (const person of people) await save(transaction, person)
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

async function hasFilled(executor: Executor, name: string): Promise<boolean> {
  return executor.exists(sql.unsafe`select from completed_fills where name = ${name}`)
}

async function saveFilled(executor: Executor, name: string): Promise<void> {
  await executor.query(sql.unsafe`insert into completed_fills (name) values (${name}) on conflict do nothing`)
}
