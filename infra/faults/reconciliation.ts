import { connectNats } from '@wangian/kit/bus/nats.ts'
import { migrate } from '@wangian/kit/database/migrate.ts'
import { openPool, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { startConsumer } from '@wangian/kit/log/consumer.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { z } from 'zod'
import type { AuctionRig } from '../rig/auction-rig.ts'

/** Another service that follows the auctions' events, with the kit's own consumer, and keeps each effect. */
export interface Follower {
  /** Resolves when it has had every event that is in the log now, each once and in the order of its stream; throws when that never comes. */
  hasEverything(timeoutMs?: number): Promise<void>
  stop(): Promise<void>
}

interface FollowedEvent {
  readonly id: string
  readonly stream: string
  readonly version: number
}

const End = z.object({ end: z.number() })
const Problem = z.object({ problem: z.string() })
const CATCH_UP_WITHIN_MS = 30_000

/** Starts a follower. Its effects are rows of a table of its own, so that a doubled effect is seen as a doubled row. */
export async function startFollower(rig: AuctionRig, name: string): Promise<Follower> {
  const url = rig.followerDatabaseUrl
  await migrate({ url, schema: 'admin' })
  const pool = await openPool({ url, applicationName: `follower-${name}`, connectionsMax: 4 })
  const table = sql.identifier([`effects_of_${name}`])
  await pool.query(sql.unsafe`
    create table if not exists ${table} (
      position bigint generated always as identity, event_id uuid not null, stream text not null, version int not null
    )`)
  const nats = await connectNats({ url: rig.natsUrl, name: `follower-${name}` })
  const note = async (transaction: Transaction, events: readonly FollowedEvent[]) => {
    await transaction.query(sql.unsafe`
      insert into ${table} (event_id, stream, version)
      select id, stream, version from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
                                        as noted (id uuid, stream text, version integer)`)
  }
  const consumer = startConsumer({
    service: 'admin',
    source: 'auction',
    name,
    nats,
    pool,
    bulkHandlers: {
      AuctionOpened: note,
      AuctionRevised: note,
      BidPlaced: note,
      AuctionEnded: note,
      AuctionCancelled: note,
    },
  })
  const admin = await openPool({ url: rig.adminDatabaseUrl, applicationName: 'reconciliation', connectionsMax: 2 })
  const effects = sql.identifier(['admin', `effects_of_${name}`])

  return {
    async hasEverything(timeoutMs = CATCH_UP_WITHIN_MS) {
      // Bidders may go on: whoever waited for a moment without any event on its way would wait for luck.
      const end = await admin.oneFirst(sql.type(End)`select coalesce(max(position), 0) as end from auction.events`)
      await eventually(
        async () => {
          const missing = await admin.any(sql.type(Problem)`
            select e.stream || ' ' || e.version || ' never arrived' as problem from auction.events e
            where e.position <= ${end} and not exists (select from ${effects} f where f.event_id = e.event_id) limit 5`)
          if (missing.length > 0) throw new Error(missing.map(({ problem }) => problem).join('\n'))
        },
        { timeoutMs },
      )
      const problems = await admin.any(sql.type(Problem)`
        select event_id || ' had its effect ' || count(*) || ' times' as problem
        from ${effects} group by event_id having count(*) > 1
        union all
        select f.stream || ' ' || f.version || ' is not in the log' from ${effects} f
        where not exists (select from auction.events e where e.event_id = f.event_id)
        union all
        select stream || ' ' || version || ' came at place ' || place from (
          select stream, version, row_number() over (partition by stream order by position) as place from ${effects}
        ) as placed where version <> place
        union all
        select 'parked: ' || error from admin.dead_letters
        limit 20`)
      if (problems.length > 0) throw new Error(problems.map(({ problem }) => problem).join('\n'))
    },
    async stop() {
      await consumer.stop()
      await nats.close()
      await pool.end()
      await admin.end()
    },
  }
}

/** Throws when what is read of an auction is not what its stream says. */
export async function expectRowsToFollowTheLog(rig: AuctionRig): Promise<void> {
  const admin = await openPool({ url: rig.adminDatabaseUrl, applicationName: 'reconciliation', connectionsMax: 1 })
  try {
    const problems = await admin.any(sql.type(Problem)`
      with logged as (
        select stream, count(*) as version, count(*) filter (where type = 'BidPlaced') as bids,
          max((data ->> 'amountSen')::bigint) filter (where type = 'BidPlaced') as highest_sen,
          bool_or(type = 'AuctionEnded') as has_ended
        from auction.events group by stream
      )
      select 'auction ' || a.id || ': the row has version ' || a.version || ', ' || a.bid_count || ' bids, ' || a.status
        || '; the log has ' || l.version || ', ' || l.bids || ', ' || l.has_ended as problem
      from auction.auctions a left join logged l on l.stream = 'auction-' || a.id
      where l.stream is null or a.version <> l.version or a.bid_count <> l.bids
        or a.current_bid_sen is distinct from l.highest_sen or (a.status = 'ended') <> l.has_ended
      limit 20`)
    if (problems.length > 0) throw new Error(problems.map(({ problem }) => problem).join('\n'))
  } finally {
    await admin.end()
  }
}
