import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import type { Config } from '../config.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { findAccountByEmail, findUsernameOwner, hasAdministrator } from '../store.ts'
import { type Registration, registerAccount } from './accounts.ts'
import {
  DEMO_ADMIN_PASSWORD,
  DEMO_BUYER_PASSWORD,
  DEMO_SELLER_PASSWORD,
  demoAdmin,
  demoBuyers,
  demoEmail,
  demoSellers,
} from './demo-accounts.ts'
import { freeAddress } from './email-change.ts'

/** What an administrator is called who was made from the environment. */
const ADMINISTRATOR_USERNAME = 'administrator'

/** Makes the accounts that the environment asks for and that are not there yet; those of a hosted provider are made there. */
export async function ensureFirstAccounts(
  pool: DatabasePool,
  config: Pick<Config, 'authUrl' | 'adminEmail' | 'adminPassword' | 'seed'>,
  now: Date,
  log: Logger,
): Promise<void> {
  const { authUrl, adminEmail: email, adminPassword: password, seed } = config
  if (authUrl !== undefined) return
  if (email !== undefined && password !== undefined) await ensureAdministrator(pool, { email, password }, now, log)
  if (seed === 'demo') await ensureDemoAccounts(pool, now)
}

/**
 * Makes the accounts of the demo data that are not there yet. Their passwords are public, so this is no data for a
 * system that others can reach.
 * @returns how many were made
 */
export async function ensureDemoAccounts(pool: DatabasePool, now: Date): Promise<number> {
  let count = 0
  for (const { password, ...account } of demoRegistrations) {
    if ((await findAccountByEmail(pool, account.email)) !== null) continue
    const passwordHash = await hashPassword(password)
    const result = await registerAccount(pool, { ...account, passwordHash, now, correlationId: 'demo-data' })
    if (result.outcome === 'registered') count += 1
  }
  return count
}

/**
 * Makes the first administrator. Does nothing when there is one (the demo's does not count): who has changed their
 * address or password since must not get the old ones back by a restart.
 */
export async function ensureAdministrator(
  pool: DatabasePool,
  administrator: { readonly email: string; readonly password: string },
  now: Date,
  log: Logger,
): Promise<void> {
  const { email, password } = administrator
  if (await hasAdministrator(pool, demoEmail(demoAdmin.username))) return
  await pool.transaction((transaction) => freeAddress(transaction, email))
  const isNameTaken = (await findUsernameOwner(pool, ADMINISTRATOR_USERNAME)) !== null
  const result = await registerAccount(pool, {
    ...ordinary,
    email,
    passwordHash: await hashPassword(password),
    username: isNameTaken ? null : ADMINISTRATOR_USERNAME,
    firstName: null,
    lastName: null,
    isSeller: false,
    isAdmin: true,
    now,
    correlationId: 'first-administrator',
  })
  if (result.outcome === 'registered') log.info({ userId: result.account.userId }, 'made the first administrator')
  // Of several instances that start at once, one made it; otherwise somebody else has the address.
  else if (!(await hasAdministrator(pool, demoEmail(demoAdmin.username)))) {
    log.error({ outcome: result.outcome }, 'ADMIN_EMAIL belongs to somebody who is not an administrator')
  }
}

const ordinary = { isSeller: false, isAdmin: false, isEmailConfirmed: true } as const

const demoRegistrations: readonly (Omit<Registration, 'passwordHash' | 'now' | 'correlationId'> & {
  readonly password: string
})[] = [
  { ...ordinary, ...demoAdmin, email: demoEmail(demoAdmin.username), password: DEMO_ADMIN_PASSWORD, isAdmin: true },
  ...demoSellers.map((seller) => ({
    ...ordinary,
    ...seller,
    email: demoEmail(seller.username),
    password: DEMO_SELLER_PASSWORD,
    isSeller: true,
  })),
  ...demoBuyers.map((buyer) => ({
    ...ordinary,
    ...buyer,
    email: demoEmail(buyer.username),
    password: DEMO_BUYER_PASSWORD,
  })),
]
