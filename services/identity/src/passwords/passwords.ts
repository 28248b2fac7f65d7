import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hash, verify } from '@node-rs/argon2'
import { Failure } from '@wangian/kit/errors.ts'

/** argon2id, the package's default, with OWASP's parameters: 19 MiB and about 30 ms a password. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** More than this many at once would wait longer than anybody does. */
const PENDING_MAX = 128

let pendingCount = 0

/** @returns a PHC string with the parameters and the salt in it */
export function hashPassword(password: string): Promise<string> {
  return withinLimit(() => hash(password, parameters))
}

/**
 * Whether this is the password. Without a hash, because nobody is known or they have no password, it takes as long and
 * answers no.
 * @throws Failure when too many passwords are being checked already
 */
export function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  return withinLimit(async () => {
    const isRight = await verify(passwordHash ?? (await dummyHash), password)
    return isRight && passwordHash !== null
  })
}

/** Whether a password is among the 3000 most used ones that are long enough for us, in whatever case it is written. */
export function isCommonPassword(password: string): boolean {
  return commonPasswords.has(password.toLowerCase())
}

async function withinLimit<T>(work: () => Promise<T>): Promise<T> {
  if (pendingCount >= PENDING_MAX) throw new Failure('too many passwords are being checked')
  pendingCount += 1
  try {
    return await work()
  } finally {
    pendingCount -= 1
  }
}

const dummyHash = hash(randomUUID(), parameters)

// The beginning of the list of leaked passwords, by frequency, of zxcvbn-ts (MIT licence).
const commonPasswords = new Set(
  readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n'),
)
