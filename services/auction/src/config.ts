import { databaseAddress, loadConfig, serviceEnvironment } from '@wangian/kit/service/config.ts'
import { z } from 'zod'

const environment = serviceEnvironment.extend({
  databaseUrl: databaseAddress,
  /** What this process does: judges what is sent to auctions (`owner`), answers who reads of them (`pages`), or both. */
  auctionRole: z.enum(['both', 'owner', 'pages']).default('both'),
  /** For fault tests only: the process kills itself `before_commit` or `after_commit` of the n-th batch, e.g. `after_commit:5`. */
  failpoint: z
    .string()
    .regex(/^(before|after)_commit:\d{1,9}$/, 'must be before_commit:<n> or after_commit:<n>')
    .transform((text) => {
      const [where, batch] = text.split(':')
      return { where: where as 'before_commit' | 'after_commit', batchNumber: Number(batch) }
    })
    .optional(),
})
export type Config = z.infer<typeof environment>

export function readConfig(): Config {
  return loadConfig(environment)
}
