import { languages } from '@wangian/contracts/languages.ts'
import type { PushTopic } from '@wangian/contracts/push.ts'
import { type Executor, NoRow, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** The browsers that notices are pushed to, and what is to be pushed to them. */

/** Of one thing a browser is told once in this time, however fast others bid. */
export const PUSH_PAUSE_MS = 30_000

interface Subscription {
  readonly userId: number
  readonly sessionId: string
  readonly service: string
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
  readonly language: string
  readonly topics: readonly PushTopic[]
}

/** Of each browser the last word counts: whoever is signed in there now. */
export async function savePushSubscription(executor: Executor, subscription: Subscription): Promise<void> {
  const { userId, sessionId, service, endpoint, p256dh, auth, language, topics } = subscription
  await executor.query(sql.unsafe`
    insert into push_subscriptions as known (user_id, session_id, service, endpoint, p256dh, auth, language, topics)
    values (${userId}, ${sessionId}, ${service}, ${endpoint}, ${p256dh}, ${auth}, ${language}, ${sql.array([...topics], 'text')})
    on conflict (endpoint) do update
       set user_id = excluded.user_id, session_id = excluded.session_id, p256dh = excluded.p256dh, auth = excluded.auth,
           language = excluded.language, topics = excluded.topics, told_at = excluded.told_at`)
}

/** What waits for somebody else who was signed in in this browser before. */
export async function deletePushesOfOthers(executor: Executor, endpoint: string, userId: number): Promise<void> {
  await executor.query(sql.unsafe`
    delete from pushes where subscription_id in (
      select id from push_subscriptions where endpoint = ${endpoint} and user_id <> ${userId})`)
}

/** Leaves somebody so many browsers, those that they were seen in last. */
export async function dropPushSubscriptionsBeyond(executor: Executor, userId: number, max: number): Promise<void> {
  await executor.query(sql.unsafe`
    delete from push_subscriptions where id in (
      select id from push_subscriptions where user_id = ${userId} order by told_at desc, id desc offset ${max})`)
}

export async function deletePushSubscription(executor: Executor, userId: number, endpoint: string): Promise<void> {
  await executor.query(sql.unsafe`
    delete from push_subscriptions where user_id = ${userId} and endpoint = ${endpoint}`)
}

export async function deletePushSubscriptionWithId(executor: Executor, id: number): Promise<void> {
  await executor.query(sql.unsafe`delete from push_subscriptions where id = ${id}`)
}

export async function deletePushSubscriptionsOfSessions(
  executor: Executor,
  sessionIds: readonly string[],
): Promise<void> {
  await executor.query(sql.unsafe`
    delete from push_subscriptions where session_id = any (${sql.array([...sessionIds], 'text')})`)
}

const KnownSession = z.object({ id: z.number(), sessionId: z.string() })

/** The sessions that browsers are told in; those of the browsers above `afterId`, in their order. */
export function listPushSessions(
  executor: Executor,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
): Promise<readonly z.infer<typeof KnownSession>[]> {
  return executor.any(sql.type(KnownSession)`
    select id, session_id as "sessionId" from push_subscriptions where id > ${afterId} order by id limit ${limit}`)
}

/** Of people who are erased nothing is kept. */
export async function deletePushSubscriptionsOf(executor: Executor, userIds: readonly number[]): Promise<void> {
  await executor.query(sql.unsafe`
    delete from push_subscriptions where user_id = any (${sql.array([...userIds], 'int8')})`)
}

/**
 * Has these notices pushed to the browsers of their people that want such. Of one thing a browser is told again only when so much time has passed;
 * what is told of it meanwhile comes then.
 */
export async function queuePushes(executor: Executor, noticeIds: readonly number[]): Promise<void> {
  await executor.query(sql.prepared('queue-pushes', NoRow)`
    insert into pushes as known (subscription_id, topic, topic_id, notice_id, due_at)
    select s.id, n.topic, n.topic_id, n.id, clock_timestamp()
      from notices n join push_subscriptions s on s.user_id = n.user_id
     where n.id = any (${sql.array([...noticeIds], 'int8')}) and (n.topic = 'listing' or n.topic = any (s.topics))
     order by s.id, n.id
    on conflict (subscription_id, topic, topic_id) do update
       set notice_id = excluded.notice_id, tries = 0,
           due_at = greatest(excluded.due_at, known.sent_at + make_interval(secs => ${PUSH_PAUSE_MS / 1000}))`)
}

/** By the clock of the statement, which is one value: by one that goes on, all that waits is looked at, for half a minute and longer. */
const isDue = (pushes: string) => sql.fragment`${sql.identifier([pushes, 'due_at'])} <= statement_timestamp()`

const ServiceRow = z.object({ service: z.string() })

/** The push services that something waits for. */
export async function listDueServices(executor: Executor): Promise<readonly string[]> {
  return executor.anyFirst(sql.prepared('due-push-services', ServiceRow)`
    select distinct s.service from pushes p join push_subscriptions s on s.id = p.subscription_id
     where ${isDue('p')}`)
}

const TakenPush = z.object({
  subscriptionId: z.number(),
  topic: z.string(),
  topicId: z.number(),
  noticeId: z.number(),
  tries: z.number(),
  userId: z.number(),
  endpoint: z.string(),
  p256dh: z.string(),
  auth: z.string(),
  language: z.enum(languages),
})
export type TakenPush = z.infer<typeof TakenPush>

/** Takes what is due of one push service for `leaseMs`: nobody else gets it before that has passed. */
export async function takePushes(
  executor: Executor,
  { service, limit, leaseMs }: { readonly service: string; readonly limit: number; readonly leaseMs: number },
): Promise<readonly TakenPush[]> {
  return executor.any(sql.prepared('take-pushes', TakenPush)`
    update pushes p set due_at = clock_timestamp() + make_interval(secs => ${leaseMs / 1000})
      from push_subscriptions s
     where s.id = p.subscription_id
       and (p.subscription_id, p.topic, p.topic_id) in (
             select due.subscription_id, due.topic, due.topic_id
               from pushes due join push_subscriptions of on of.id = due.subscription_id
              where of.service = ${service} and ${isDue('due')}
              order by due.due_at
              limit ${limit}
                for update of due skip locked)
    returning p.subscription_id as "subscriptionId", p.topic, p.topic_id as "topicId", p.notice_id as "noticeId", p.tries,
              s.user_id as "userId", s.endpoint, s.p256dh, s.auth, s.language`)
}

const isThis = ({ subscriptionId, topic, topicId }: TakenPush) => sql.fragment`
  subscription_id = ${subscriptionId} and topic = ${topic} and topic_id = ${topicId}`

/** It was pushed. What was told of the same thing meanwhile waits for so long. */
export async function settlePush(executor: Executor, push: TakenPush): Promise<void> {
  await executor.query(sql.unsafe`
    update pushes
       set sent_at = clock_timestamp(),
           due_at = case when notice_id <> ${push.noticeId}
                         then clock_timestamp() + make_interval(secs => ${PUSH_PAUSE_MS / 1000}) end
     where ${isThis(push)}`)
}

/** It is of no concern any more, or was tried often enough. */
export async function dropPush(executor: Executor, push: TakenPush): Promise<void> {
  await executor.query(sql.unsafe`
    update pushes set due_at = null where ${isThis(push)} and notice_id = ${push.noticeId}`)
}

/** It is tried again in `delayMs`. */
export async function putOffPush(executor: Executor, push: TakenPush, delayMs: number): Promise<void> {
  await executor.query(sql.unsafe`
    update pushes set tries = tries + 1, due_at = clock_timestamp() + make_interval(secs => ${delayMs / 1000})
     where ${isThis(push)} and notice_id = ${push.noticeId}`)
}

/** Forgets what was pushed, or dropped, so long ago that nothing has to wait for it. */
export async function deleteSettledPushes(executor: Executor): Promise<void> {
  await executor.query(sql.unsafe`
    delete from pushes
     where due_at is null
       and (sent_at is null or sent_at < clock_timestamp() - make_interval(secs => ${PUSH_PAUSE_MS / 1000}))`)
}
