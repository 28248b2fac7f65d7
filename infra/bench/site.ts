import { Client } from 'pg'
import { roundRobinPlan } from '../load/bid-plan.ts'
import { Ledger } from '../load/ledger.ts'
import { type BidTarget, closedLoop, type LoadResult, openLoop } from '../load/loops.ts'
import { openSocketTarget, type SocketTarget } from '../load/socket-target.ts'
import { type AuctionRig, startAuctionRig } from '../rig/auction-rig.ts'
import { openingTerms } from '../rig/opened-auctions.ts'
import { type BookTarget, openBook } from './book-target.ts'
import { ContenderDatabase, compareWithLedger, type StoredBids } from './contender-database.ts'
import { type Contender, type Design, openContender } from './contenders.ts'

/** As many as people measure these designs with; each is a bidder on a socket of his own in the whole way. */
export const BIDDERS = 128
/** What keeps every part of the whole way busy. */
export const MANY_IN_FLIGHT = 1024
const RELAY_IDLE_WITHIN_MS = 60_000
const LOOK_EVERY_MS = 50

/** Whose bids: through the whole way, by the book in this process, or by a contender. */
export type Measured = 'ours' | 'book' | 'contender'

/** How a measurement is loaded: so many in flight, or so many per second. */
export type Load = { readonly inFlight: number } | { readonly ratePerS: number }

/** Everything that is measured, on one Postgres, with proof that nothing was gained by losing bids. */
export interface Site {
  readonly rig: AuctionRig
  readonly book: BookTarget
  /** Our whole way: one bid in flight per bidder. */
  readonly sockets: SocketTarget
  /** The same with as many bids in flight per bidder as make so many together. */
  socketsFor(inFlight: number): Promise<SocketTarget>
  /** The same with every auction having one bidder only. */
  readonly orderedSockets: SocketTarget
  /** What was found to be wrong with stored bids, over all measurements. */
  readonly problems: string[]
  openContender(design: Design, connections: number): Contender
  readonly contenderUrl: string
  openContenderAuctions(count: number): Promise<number[]>
  /** Loads a target with bids on these auctions, and compares afterwards what was acknowledged with what is stored. */
  measure(
    kind: Measured,
    target: BidTarget,
    auctionIds: readonly number[],
    load: Load,
    durationMs: number,
  ): Promise<LoadResult>
  statesOf(auctionIds: readonly number[]): Promise<AuctionState[]>
  /** Waits until what the last measurement left behind (events on their way to other services) is gone. */
  rest(): Promise<number>
  close(): Promise<void>
}

/** @throws when the server gives up durability for speed */
export async function startSite(options: {
  readonly log: (line: string) => void
  readonly postgresEnvironment?: NodeJS.ProcessEnv
  /** Owners of auctions; one when not given. */
  readonly owners?: number
}): Promise<Site> {
  const rig = await startAuctionRig({
    ...(options.postgresEnvironment && { postgresEnvironment: options.postgresEnvironment }),
    ...(options.owners !== undefined && { auctionInstances: options.owners }),
    log: (source, line) => {
      if (/^(auction|gateway|rig)/.test(source)) options.log(`  ${source}: ${line}`)
    },
  })
  const admin = new Client({ connectionString: rig.adminDatabaseUrl })
  await admin.connect()
  await requireDurability(admin)
  const contenders = await ContenderDatabase.create(rig.adminDatabaseUrl)
  const book = await openBook(rig.adminDatabaseUrl)
  const bookAdmin = new Client({ connectionString: rig.adminDatabaseUrl.replace(/[^/]+$/, 'book') })
  await bookAdmin.connect()
  const tokens = await Promise.all(
    Array.from({ length: BIDDERS }, async (_, index) => ({ userId: index + 1, token: await rig.tokenFor(index + 1) })),
  )
  const sockets = await openSocketTarget({ url: rig.socketUrl, tokens })
  const socketsByLoad = new Map<number, SocketTarget>([[1, sockets]])
  const orderedSockets = await openSocketTarget({ url: rig.socketUrl, tokens, isOneBidderPerAuction: true })
  const problems: string[] = []

  const stored = { ours: admin, book: bookAdmin }
  async function compare(
    kind: Measured,
    ledger: Ledger,
    before: readonly AuctionState[],
    unknown: number,
  ): Promise<void> {
    const found: string[] = []
    if (kind === 'contender') found.push(...(await contenders.problems(ledger)))
    else {
      const seqBefore = new Map(before.map(({ auctionId, seq }) => [auctionId, seq]))
      found.push(...compareWithLedger(ledger, await storedBids(stored[kind], before), unknown, seqBefore))
      found.push(...(await wrongLeaders(stored[kind], ledger)))
    }
    for (const problem of found) options.log(`  PROBLEM (${kind}): ${problem}`)
    problems.push(...found.map((problem) => `${kind}: ${problem}`))
  }

  return {
    rig,
    book,
    sockets,
    async socketsFor(inFlight) {
      const bidsPerSocket = Math.ceil(inFlight / BIDDERS)
      const target =
        socketsByLoad.get(bidsPerSocket) ?? (await openSocketTarget({ url: rig.socketUrl, tokens, bidsPerSocket }))
      socketsByLoad.set(bidsPerSocket, target)
      return target
    },
    orderedSockets,
    problems,
    contenderUrl: contenders.url,
    openContender: (design, connections) => openContender({ design, url: contenders.url, connections }),
    openContenderAuctions: (count) => contenders.open(count),
    async measure(kind, target, auctionIds, load, durationMs) {
      const ledger = new Ledger()
      const unknownBefore = unknownCount(target)
      const before = kind === 'contender' ? auctionIds.map(untouched) : await statesOf(stored[kind], auctionIds)
      const plan = roundRobinPlan(before, openingTerms.incrementSen)
      const result =
        'inFlight' in load
          ? await closedLoop({ target, plan, ledger, durationMs, inFlight: load.inFlight })
          : await openLoop({ target, plan, ledger, durationMs, ratePerS: load.ratePerS })
      await compare(kind, ledger, before, unknownCount(target) - unknownBefore + result.unanswered)
      return result
    },
    statesOf: (auctionIds) => statesOf(admin, auctionIds),
    async rest() {
      const startedAtMs = performance.now()
      const deadlineMs = startedAtMs + RELAY_IDLE_WITHIN_MS
      while (!(await isRelayIdle(admin)) && performance.now() < deadlineMs) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
      }
      return performance.now() - startedAtMs
    },
    async close() {
      await Promise.all([...socketsByLoad.values(), orderedSockets].map((target) => target.close()))
      await book.close()
      await bookAdmin.end()
      await contenders.close()
      await admin.end()
      await rig.stop()
    },
  }
}

async function requireDurability(admin: Client): Promise<void> {
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await admin.query<Record<string, string>>(`show ${setting}`)
    if (rows[0]?.[setting] !== 'on') throw new Error(`${setting} is ${rows[0]?.[setting]}: such figures mean nothing`)
  }
}

function unknownCount(target: BidTarget): number {
  return 'refusals' in target ? ((target as SocketTarget).refusals.get('outcome-unknown') ?? 0) : 0
}

export interface AuctionState {
  readonly auctionId: number
  readonly priceSen: number
  /** Of its last bid. */
  readonly seq: number
  readonly version: number
}

function untouched(auctionId: number): AuctionState {
  return { auctionId, priceSen: openingTerms.startingPriceSen, seq: 0, version: 1 }
}

async function statesOf(admin: Client, auctionIds: readonly number[]): Promise<AuctionState[]> {
  const { rows } = await admin.query<AuctionState>(
    `select id::float8 as "auctionId", coalesce(current_bid_sen, starting_price_sen)::float8 as "priceSen", bid_count as seq, version
     from auction.auctions where id = any ($1) order by id`,
    [auctionIds],
  )
  return rows
}

async function storedBids(admin: Client, before: readonly AuctionState[]): Promise<StoredBids[]> {
  const { rows } = await admin.query<StoredBids>(
    `select b.id::float8 as "auctionId", count(*)::float8 as count, max((e.data ->> 'seq')::int)::float8 as "highestSeq",
       sum((e.data ->> 'seq')::int)::float8 as "seqSum"
     from unnest($1::bigint[], $2::int[]) as b (id, version)
     join auction.events e on e.stream = 'auction-' || b.id and e.version > b.version and e.type = 'BidPlaced'
     group by b.id`,
    [before.map(({ auctionId }) => auctionId), before.map(({ version }) => version)],
  )
  return rows
}

/** Auctions whose row does not name the bidder of their highest bid. */
async function wrongLeaders(admin: Client, ledger: Ledger): Promise<string[]> {
  const { rows } = await admin.query<{ id: string }>(
    `select a.id from auction.auctions a
     join auction.events e on e.stream = 'auction-' || a.id and e.version = a.version
     where a.id = any ($1) and ((e.data ->> 'bidderId')::bigint <> a.current_bidder_id
       or (e.data ->> 'amountSen')::bigint <> a.current_bid_sen)`,
    [[...ledger.byAuction.keys()]],
  )
  return rows.map(({ id }) => `auction ${id}: the leader is not the highest bidder`)
}

async function isRelayIdle(admin: Client): Promise<boolean> {
  const { rows } = await admin.query<{ idle: boolean }>(
    `select not exists (
       select from auction.events e, auction.log_state s where (e.tx, e.position) > (s.relayed_tx, s.relayed_position)
     ) as idle`,
  )
  return rows[0]?.idle === true
}
