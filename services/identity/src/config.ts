import { Password } from '@wangian/contracts/identity.ts'
import { databaseAddress, flag, loadConfig, serviceEnvironment } from '@wangian/kit/config.ts'
import { z } from 'zod'

const environment = serviceEnvironment
  .omit({ identityUrl: true })
  .extend({
    databaseUrl: databaseAddress,
    /** Whether a new account counts as confirmed without a mail; the auth server's own setting of this name. */
    authMailerAutoconfirm: flag.default(true),
    /** With the password: the administrator that is made when there is none yet. */
    adminEmail: z.email('must be an email address').toLowerCase().optional(),
    adminPassword: Password.optional(),
  })
  .refine(({ adminEmail, adminPassword }) => adminEmail !== undefined || adminPassword === undefined, {
    path: ['adminEmail'],
  })
  .refine(({ adminEmail, adminPassword }) => adminPassword !== undefined || adminEmail === undefined, {
    path: ['adminPassword'],
  })
export type Config = z.infer<typeof environment>

/** @throws ConfigError when `variables` other than the process's cannot be used, see `loadConfig` of the kit */
export function readConfig(variables?: Readonly<Record<string, string | undefined>>): Config {
  return loadConfig(environment, variables)
}
