import { PUSH_DEVICES_MAX, pushRoutes } from '@wangian/contracts/push.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { lockNotices } from '../notices/notice-store.ts'
import { pushServiceOf } from './push-services.ts'
import {
  deletePushesOfOthers,
  deletePushSubscription,
  dropPushSubscriptionsBeyond,
  savePushSubscription,
} from './push-store.ts'

export interface PushDependencies {
  readonly pool: DatabasePool
  /** Without it nothing is pushed. */
  readonly push?: PushSettings
}

export interface PushSettings {
  /** `null` where nothing is pushed. */
  readonly publicKey: string | null
  /** Origins of push services beyond the known. */
  readonly furtherServices: readonly string[]
}

const nowhere: PushSettings = { publicKey: null, furtherServices: [] }

/** To which browsers people want their notices pushed. */
export function addPushRoutes(app: App, { pool, push = nowhere }: PushDependencies): void {
  handle(app, pushRoutes.getPushKey, async () => ({ status: 200, body: { key: push.publicKey } }))

  handle(app, pushRoutes.subscribePush, async ({ body, user }) => {
    if (push.publicKey === null) throw new Rejection('push-not-configured')
    const { endpoint, keys, language, topics } = body
    const service = pushServiceOf(endpoint, push.furtherServices)
    await pool.transaction(async (transaction) => {
      // Whoever writes notices writes what is pushed of them; rows of several browsers are taken by one at a time.
      await lockNotices(transaction)
      await deletePushesOfOthers(transaction, endpoint, user.id)
      const session = { userId: user.id, sessionId: user.sessionId }
      await savePushSubscription(transaction, { ...session, service, endpoint, ...keys, language, topics })
      await dropPushSubscriptionsBeyond(transaction, user.id, PUSH_DEVICES_MAX)
    })
    return { status: 200, body: { topics } }
  })

  handle(app, pushRoutes.unsubscribePush, async ({ body, user }) => {
    await pool.transaction(async (transaction) => {
      await lockNotices(transaction)
      await deletePushSubscription(transaction, user.id, body.endpoint)
    })
    return { status: 204, body: undefined }
  })
}
