import type { CatalogueEvent } from '@wangian/contracts/events/catalogue.ts'
import type { DatabasePool, Executor, Transaction } from '@wangian/kit/database/postgres.ts'
import { type Decision, runCommand } from '@wangian/kit/log/command.ts'
import { fold } from '@wangian/kit/log/decider.ts'
import { type NewEvent, readStream } from '@wangian/kit/log/event-store.ts'
import { projectListings } from '../projections.ts'
import type { Listing } from './domain/listing.ts'
import { type ListingCommand, listingDecider, listingStream } from './domain.ts'

export interface ListingRun {
  readonly pool: DatabasePool
  /** Called after something was appended to the log. */
  readonly onAppended: () => void
}

/** Carries out what somebody asked for, with the tables that show it. `also` writes more into the same transaction, when there are events. */
export async function runListing(
  { pool, onAppended }: ListingRun,
  asked: {
    readonly productId: number
    readonly command: ListingCommand
    /** `null` when nobody asked for it. */
    readonly actorId: number | null
    readonly requestId: string
    readonly also?: (transaction: Transaction) => Promise<void>
  },
): Promise<Decision<Listing, CatalogueEvent>> {
  const decision = await runCommand({
    pool,
    decider: listingDecider,
    stream: listingStream(asked.productId),
    command: asked.command,
    metadata: { actorId: asked.actorId, correlationId: asked.requestId, causationId: null, commandId: null },
    project: async (transaction, events) => {
      await projectListings(transaction, events)
      await asked.also?.(transaction)
    },
  })
  if (decision.events.length > 0) onAppended()
  return decision
}

/** @throws Rejection as {@link runListing} would. Nothing is changed. */
export async function checkListing(executor: Executor, productId: number, command: ListingCommand): Promise<void> {
  const history = await readStream(executor, 'catalogue', listingStream(productId))
  listingDecider.decide(command, fold(listingDecider, history as readonly NewEvent[] as readonly CatalogueEvent[]))
}
