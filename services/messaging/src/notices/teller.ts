import type { serverFrames } from '@wangian/contracts/frames.ts'
import { encodeUserLive } from '@wangian/contracts/messaging-wire.ts'
import { NOTICE_DAYS_MAX, type NoticeKind } from '@wangian/contracts/notices.ts'
import { userLiveSubject } from '@wangian/contracts/subjects.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import { lastOfEach } from '@wangian/kit/last-of-each.ts'
import type { z } from 'zod'
import { isNews } from '../conversations/live.ts'
import { queuePushes } from '../push/push-store.ts'
import { type Announcement, saveAnnouncements, takeWatchersAnnouncements } from './announcement-store.ts'
import { tellNextWatchers } from './announcements.ts'
import {
  countUnreadNoticesOf,
  deleteOldNotices,
  findNotices,
  lockNotices,
  type NoticeRow,
  type Subject,
  saveNotices,
  settleNotices,
  type Telling,
} from './notice-store.ts'
import { presentNotice } from './presenter.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Whoever tells something waits for as long as these take. */
const DISCARDED_AT_ONCE_MAX = 1_000

/** How notices come about. Both take what a whole page of a log says, with a few statements. */
export interface Teller {
  /** Tells people something; of what is told of one subject, the last. What is told again changes nothing. */
  tell(transaction: Transaction, tellings: readonly Telling[]): Promise<void>
  /** Tells all who watch these auctions: the first of them now, and the others soon (`goOnTelling`). */
  announce(transaction: Transaction, announcements: readonly Announcement[]): Promise<void>
  /** What was told of these subjects is of no concern any more; only of these kinds, if it says so. */
  settle(transaction: Transaction, subjects: readonly Subject[], kinds?: readonly NoticeKind[]): Promise<void>
}

/** For tables that are made anew: what they say has been told. */
export const silentTeller: Teller = { tell: async () => {}, announce: async () => {}, settle: async () => {} }

/**
 * Writes notices, has them pushed to the browsers that ask for it, and shows them to the sockets of those who are told. They are shown right before
 * the commit: what they rest on is committed in the log of the service that it comes from, and if the transaction has to be done again, they are
 * shown again under the same key.
 */
export function createTeller(nats: NatsConnection): Teller {
  async function show(transaction: Transaction, rows: readonly NoticeRow[]) {
    const byUser = Map.groupBy(rows, ({ userId }) => userId)
    const counts = await countUnreadNoticesOf(transaction, [...byUser.keys()])
    for (const [userId, own] of byUser) publishNotices(nats, userId, own, counts.get(userId) ?? 0)
  }
  async function tell(transaction: Transaction, tellings: readonly Telling[]) {
    const wanted = lastOfEach(recent(tellings), subjectKey)
    if (wanted.length === 0) return
    await lockNotices(transaction)
    const ids = await saveNotices(transaction, wanted)
    if (ids.length === 0) return
    const news = (await findNotices(transaction, ids)).filter(isNews)
    await show(transaction, news)
    await queuePushes(
      transaction,
      news.map(({ id }) => id),
    )
  }
  return {
    tell,
    async announce(transaction, announcements) {
      const wanted = lastOfEach(recent(announcements), ({ topicId }) => topicId)
      if (wanted.length === 0) return
      await lockNotices(transaction)
      await saveAnnouncements(transaction, wanted)
      const auctionIds = wanted.map(({ topicId }) => topicId)
      await tellNextWatchers(transaction, tell, await takeWatchersAnnouncements(transaction, { auctionIds }))
    },
    async settle(transaction, subjects, kinds) {
      if (subjects.length === 0) return
      await lockNotices(transaction)
      const ids = await settleNotices(transaction, lastOfEach(subjects, subjectKey), kinds ?? null)
      if (ids.length > 0) await show(transaction, await findNotices(transaction, ids))
    },
  }
}

/** Removes the notices that are too old to be kept, some at a time. */
export async function discardOldNotices(pool: DatabasePool, nowMs: number, signal?: AbortSignal): Promise<void> {
  for (let removed = DISCARDED_AT_ONCE_MAX; removed === DISCARDED_AT_ONCE_MAX && !signal?.aborted; ) {
    removed = await pool.transaction(async (transaction) => {
      await lockNotices(transaction)
      return deleteOldNotices(transaction, { before: oldestAt(nowMs), limit: DISCARDED_AT_ONCE_MAX })
    })
  }
}

/** What is not too old to be told. */
function recent<Told extends { readonly at: string }>(told: readonly Told[]): readonly Told[] {
  const oldest = oldestAt(Date.now())
  return told.filter(({ at }) => at > oldest)
}

function oldestAt(nowMs: number): string {
  return new Date(nowMs - NOTICE_DAYS_MAX * DAY_MS).toISOString()
}

/** The frame after somebody has read notices, for their other tabs and devices. */
export function publishNoticesRead(nats: NatsConnection, userId: number, unread: number): void {
  publish(nats, userId, [{ type: 'notices_read', unread }])
}

function publishNotices(nats: NatsConnection, userId: number, rows: readonly NoticeRow[], unread: number): void {
  publish(
    nats,
    userId,
    rows.map((row) => ({ type: 'notice', notice: presentNotice(row), unread })),
  )
}

type Frame = z.input<typeof serverFrames.notice> | z.input<typeof serverFrames.notices_read>

function publish(nats: NatsConnection, userId: number, frames: readonly Frame[]): void {
  const live = { commandId: null, frames: frames.map((frame) => JSON.stringify(frame)) }
  nats.publish(userLiveSubject(userId), encodeUserLive(live))
}

function subjectKey({ userId, topic, topicId }: Subject): string {
  return `${userId}-${topic}-${topicId}`
}
