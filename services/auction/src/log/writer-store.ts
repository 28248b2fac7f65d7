import type { EventEmitter } from 'node:events'
import type { EventMetadata } from '@wangian/contracts/envelope.ts'
import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { auctionEvents } from '@wangian/contracts/events/auction.ts'
import { AUCTION_PARTITIONS } from '@wangian/contracts/subjects.ts'
import { toStored } from '@wangian/kit/log/event-format.ts'
import pg from 'pg'
import type { Batch, PendingEvent } from '../books/batch.ts'
import { auctionStream } from '../books/book.ts'
import type { KnownAuction } from '../domain.ts'
import { binaryArray } from './binary-arrays.ts'
import { type AuctionLog, CommitFailed, type Epochs, type LoggedBid } from './log-port.ts'
import { auctionRow, type RowTimes, type StateRow, stateColumns, stateFromRow, writeRows } from './row-store.ts'

const STATEMENT_TIMEOUT_MS = 2000
/** Gives up on a connection that says nothing at all, a little after the server itself would have given up. */
const QUERY_TIMEOUT_MS = 3000
const CONNECT_TIMEOUT_MS = 2000

const UNIQUE_VIOLATION = '23505'
const BID_ID_INDEX = 'events_bid_id'
const ONE_OPEN_INDEX = 'auctions_one_open_per_product'
/** The only statement of SQLSTATE class 23 that says something of our books and nothing of a command: they are behind the log. */
const VERSION_INDEX = 'events_pkey'
const writtenNow: RowTimes = { openedAt: null, updatedAt: null }
/** Of a partition that a batch does not touch: no lease has it. */
const NO_EPOCH = -1
/**
 * One transaction per batch, as one data-modifying statement, so that a paused process cannot leave it open: renew and check the leases
 * (the fence), append all events, write the auctions whose terms or status they change. An update of a lease that another process took blocks
 * until that one's transaction ends and then sees its epoch: no row, nothing written. The epochs come by partition, for each lease to find its own:
 * joined with a list of them, all leases are compared with all of the list.
 */
const FENCE = `
with fence as (
  update partition_leases lease
  set expires_at = clock_timestamp() + $1::float8 * interval '1 millisecond'
  where lease.epoch = ($3::bigint[])[lease.part + 1] and lease.owner = $4
  returning lease.part
), whole as materialized (
  select count(*) = $2::int as is_held from fence
)`

const EVENT_COLUMNS = 'stream, version, event_id, data, bidder_id, bid_id, type, metadata, recorded_at'
/** Side by side, row by row: as a table of its own each array would be stored once more before it is read. */
const UNNESTED_COLUMNS = `unnest($5::text[]), unnest($6::int[]), unnest($7::uuid[]), unnest($8::json[]), unnest($9::bigint[]), unnest($10::uuid[])`

/** Of bids the type is known, and the data says who acted. */
const COMMIT_BIDS = `${FENCE}, logged as (
  insert into events (${EVENT_COLUMNS})
  select ${UNNESTED_COLUMNS}, 'BidPlaced', '{}'::jsonb, statement_timestamp()
  from whole where whole.is_held
)
select is_held from whole`

/** The same for a batch in which auctions are opened, revised, ended or cancelled: their rows are written. */
const COMMIT_BATCH = `${FENCE}, logged as (
  insert into events (${EVENT_COLUMNS}, schema_version)
  select ${UNNESTED_COLUMNS}, unnest($11::text[]), unnest($12::jsonb[]), statement_timestamp(), unnest($13::smallint[])
  from whole where whole.is_held
), changed as (
  ${writeRows.from.sql}$14::jsonb${writeRows.as.sql}, whole where whole.is_held
  ${writeRows.orUpdate.sql}
)
select is_held from whole`

/** The same for a single bid, the usual batch of a calm lot: without arrays it takes Postgres about half the time. */
const COMMIT_ONE_BID = `
with fence as (
  update partition_leases
  set expires_at = clock_timestamp() + $1::float8 * interval '1 millisecond'
  where part = $2 and epoch = $3 and owner = $4
  returning part
), logged as (
  insert into events (${EVENT_COLUMNS})
  select $5, $6, $7::uuid, $8::json, $9::bigint, $10::uuid, 'BidPlaced', '{}', statement_timestamp() from fence
)
select true as is_held from fence`

/**
 * The log of the auctions as the single writer uses it. It holds one connection of its own with plain `pg`: a pool's checks per query
 * cost more than a small batch. After a failure the connection is thrown away and the next call opens another.
 */
export class WriterStore implements AuctionLog {
  readonly #url: string
  readonly #instance: string
  readonly #leaseTtlMs: number
  #client: Promise<pg.Client> | null = null

  constructor(options: { url: string; instance: string; leaseTtlMs: number }) {
    this.#url = options.url
    this.#instance = options.instance
    this.#leaseTtlMs = options.leaseTtlMs
  }

  async commit(parts: readonly number[], epochs: Epochs, batch: Batch): Promise<'committed' | 'fenced'> {
    const statement = this.#statementOrRefusal(parts, epochs, batch)
    let isSent = false
    try {
      const client = await this.#connected()
      isSent = true
      const result = await client.query<{ is_held: boolean }>(statement)
      return result.rows[0]?.is_held === true ? 'committed' : 'fenced'
    } catch (cause) {
      const isDefinite = !isSent || isRolledBack(cause)
      const isDuplicateBid =
        cause instanceof pg.DatabaseError && cause.code === UNIQUE_VIOLATION && cause.constraint === BID_ID_INDEX
      const refusal = isDuplicateBid ? null : refusalOf(cause)
      if (!isDuplicateBid && refusal === null) this.#discard()
      throw new CommitFailed({ isDefinite, isDuplicateBid, refusal, cause })
    }
  }

  /** What cannot even be written down was said by one of the commands. */
  #statementOrRefusal(parts: readonly number[], epochs: Epochs, batch: Batch): pg.QueryConfig {
    try {
      return this.#statement(parts, epochs, batch)
    } catch (cause) {
      throw new CommitFailed({ isDefinite: true, refusal: 'bad-request', cause })
    }
  }

  #statement(parts: readonly number[], epochs: Epochs, batch: Batch): pg.QueryConfig {
    const leaseTtlMs = this.#leaseTtlMs
    const instance = this.#instance
    const [only] = batch.events
    const [part] = parts
    if (batch.events.length === 1 && parts.length === 1 && part !== undefined && only?.event.type === 'BidPlaced') {
      const { book, version, eventId, event } = only
      const { bidderId, bidId } = event.data
      const fence = [leaseTtlMs, part, epochs.get(part) ?? NO_EPOCH, instance]
      const row = [book.stream, version, eventId, JSON.stringify(event.data), bidId === null ? null : bidderId, bidId]
      return { name: 'commit-one-bid', text: COMMIT_ONE_BID, values: [...fence, ...row] }
    }
    const heldEpochs = new Array<number>(AUCTION_PARTITIONS).fill(NO_EPOCH)
    for (const held of parts) heldEpochs[held] = epochs.get(held) ?? NO_EPOCH
    const values = [leaseTtlMs, parts.length, binaryArray('int8', heldEpochs), instance, ...eventColumns(batch)]
    if (batch.terms.size === 0) return { name: 'commit-bids', text: COMMIT_BIDS, values }
    values.push(...otherColumns(batch), changedRows(batch))
    return { name: 'commit-batch', text: COMMIT_BATCH, values }
  }

  async reclaim(epochs: Epochs): Promise<Epochs | null> {
    this.#discard()
    // The owner's own map, to which partitions may be added while Postgres answers.
    const parts = [...epochs.keys()]
    const heldEpochs = [...epochs.values()]
    const rows = await this.#rows<{ part: number; epoch: number }>(
      `update partition_leases lease
      set epoch = lease.epoch + 1, expires_at = clock_timestamp() + $1::float8 * interval '1 millisecond'
      from unnest($2::smallint[], $3::bigint[]) as held (part, epoch)
      where lease.part = held.part and lease.epoch = held.epoch and lease.owner = $4
      returning lease.part, lease.epoch`,
      [this.#leaseTtlMs, binaryArray('int2', parts), binaryArray('int8', heldEpochs), this.#instance],
    )
    if (rows.length !== parts.length) return null
    return new Map(rows.map((row) => [row.part, row.epoch]))
  }

  async isLogged(event: PendingEvent): Promise<boolean> {
    const rows = await this.#rows('select 1 from events where stream = $1 and version = $2 and event_id = $3', [
      event.book.stream,
      event.version,
      event.eventId,
    ])
    return rows.length > 0
  }

  async loadOpen(parts: readonly number[]): Promise<KnownAuction[]> {
    return this.#auctions(`status = 'open' and part = any ($1::smallint[])`, binaryArray('int2', parts))
  }

  async loadAuctions(auctionIds: readonly number[]): Promise<KnownAuction[]> {
    if (auctionIds.length === 0) return []
    return this.#auctions('id = any ($1::bigint[])', binaryArray('int8', auctionIds))
  }

  async findBids(bids: readonly { auctionId: number; bidderId: number; bidId: string }[]): Promise<LoggedBid[]> {
    if (bids.length === 0) return []
    const streams = bids.map(({ auctionId }) => auctionStream(auctionId))
    const bidderIds = bids.map(({ bidderId }) => bidderId)
    const bidIds = bids.map(({ bidId }) => bidId)
    const rows = await this.#rows<{ data: LoggedBid }>(
      `select e.data from unnest($1::text[], $2::bigint[], $3::uuid[]) as wanted (stream, bidder_id, bid_id)
      join events e on e.bid_id = wanted.bid_id and e.bidder_id = wanted.bidder_id and e.stream = wanted.stream`,
      [binaryArray('text', streams), binaryArray('int8', bidderIds), binaryArray('uuid', bidIds)],
    )
    return rows.map((row) => row.data)
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#client = null
    if (client !== null) await (await client).end()
  }

  async #auctions(condition: string, numbers: Buffer): Promise<KnownAuction[]> {
    const text = `select ${stateColumns.sql} from auctions where ${condition}`
    return (await this.#rows<StateRow>(text, [numbers])).map(stateFromRow)
  }

  async #rows<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    try {
      const client = await this.#connected()
      return (await client.query<Row>(text, values)).rows
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) this.#discard()
      throw error
    }
  }

  #connected(): Promise<pg.Client> {
    this.#client ??= this.#open()
    return this.#client
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: `${this.#instance} writer`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: 1000,
      keepAlive: true,
      types: { getTypeParser },
    })
    // A connection that breaks while idle is noticed here; one that breaks in use fails its query.
    const emitter: EventEmitter = client
    emitter.on('error', () => this.#discard(client))
    emitter.on('end', () => this.#discard(client))
    try {
      await client.connect()
      // A durable answer is the promise (P1), whatever the server's default is. The statements' plans do not depend on their values, and
      // planning them anew each time would cost more than a small batch.
      await client.query('set synchronous_commit = on; set plan_cache_mode = force_generic_plan')
      return client
    } catch (error) {
      this.#client = null
      client.end().catch(() => {})
      throw error
    }
  }

  #discard(only?: pg.Client): void {
    const current = this.#client
    if (current === null) return
    if (only !== undefined) {
      void current.then(
        (client) => {
          if (client === only && this.#client === current) this.#client = null
        },
        () => {},
      )
      return
    }
    this.#client = null
    void current.then((client) => client.end()).catch(() => {})
  }
}

/** Ids, amounts and epochs are numbers; no `bigint` of ours is beyond 2^53. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')

/** Whether Postgres itself said that the statement failed: then its transaction is gone for certain. */
function isRolledBack(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return false
  // Class 57P0x (server shutting down, crash) and 08 (connection) may be said after the commit record was written.
  return !error.code.startsWith('57P') && !error.code.startsWith('08')
}

/** With what a command is refused whose data Postgres does not take; `null` when the failure says nothing of the data. */
function refusalOf(error: unknown): ErrorCode | null {
  if (!(error instanceof pg.DatabaseError) || !/^2[23]/.test(error.code ?? '')) return null
  if (error.constraint === VERSION_INDEX) return null
  return error.constraint === ONE_OPEN_INDEX ? 'auction-exists' : 'bad-request'
}

function eventColumns({ events }: Batch): Buffer[] {
  const streams: string[] = []
  const versions: number[] = []
  const eventIds: string[] = []
  const data: string[] = []
  const bidderIds: (number | null)[] = []
  const bidIds: (string | null)[] = []
  for (const { book, version, eventId, event } of events) {
    streams.push(book.stream)
    versions.push(version)
    eventIds.push(eventId)
    data.push(JSON.stringify(event.data))
    const hasBidId = event.type === 'BidPlaced' && event.data.bidId !== null
    bidderIds.push(hasBidId ? event.data.bidderId : null)
    bidIds.push(hasBidId ? event.data.bidId : null)
  }
  return [
    binaryArray('text', streams),
    binaryArray('int4', versions),
    binaryArray('uuid', eventIds),
    binaryArray('json', data),
    binaryArray('int8', bidderIds),
    binaryArray('uuid', bidIds),
  ]
}

/**
 * What is the same for all bids. The shape of a bid is not checked as it is written, and its version is the column's default: a check costs
 * more than the judgement of a bid. A test reads what is written.
 */
function otherColumns({ events }: Batch): Buffer[] {
  const metadata = events.map(({ actorId, traceparent, event }) => {
    const known: Partial<EventMetadata> = {
      ...(actorId !== null && { actorId }),
      ...(traceparent !== null && event.type !== 'BidPlaced' && { traceparent }),
    }
    return JSON.stringify(known)
  })
  const schemaVersions = events.map(({ event }) =>
    event.type === 'BidPlaced' ? auctionEvents.BidPlaced.version : toStored('auction', event).schemaVersion,
  )
  const types = events.map(({ event }) => event.type)
  return [binaryArray('text', types), binaryArray('jsonb', metadata), binaryArray('int2', schemaVersions)]
}

function changedRows({ terms }: Batch): string {
  return JSON.stringify([...terms.values()].map((state) => auctionRow(state, writtenNow)))
}
