import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import type { JWK } from 'jose'
import { z } from 'zod'

/** Application tokens say who may do what in the product; provider tokens prove a sign-in and are exchanged for them. */
export type SigningPurpose = 'application' | 'provider'
/** The third is no key pair: it keeps what second factors rest on, see factors/factor-key.ts. */
type KeyPurpose = SigningPurpose | 'factors'

const PrivateKeyRow = z.object({ privateJwk: z.custom<JWK>() })

/** Keeps the key that is there: of several instances that start at once, one makes it. */
export async function insertSigningKey(executor: Executor, purpose: KeyPurpose, privateJwk: JWK): Promise<void> {
  await executor.query(sql.unsafe`
    insert into signing_keys (purpose, private_jwk)
    values (${purpose}, ${JSON.stringify(privateJwk)}::jsonb)
    on conflict (purpose) do nothing`)
}

export function findSigningKey(executor: Executor, purpose: KeyPurpose): Promise<JWK | null> {
  return executor.maybeOneFirst(sql.type(PrivateKeyRow)`
    select private_jwk as "privateJwk" from signing_keys where purpose = ${purpose}`)
}
