import {
  address,
  addresses,
  databaseAddress,
  hasWholeBucket,
  loadConfig,
  pictureSettings,
  serviceEnvironment,
  wholeBucketAdvice,
} from '@wangian/kit/service/config.ts'
import { z } from 'zod'
import { type VapidKeys, vapidKeysOf } from './push/push-delivery.ts'

const environment = serviceEnvironment
  .extend({
    databaseUrl: databaseAddress,
    ...pictureSettings,
    /** Who we are to the push services of browsers; without it nothing is pushed. */
    vapidPrivateKey: z
      .string()
      .regex(/^[\w-]{43}=?$/, 'must be 32 bytes as base64url')
      .optional(),
    /** Whom they may ask about us; the site itself when not given. */
    vapidSubject: address('https:', 'mailto:').optional(),
    /** Push services beyond those of the browsers that there are. */
    pushServices: addresses('http:', 'https:').default([]),
  })
  .refine(hasWholeBucket, wholeBucketAdvice)
export type Config = z.infer<typeof environment>

export function readConfig(): Config {
  return loadConfig(environment)
}

/** Who we are to push services; `null` where nothing is pushed. */
export function vapidKeys({ vapidPrivateKey, vapidSubject, publicUrl }: Config): VapidKeys | null {
  if (vapidPrivateKey === undefined) return null
  // An address without TLS is none that a push service would take.
  const site = publicUrl.startsWith('https:') ? publicUrl : 'mailto:no-reply@wangian.test'
  return vapidKeysOf(vapidPrivateKey, vapidSubject ?? site)
}
