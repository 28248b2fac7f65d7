import type { BidTuple, VerdictTuple } from '@wangian/contracts/auction-wire.ts'
import { parseVerdicts } from '@wangian/contracts/auction-wire.ts'
import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { auctionBidsSubject, auctionPartition } from '@wangian/contracts/subjects.ts'
import { connectNats, type NatsConnection } from '@wangian/kit/bus/nats.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { createTestTokens, type TestTokens } from '@wangian/kit/testing/test-app.ts'
import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import type { z } from 'zod'
import { serveAuctionsOfProducts } from '../api/requests.ts'
import { serveSnapshots } from '../api/snapshots.ts'
import { buildApp } from '../app.ts'
import { livePublisher } from '../live/live-publisher.ts'
import { WriterStore } from '../log/writer-store.ts'
import { DatabaseClock } from '../owner/clock.ts'
import { LEASE_TTL_MS } from '../owner/held-partitions.ts'
import { Owner } from '../owner/owner.ts'
import { Intake } from '../partitions/intake.ts'
import { Partitions } from '../partitions/partitions.ts'
import { createAuctionDatabase } from './writer-rig.ts'

export type Listing = NonNullable<z.input<typeof catalogueRequests.getListing.answer>['listing']>
export type CatalogueProduct = NonNullable<z.input<typeof catalogueRequests.getProduct.answer>['product']>

type ListingChange = z.infer<typeof catalogueRequests.changeListing.body>

/** The service as `main.ts` wires it, in this process, on its own database and NATS, beside a catalogue that a test fills. */
export interface AuctionProcess {
  readonly database: TestDatabase
  readonly bus: TestNats
  readonly nats: NatsConnection
  readonly tokens: TestTokens
  readonly app: App
  /** What the catalogue answers; whatever is not here it does not know. */
  readonly listings: Map<number, Listing>
  readonly products: Map<number, CatalogueProduct>
  /** What the catalogue was told to change; it refuses what is not in `listings`. */
  readonly changes: ListingChange[]
  /** The lots that the catalogue was told to give up; the same of those. */
  readonly released: z.infer<typeof catalogueRequests.releaseLot.body>[]
  startOwner(instance?: string, clock?: DatabaseClock): Promise<RunningOwner>
  /** Sends bids of one partition as a gateway does and waits for all verdicts, in the order of the bids. */
  bid(...bids: readonly BidTuple[]): Promise<VerdictTuple[]>
  stop(): Promise<void>
}

export interface RunningOwner {
  readonly owner: Owner
  readonly troubles: { message: string; error: unknown }[]
  /** Hands its partitions over and leaves. */
  stop(): Promise<void>
}

export async function startAuctionProcess(): Promise<AuctionProcess> {
  const [database, bus, tokens] = await Promise.all([createAuctionDatabase(), startTestNats(), createTestTokens()])
  const nats = await connectNats({ url: bus.url, name: 'auction-test' })
  const { pool } = database
  const listings: AuctionProcess['listings'] = new Map()
  const products: AuctionProcess['products'] = new Map()
  const changes: ListingChange[] = []
  const released: AuctionProcess['released'] = []
  const served = [
    serveRequests(bus.connection, 'catalogue', catalogueRequests.releaseLot, (lot) => {
      if (!listings.has(lot.productId)) throw new Rejection('conflict', 'The winner has until tomorrow to pay.')
      released.push(lot)
      return {}
    }),
    serveRequests(bus.connection, 'catalogue', catalogueRequests.getListing, ({ productId }) => ({
      listing: listings.get(productId) ?? null,
    })),
    serveRequests(bus.connection, 'catalogue', catalogueRequests.getProduct, ({ productId, auctionId }) => ({
      product: products.get(productId) ?? null,
      isLotReleased: released.some((lot) => lot.auctionId === auctionId),
    })),
    serveRequests(bus.connection, 'catalogue', catalogueRequests.changeListing, (change) => {
      if (!listings.has(change.productId)) throw new Rejection('product-not-found')
      if (change.step !== 'check') changes.push(change)
      return {}
    }),
    serveSnapshots({ nats, pool, log: silentLogger }),
    serveAuctionsOfProducts({ nats, pool, log: silentLogger }),
  ]
  const app = buildApp({ pool, nats, auth: tokens.authenticator, readiness: async () => ({}) })
  const owners = new Set<RunningOwner>()

  async function startOwner(instance = 'auction-1', clock = new DatabaseClock()): Promise<RunningOwner> {
    const writer = new WriterStore({ url: database.url, instance, leaseTtlMs: LEASE_TTL_MS })
    const troubles: RunningOwner['troubles'] = []
    const onTrouble = (message: string, error: unknown) => troubles.push({ message, error })
    const owner = new Owner({
      log: writer,
      clock,
      publishLive: livePublisher({ nats, log: silentLogger, onUnheard: (auctionId) => owner.unheard(auctionId) }),
      suspendedSinceMs: () => null,
      onFenced: () => onTrouble('fenced', null),
      onCommitted: () => {},
      onTrouble,
    })
    const intake = new Intake({ nats, owner, clock, log: silentLogger })
    const partitions = new Partitions({
      pool,
      instance,
      owner,
      intake,
      clock,
      onTrouble,
      onTaken: async () => {},
      announce: () => {},
    })
    await partitions.start()
    const running: RunningOwner = {
      owner,
      troubles,
      async stop() {
        if (!owners.delete(running)) return
        await partitions.stop()
        owner.stop()
        await writer.close()
      },
    }
    owners.add(running)
    return running
  }

  return {
    database,
    bus,
    nats,
    tokens,
    app,
    listings,
    products,
    changes,
    released,
    startOwner,
    bid: (...bids) => sendBids(bus.connection, bids),
    async stop() {
      for (const running of owners) await running.stop()
      await app.close()
      for (const one of served) await one.stop()
      await nats.close()
      await bus.stop()
      await database.drop()
    },
  }
}

async function sendBids(nats: NatsConnection, bids: readonly BidTuple[]): Promise<VerdictTuple[]> {
  const [first] = bids
  if (first === undefined) return []
  const verdicts: VerdictTuple[] = []
  // An answer comes in parts, each as soon as it is certain.
  const answers = await nats.requestMany(auctionBidsSubject(auctionPartition(first[0])), JSON.stringify(bids), {
    strategy: 'sentinel',
    maxWait: 5000,
  })
  for await (const answer of answers) {
    verdicts.push(...parseVerdicts(answer.string()))
    if (verdicts.length >= bids.length) break
  }
  return verdicts.sort(([one], [other]) => one - other)
}
