import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import type { CatalogueEvent } from '@wangian/contracts/events/catalogue.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import { startExclusiveJob } from '@wangian/kit/database/exclusive-job.ts'
import type { Locks } from '@wangian/kit/database/exclusive-session.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { type Decision, runCommand } from '@wangian/kit/log/command.ts'
import { pastFailures } from '@wangian/kit/past-failures.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import type { Listing } from '../listings/domain/listing.ts'
import { type ListingCommand, listingDecider, listingStream } from '../listings/domain.ts'
import { projectListings } from '../projections.ts'
import { canBeSeen } from '../store.ts'
import { findFeaturedDue, readClock } from './featured-store.ts'

const DUE_AT_ONCE_MAX = 100
/** Another process may have featured something that ends before what this one waits for. */
const LOOK_EVERY_MS = 2_000

interface Featuring {
  readonly pool: DatabasePool
  /** Called after something was appended to the log. */
  readonly onAppended: () => void
  readonly log?: Logger
}

/** Takes commands to feature a product from the bus: from whoever was paid for it. */
export function serveFeaturing(options: Featuring & { readonly nats: NatsConnection }): { stop(): Promise<void> } {
  const { nats, pool, onAppended, log } = options
  return serveRequests(
    nats,
    'catalogue',
    catalogueRequests.featureListing,
    async ({ productId, packageId, featuredUntil, durationHours = 0, commandId }) => {
      const at = await readClock(pool)
      const wanted = { packageId, commandId, canBeSeen: await canBeSeen(pool, productId), at }
      const { state, events } = await run(
        pool,
        productId,
        featuredUntil === undefined
          ? { type: 'FeatureLonger', ...wanted, durationHours }
          : { type: 'FeatureListing', ...wanted, featuredUntil },
      )
      if (events.length > 0) onAppended()
      // A command that is repeated after its end is as good as when it came first.
      return { featuredUntil: (state.status === 'listed' ? state.featuredUntil : null) ?? featuredUntil ?? at }
    },
    log === undefined ? {} : { log },
  )
}

/**
 * Ends what was featured when its time is over, by the database's clock, in one process at a time. What ended while nobody was there is
 * ended at the start.
 */
export function startFeatureExpiry(options: Featuring & { readonly locks: Locks }): { stop(): Promise<void> } {
  const { locks, pool, onAppended, log } = options
  return startExclusiveJob({
    locks,
    job: 'feature-expiry',
    everyMs: LOOK_EVERY_MS,
    log,
    work: async (signal) => {
      const { ended, nextInMs } = await endFeatured(pool, signal)
      if (ended > 0) onAppended()
      return nextInMs ?? undefined
    },
  })
}

/** @returns how many it has ended, and in how many ms there is more to do; `null` when nothing is featured */
export async function endFeatured(
  pool: DatabasePool,
  signal?: AbortSignal,
): Promise<{ ended: number; nextInMs: number | null }> {
  const { at, productIds, nextInMs } = await findFeaturedDue(pool, DUE_AT_ONCE_MAX)
  let ended = 0
  const end = async (productId: number) => {
    const { events } = await run(pool, productId, { type: 'UnfeatureListing', at })
    ended += events.length
  }
  await pastFailures(productIds, end, signal)
  return { ended, nextInMs: productIds.length === DUE_AT_ONCE_MAX ? 0 : nextInMs }
}

function run(
  pool: DatabasePool,
  productId: number,
  command: ListingCommand,
): Promise<Decision<Listing, CatalogueEvent>> {
  return runCommand({
    pool,
    decider: listingDecider,
    stream: listingStream(productId),
    command,
    metadata: { actorId: null, correlationId: `featuring-${productId}`, causationId: null, commandId: null },
    project: projectListings,
  })
}
