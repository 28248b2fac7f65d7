import { databaseAddress, loadConfig, serviceEnvironment } from '@wangian/kit/service/config.ts'
import type { z } from 'zod'

const environment = serviceEnvironment.extend({ databaseUrl: databaseAddress })

export function readConfig(): z.infer<typeof environment> {
  return loadConfig(environment)
}
