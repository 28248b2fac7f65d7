import { address, loadConfig, logLevels, portNumber } from '@wangian/kit/service/config.ts'
import { z } from 'zod'

const environment = z.object({
  servicePort: portNumber,
  /** Where people find the system, which shows the pages of the bills. */
  publicUrl: address('http:', 'https:'),
  dataDir: z.string(),
  logLevel: z.enum(logLevels).default('warn'),
})

/** What the sandbox is told by the start that runs it. */
export function readConfig(): z.infer<typeof environment> {
  return loadConfig(environment)
}
