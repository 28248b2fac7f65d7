import { catalogueRequests, FAVORERS_AT_ONCE_MAX } from '@wangian/contracts/catalogue.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import {
  type BegunAnnouncement,
  endAnnouncements,
  hasAnnouncements,
  listFavorersAnnouncements,
  listNextWatchers,
  moveAnnouncement,
  takeWatchersAnnouncements,
} from './announcement-store.ts'
import { lockNotices, type Telling } from './notice-store.ts'

/** Whoever else tells something waits for as long as so many take. */
const TOLD_AT_ONCE_MAX = 1_000
const ANNOUNCEMENTS_AT_ONCE_MAX = 100

type Tell = (transaction: Transaction, tellings: readonly Telling[]) => Promise<void>

/**
 * Goes on with what was not told to all yet, until it is. Who was told is remembered with the notices, so that nobody is told twice or forgotten.
 * @param options.signal ends it after those who are being told
 */
export async function goOnTelling({
  pool,
  nats,
  tell,
  signal,
}: {
  readonly pool: DatabasePool
  readonly nats: NatsConnection
  readonly tell: Tell
  readonly signal?: AbortSignal
}): Promise<void> {
  if (!(await hasAnnouncements(pool))) return
  for (let hasMore = true; hasMore && !signal?.aborted; ) {
    hasMore = await pool.transaction(async (transaction) => {
      // Whoever announces something holds this before them, too.
      await lockNotices(transaction)
      const begun = await takeWatchersAnnouncements(transaction, { limit: ANNOUNCEMENTS_AT_ONCE_MAX })
      await tellNextWatchers(transaction, tell, begun)
      return begun.length > 0
    })
  }
  for (let hasMore = true; hasMore; ) {
    const waiting = await listFavorersAnnouncements(pool, ANNOUNCEMENTS_AT_ONCE_MAX)
    for (const begun of waiting) {
      if (signal?.aborted) return
      const favorers = await listFavorers(nats, begun)
      await pool.transaction((transaction) => tellNextFavorers(transaction, tell, begun, favorers))
    }
    hasMore = waiting.length > 0
  }
}

/** Tells those who watch, so many in all; the caller's transaction has taken the announcements, in the order of the auctions. */
export async function tellNextWatchers(
  transaction: Transaction,
  tell: Tell,
  begun: readonly BegunAnnouncement[],
): Promise<void> {
  const watchers = await listNextWatchers(transaction, begun, TOLD_AT_ONCE_MAX)
  const last = watchers.length === TOLD_AT_ONCE_MAX ? watchers.at(-1) : undefined
  const byAuction = Map.groupBy(watchers, ({ auctionId }) => auctionId)
  const isDone = ({ topicId }: BegunAnnouncement) => last === undefined || topicId < last.auctionId
  await endAnnouncements(
    transaction,
    begun.filter(isDone).map(({ topicId }) => topicId),
  )
  const unfinished = begun.find(({ topicId }) => topicId === last?.auctionId)
  if (last && unfinished) await moveAnnouncement(transaction, unfinished, last.userId)
  await tell(
    transaction,
    begun.flatMap((announcement) =>
      tellingsOf(
        announcement,
        (byAuction.get(announcement.topicId) ?? []).map(({ userId }) => userId),
      ),
    ),
  )
}

/** Tells those who keep a product, so many of them; nothing where somebody else has gone on with it meanwhile. */
export async function tellNextFavorers(
  transaction: Transaction,
  tell: Tell,
  begun: BegunAnnouncement,
  favorers: readonly number[],
): Promise<void> {
  const next = favorers.slice(0, TOLD_AT_ONCE_MAX)
  const hasMore = favorers.length > next.length || favorers.length === FAVORERS_AT_ONCE_MAX
  if (await moveAnnouncement(transaction, begun, hasMore ? (next.at(-1) ?? null) : null)) {
    await tell(transaction, tellingsOf(begun, next))
  }
}

/** Who keeps the product, from the first one who is not told yet; some of them. */
export async function listFavorers(
  nats: NatsConnection,
  { topicId, toldUserId }: Pick<BegunAnnouncement, 'topicId' | 'toldUserId'>,
): Promise<readonly number[]> {
  const asked = { productId: topicId, afterId: toldUserId }
  return (await request(nats, 'catalogue', catalogueRequests.listFavorers, asked)).userIds
}

function tellingsOf(announcement: BegunAnnouncement, userIds: readonly number[]): Telling[] {
  const { topic, topicId, kind, otherId, productId, price, at, exceptIds } = announcement
  return userIds
    .filter((userId) => !exceptIds.includes(userId))
    .map((userId) => ({ userId, topic, topicId, kind, otherId, productId, ...(price && { price }), at }))
}
