import { untilTick } from '@wangian/kit/bell.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { type Logger, silentLogger } from '@wangian/kit/service/logger.ts'
import { writeStalePrices } from './listing-store.ts'

/** Each costs one or two milliseconds of Postgres; bids must not feel it, however many auctions they are on. */
const PRICES_AT_ONCE_MAX = 25
const WRITE_EVERY_MS = 500

/** Keeps the prices by which lists sort and narrow auctions up to date; any number of processes may. */
export function startPricing({ pool, log = silentLogger }: { readonly pool: DatabasePool; readonly log?: Logger }): {
  stop(): Promise<void>
} {
  let writing = Promise.resolve()
  let timer: NodeJS.Timeout
  let isStopped = false
  const goOn = () => {
    timer = setTimeout(() => {
      writing = writePrices(pool)
        .then(() => {})
        .catch((error) => log.warn({ err: error }, 'cannot write the prices of auctions, trying again'))
        .finally(() => {
          if (!isStopped) goOn()
        })
    }, untilTick(WRITE_EVERY_MS))
  }
  goOn()
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await writing
    },
  }
}

/** @returns how many it looked at */
export function writePrices(pool: DatabasePool): Promise<number> {
  return writeStalePrices(pool, PRICES_AT_ONCE_MAX)
}
