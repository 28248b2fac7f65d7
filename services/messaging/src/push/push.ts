import type { ServiceContext } from '@wangian/kit/service/start-service.ts'
import { type Config, vapidKeys } from '../config.ts'
import { createDelivery } from './push-delivery.ts'
import type { PushSettings } from './push-routes.ts'
import { startPushSender } from './push-sender.ts'

/** Pushes notices to browsers, where we have keys for that, and says to the routes what they need to know of it. */
export function startPush({ config, pool, log }: ServiceContext<Config>): {
  readonly settings: PushSettings
  sessionEnded(sessionId: string): void
  stop(): Promise<void>
} {
  const keys = vapidKeys(config)
  const furtherServices = config.pushServices.map((address) => new URL(address).origin)
  const settings = { publicKey: keys?.publicKey ?? null, furtherServices }
  if (keys === null) return { settings, sessionEnded: () => {}, stop: async () => {} }
  return { settings, ...startPushSender({ pool, deliver: createDelivery(keys, furtherServices), log }) }
}
