import { createECDH, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { makeDataDirectory } from './servers/postgres-directory.ts'

const secretsSchema = z.record(z.string(), z.string())

/**
 * The generated passwords of this data directory, by name, kept in `<dataDir>/secrets.json` for its owner only.
 * Names that have none yet get one.
 * @param make for a secret that is no password
 * @throws when the file cannot be read as such
 */
export function loadSecrets<Name extends string>(
  dataDir: string,
  names: readonly Name[],
  make: () => string = newPassword,
): Record<Name, string> {
  makeDataDirectory(dataDir)
  const file = join(dataDir, 'secrets.json')
  const known = existsSync(file) ? readSecrets(file) : {}
  const missing = names.filter((name) => known[name] === undefined)
  for (const name of missing) known[name] = make()
  if (missing.length > 0) {
    // On the disk before it has its name: a cluster that was made with a password is there after a power cut, too.
    writeFileSync(`${file}.new`, `${JSON.stringify(known, null, 2)}\n`, { mode: 0o600, flush: true })
    renameSync(`${file}.new`, file)
  }
  return known as Record<Name, string>
}

function readSecrets(file: string): Record<string, string> {
  try {
    return secretsSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new Error(
      `${file} does not hold the passwords of this DATA_DIR, which open its database. Put it back as it was, from a backup for example.`,
      { cause },
    )
  }
}

/** A private key of the curve P-256, as push services want to know us by. */
export function newVapidKey(): string {
  const curve = createECDH('prime256v1')
  curve.generateKeys()
  const key = curve.getPrivateKey()
  // Leading zeros are left out there.
  return Buffer.concat([Buffer.alloc(32 - key.length), key]).toString('base64url')
}

function newPassword(): string {
  return randomBytes(24).toString('base64url')
}
