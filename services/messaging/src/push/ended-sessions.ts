import { identityRequests, SESSIONS_AT_ONCE_MAX } from '@wangian/contracts/identity-requests.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { forgetSessions } from './push-sender.ts'
import { listPushSessions } from './push-store.ts'

/**
 * Forgets the browsers whose session has ended. As it ends we hear of it, and for 20 minutes we can ask what we have missed; after a longer outage the
 * messages of somebody who has changed their password would go on to a browser that they have shut out.
 */
export async function forgetEndedSessions({
  pool,
  nats,
}: {
  readonly pool: DatabasePool
  readonly nats: NatsConnection
}): Promise<void> {
  for (let afterId = 0; ; ) {
    const known = await listPushSessions(pool, { afterId, limit: SESSIONS_AT_ONCE_MAX })
    const last = known.at(-1)
    if (last === undefined) return
    const sessionIds = known.map(({ sessionId }) => sessionId)
    const { endedIds } = await request(nats, 'identity', identityRequests.listEndedSessions, { sessionIds })
    await forgetSessions(pool, new Set(endedIds))
    afterId = last.id
  }
}
