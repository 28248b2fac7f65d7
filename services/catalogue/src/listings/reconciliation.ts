import { MESSAGES_AT_ONCE_MAX, messagingRequests } from '@wangian/contracts/messaging.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { startExclusiveJob } from '@wangian/kit/database/exclusive-job.ts'
import type { Locks } from '@wangian/kit/database/exclusive-session.ts'
import { pastFailures } from '@wangian/kit/past-failures.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { counter } from '@wangian/kit/service/metrics.ts'
import { listUnconfirmed, type Unconfirmed } from './bottle-store.ts'
import type { ListingCommand } from './domain.ts'
import { type ListingRun, runListing } from './listing-run.ts'

const RECONCILE_EVERY_MS = 30_000
/** How long a bottle is kept before anybody asks what for: longer than any request lives that asks for one. */
const UNCONFIRMED_MIN_MS = 60_000

const reconciled = counter({
  name: 'wangian_bottles_reconciled_total',
  help: 'Bottles that a crash had left with a deal that has none, or had not sold',
  labelNames: ['done'],
  known: [{ done: 'freed' }, { done: 'sold' }],
})

export interface Reconciling extends ListingRun {
  /** Where messaging is asked. */
  readonly nats: NatsConnection
  readonly nowMs?: () => number
  /** Ends it after the bottle under way. */
  readonly signal?: AbortSignal
}

/**
 * Frees bottles whose deal nobody has confirmed, which is what a process leaves behind that ends between the question for a bottle and the
 * confirmation. In one process at a time.
 */
export function startReconciliation(options: Reconciling & { readonly locks: Locks; readonly log?: Logger }): {
  stop(): Promise<void>
} {
  const { locks, log } = options
  return startExclusiveJob({
    locks,
    job: 'bottle-reconciliation',
    everyMs: RECONCILE_EVERY_MS,
    log,
    work: async (signal) => {
      const { freed, sold } = await reconcileBottles({ ...options, signal })
      if (freed + sold > 0) log?.warn({ freed, sold }, 'bottles were not what their deals are')
    },
  })
}

/**
 * Asks messaging once what became of the deals that have kept a bottle for long without being confirmed, the oldest first.
 * @returns how many bottles were freed, and how many sold
 */
export async function reconcileBottles(
  options: Reconciling,
): Promise<{ readonly freed: number; readonly sold: number }> {
  const { pool, nats, nowMs = Date.now, signal } = options
  const reservedBefore = new Date(nowMs() - UNCONFIRMED_MIN_MS).toISOString()
  const bottles = await listUnconfirmed(pool, reservedBefore, MESSAGES_AT_ONCE_MAX)
  if (bottles.length === 0) return { freed: 0, sold: 0 }
  const asked = { transactionIds: bottles.map(({ transactionId }) => transactionId) }
  const { standings } = await request(nats, 'messaging', messagingRequests.getDealStandings, asked)
  const standingOf = new Map(standings.map(({ transactionId, standing }) => [transactionId, standing]))
  const at = new Date(nowMs()).toISOString()
  const done = { freed: 0, sold: 0 }
  const reconcile = async (bottle: Unconfirmed) => {
    const standing = standingOf.get(bottle.transactionId)
    if (standing === undefined || standing === 'confirmed') return
    const what = standing === 'paid' ? 'sold' : 'freed'
    if (await mend(options, bottle, what, at)) {
      done[what] += 1
      reconciled.inc({ done: what })
    }
  }
  await pastFailures(bottles, reconcile, signal)
  return done
}

/** @returns whether there was anything to do still */
async function mend(run: ListingRun, bottle: Unconfirmed, what: 'freed' | 'sold', at: string): Promise<boolean> {
  const { productId, transactionId, buyerId, amountSen } = bottle
  const command: ListingCommand =
    what === 'sold'
      ? { type: 'SellBottle', transactionId, buyerId, amountSen, at }
      : { type: 'ReleaseBottle', transactionId, auctionId: null, by: 'nobody', at }
  const { events } = await runListing(run, {
    productId,
    command,
    actorId: null,
    requestId: `reconciliation-${transactionId}`,
  })
  return events.length > 0
}
