import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { findSigningKey, insertSigningKey } from '../sessions/key-store.ts'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

/**
 * Keeps what second factors rest on: whoever has a copy of their tables alone has neither a secret nor a code. The key is in another
 * table of the same database, `signing_keys`.
 */
export interface FactorKey {
  /** @param owner the id of the row that it is for: in another row it cannot be read */
  encrypt(secret: Buffer, owner: string): string
  /** @throws when it is not what `encrypt` made for this owner */
  decrypt(text: string, owner: string): Buffer
  hash(code: string, owner: string): string
}

/** The key of this installation, which all instances share; made at the first start. */
export async function loadFactorKey(pool: DatabasePool): Promise<FactorKey> {
  const k = randomBytes(KEY_BYTES).toString('base64url')
  if ((await findSigningKey(pool, 'factors')) === null) await insertSigningKey(pool, 'factors', { kty: 'oct', k })
  const stored = await findSigningKey(pool, 'factors')
  invariant(typeof stored?.k === 'string', 'the key of second factors was stored')
  return factorKey(Buffer.from(stored.k, 'base64url'))
}

function factorKey(key: Buffer): FactorKey {
  return {
    encrypt(secret, owner) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(owner))
      const encrypted = [cipher.update(secret), cipher.final()]
      return Buffer.concat([nonce, ...encrypted, cipher.getAuthTag()]).toString('base64url')
    },
    decrypt(text, owner) {
      const bytes = Buffer.from(text, 'base64url')
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
    },
    hash: (code, owner) => createHmac('sha256', key).update(`${owner} ${code}`).digest('base64url'),
  }
}
