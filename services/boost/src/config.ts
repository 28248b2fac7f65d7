import { databaseAddress, loadConfig, serviceEnvironment } from '@wangian/kit/service/config.ts'
import type { z } from 'zod'

const environment = serviceEnvironment.extend({ databaseUrl: databaseAddress })
type Config = z.infer<typeof environment>

export function readConfig(): Config {
  return loadConfig(environment)
}
