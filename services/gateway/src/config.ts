import { address, addresses, loadConfig, portNumber, serviceEnvironment } from '@wangian/kit/service/config.ts'
import { z } from 'zod'

const environment = serviceEnvironment.extend({
  /** The one public port. */
  port: portNumber.default(8080),
  /** Where the public port listens; every other process stays on loopback. */
  host: z.string().default('0.0.0.0'),
  servicePort: portNumber.default(0),
  /** Where `/metrics` is, which services have on their own port: that of the gateway is public. 0 serves it nowhere. */
  metricsPort: portNumber.default(0),
  catalogueUrl: addresses('http:', 'https:'),
  auctionUrls: addresses('http:', 'https:'),
  messagingUrl: addresses('http:', 'https:'),
  boostUrl: addresses('http:', 'https:'),
  adminUrl: addresses('http:', 'https:'),
  /** Where a local mail catcher shows what it caught; never in production. */
  mailInboxUrl: address('http:', 'https:').optional(),
  /** Where a local payment sandbox has its bills; never in production. */
  paymentSandboxUrl: address('http:', 'https:').optional(),
  /** The hosted auth provider, if there is one: the web app speaks with it. */
  authUrl: address('http:', 'https:').optional(),
  /** The account of Google Analytics that visitors who agree are counted in; without it nobody is asked. */
  analyticsId: z
    .string()
    .regex(/^G-[A-Z0-9]{4,20}$/, 'must be the id of a measurement, such as G-AB12CD34EF')
    .optional(),
  /** Whether pages come with what they show (ADR 23 and 25). */
  renderPages: z.enum(['yes', 'no']).default('yes'),
  /** The built web app; without it only the API is served. */
  webDist: z.string().optional(),
})
export type Config = z.infer<typeof environment>

/** @throws ConfigError when `variables` other than the process's cannot be used, see `loadConfig` of the kit */
export function readConfig(variables?: Readonly<Record<string, string | undefined>>): Config {
  const config = loadConfig(environment, variables)
  // Who reads these mails gets into every account.
  return config.nodeEnv === 'production' ? { ...config, mailInboxUrl: undefined, paymentSandboxUrl: undefined } : config
}
