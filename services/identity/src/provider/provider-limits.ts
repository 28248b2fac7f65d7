import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { addressKey } from '@wangian/kit/http/client-address.ts'
import type { App, AppRequest } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { createSharedRateLimiter, type SharedRateLimiter } from '@wangian/kit/http/shared-rate-limit.ts'
import { ProviderRefusal, retryAfterS } from './provider-errors.ts'

const MINUTE_MS = 60 * 1000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Counts requests of one address of the network. @throws Rejection('rate-limited') */
export type RequestLimit = (request: AppRequest) => void

/** How often one address of the network may ask for the same thing of this copy in five minutes. */
export function createRequestLimit(scope: App, limit: number): RequestLimit {
  const requests = createRateLimiter(scope, { limit, windowMs: 5 * MINUTE_MS })
  return (request) => requests.take(addressKey(request.ip))
}

const MAILS_PER_HOUR = { limit: 6, windowMs: HOUR_MS }
const MAILS_PER_DAY = { limit: 20, windowMs: DAY_MS }

interface Counting {
  readonly pool: DatabasePool
  readonly rateLimitFactor: number
}

/** By kind and address, whichever of our ways it is asked for: it also bounds how many codes one can guess, which are five for each mail. */
export function createDailyMailLimit(counting: Counting): SharedRateLimiter {
  return createSharedRateLimiter(counting, { name: 'mails by day', ...MAILS_PER_DAY })
}

/** Counts that a mail of this kind is asked for. @throws ProviderRefusal `over_email_send_rate_limit` */
export type MailLimit = (kind: string, typed: string) => Promise<void>

/** How often a mail may be asked for: by what was typed, whether it is somebody's or not, or the refusal would tell whose. */
export function createMailLimit({ rateLimitFactor }: App, pool: DatabasePool): MailLimit {
  const app = { pool, rateLimitFactor }
  const limiters = [
    createSharedRateLimiter(app, { name: 'mails by minute', limit: 1, windowMs: MINUTE_MS }),
    createSharedRateLimiter(app, { name: 'mails by hour', ...MAILS_PER_HOUR }),
    createDailyMailLimit(app),
  ]
  return async (kind, email) => {
    try {
      for (const limiter of limiters) await limiter.take(`${kind} ${email}`)
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      const message = `For security purposes, you can only request this after ${retryAfterS(error)} seconds.`
      throw new ProviderRefusal(429, 'over_email_send_rate_limit', message, {}, { cause: error })
    }
  }
}

/** Counts a mail that is sent again to this address. @returns false when there were too many: nobody is told, and none is sent */
export type ResendLimit = (kind: string, email: string) => Promise<boolean>

/**
 * How often a mail is sent again to an address, whether the address was typed or the alias that stands for it. Not by the minute:
 * whoever has just registered, and asks by their username, gets what they are told they get.
 */
export function createResendLimit({ rateLimitFactor }: App, pool: DatabasePool): ResendLimit {
  const app = { pool, rateLimitFactor }
  const byHour = createSharedRateLimiter(app, { name: 'resends by hour', ...MAILS_PER_HOUR })
  const byDay = createSharedRateLimiter(app, { name: 'resends by day', ...MAILS_PER_DAY })
  return async (kind, email) => {
    const key = `${kind} ${email}`
    return (await byHour.allows(key)) && byDay.allows(key)
  }
}
