import {
  databaseAddress,
  hasWholeBucket,
  loadConfig,
  pictureSettings,
  serviceEnvironment,
  wholeBucketAdvice,
} from '@wangian/kit/service/config.ts'
import type { z } from 'zod'

const environment = serviceEnvironment
  .extend({ databaseUrl: databaseAddress, ...pictureSettings })
  .refine(hasWholeBucket, wholeBucketAdvice)
export type Config = z.infer<typeof environment>

export function readConfig(): Config {
  return loadConfig(environment)
}
