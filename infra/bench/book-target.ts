import { fileURLToPath } from 'node:url'
import { migrate } from '@wangian/kit/database/migrate.ts'
import { type DatabasePool, openPool } from '@wangian/kit/database/postgres.ts'
import { bidCommand, otherCommand, type Verdict, type Waiter } from '../../services/auction/src/books/command.ts'
import { WriterStore } from '../../services/auction/src/log/writer-store.ts'
import { DatabaseClock } from '../../services/auction/src/owner/clock.ts'
import { LEASE_TTL_MS } from '../../services/auction/src/owner/held-partitions.ts'
import { Owner } from '../../services/auction/src/owner/owner.ts'
import { Partitions } from '../../services/auction/src/partitions/partitions.ts'
import type { BidTarget } from '../load/loops.ts'
import { ensureServiceRoles } from '../postgres/roles.ts'
import { openingTerms, SELLER_ID } from '../rig/opened-auctions.ts'

const database = 'book'
const DAY_MS = 86_400_000
const BIDDERS = 1000

/** Our owner with its log, in this process: the core without sockets and bus. */
export interface BookTarget extends BidTarget {
  /** Of the database that holds its log. */
  readonly pool: DatabasePool
  open(count: number): Promise<number[]>
  close(): Promise<void>
}

/** Starts an owner on a database of its own in a server; no other process competes for its partitions. */
export async function openBook(adminUrl: string): Promise<BookTarget> {
  const urls = await ensureServiceRoles({
    adminUrl,
    database,
    services: ['auction'],
    passwords: { auction: 'book' },
    rolePrefix: `${database}_`,
  })
  const url = urls.get('auction') ?? ''
  const directory = fileURLToPath(new URL('../../services/auction/migrations', import.meta.url))
  await migrate({ url, schema: 'auction', directory })
  const pool = await openPool({ url, applicationName: database, connectionsMax: 2 })
  const clock = new DatabaseClock()
  const writer = new WriterStore({ url, instance: database, leaseTtlMs: LEASE_TTL_MS })
  const fail = (message: string, error?: unknown) => {
    throw new Error(`the book in process: ${message}`, { cause: error })
  }
  const owner = new Owner({
    log: writer,
    clock,
    publishLive: () => {},
    suspendedSinceMs: () => null,
    onFenced: () => fail('fenced'),
    onCommitted: () => {},
    onTrouble: fail,
  })
  const intake = { open: () => {}, close: async () => {} }
  const partitions = new Partitions({
    pool,
    instance: database,
    owner,
    intake,
    clock,
    onTrouble: fail,
    onTaken: async () => {},
    announce: () => {},
  })
  await partitions.start()

  let nextId = 1
  let bids = 0
  let isFlushing = false
  return {
    pool,
    async open(count) {
      const ids = Array.from({ length: count }, () => nextId++)
      await Promise.all(ids.map((auctionId) => openAuction(owner, auctionId)))
      return ids
    },
    place(auctionId, amountSen, done) {
      const bidderId = 1 + (bids++ % BIDDERS)
      const bid = [auctionId, bidderId, amountSen, null, 'bidder'] as const
      owner.submit(bidCommand(bid, performance.now(), new Callback(done), 0))
      if (isFlushing) return
      // As the intake does: once for everything that came in one message.
      isFlushing = true
      setImmediate(() => {
        isFlushing = false
        owner.flush()
      })
    },
    async close() {
      await partitions.stop()
      owner.stop()
      await writer.close()
      await pool.end()
    },
  }
}

class Callback implements Waiter {
  readonly #done: (seq: number) => void

  constructor(done: (seq: number) => void) {
    this.#done = done
  }

  settle(_index: number, verdict: Verdict): void {
    this.#done(verdict.seq)
  }
}

function openAuction(owner: Owner, auctionId: number): Promise<void> {
  const nowMs = Date.now()
  const terms = {
    auctionId,
    productId: auctionId,
    sellerId: SELLER_ID,
    startingPriceSen: openingTerms.startingPriceSen,
    incrementSen: openingTerms.incrementSen,
    reserveSen: null,
    buyNowSen: null,
    startsAt: new Date(nowMs - 60_000).toISOString(),
    endsAt: new Date(nowMs + DAY_MS).toISOString(),
  }
  return new Promise((resolve, reject) => {
    owner.submit(
      otherCommand({
        auctionId,
        actorId: SELLER_ID,
        receivedAtMs: performance.now(),
        build: (atMs) => ({ type: 'OpenAuction', terms, nowMs: atMs }),
        settle: ({ refusal }) => (refusal === null ? resolve() : reject(new Error(refusal))),
      }),
    )
    owner.flush()
  })
}
