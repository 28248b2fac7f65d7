import { ProfileChanges } from '@wangian/contracts/account.ts'
import { Username } from '@wangian/contracts/credentials.ts'
import { z } from 'zod'
import { isAliasDomain } from '../accounts/sign-in-alias.ts'
import { isCommonPassword } from '../passwords/passwords.ts'
import type { Account } from '../store.ts'
import { ProviderRefusal } from './provider-errors.ts'
import { knownMetadata } from './provider-json.ts'

const PASSWORD_LENGTH_MIN = 6
const PASSWORD_BYTES_MAX = 72
const EMAIL_LENGTH_MAX = 255

const Challenge = { code_challenge: z.unknown().optional(), code_challenge_method: z.unknown().optional() }
const Data = z.record(z.string(), z.unknown()).nullish()

/** Fields that other versions of the client or other calls send are ignored, as the protocol demands. */
export const SignUpBody = z.object({
  email: z.string().nullish(),
  password: z.string().nullish(),
  data: Data,
  ...Challenge,
})

export const RecoverBody = z.object({ email: z.string().nullish(), ...Challenge })

export const ResendBody = z.object({ email: z.string().nullish(), type: z.string().nullish(), ...Challenge })

export const VerifyBody = z.object({
  type: z.string().nullish(),
  token_hash: z.string().nullish(),
  token: z.string().nullish(),
  email: z.string().nullish(),
  phone: z.string().nullish(),
})

export const UserUpdateBody = z.object({
  email: z.string().nullish(),
  password: z.string().nullish(),
  current_password: z.string().nullish(),
  data: Data,
  ...Challenge,
})

export const EnrollBody = z.object({
  factor_type: z.string().nullish(),
  friendly_name: z.string().nullish(),
  issuer: z.string().nullish(),
})

export const FactorVerifyBody = z.object({ challenge_id: z.string().nullish(), code: z.string().nullish() })

export const RecoveryCodesBody = z.object({ friendly_name: z.string().nullish() }).nullish()

export const RecoveryCodeBody = z.object({ code: z.string().nullish() })

export const PasswordGrantBody = z.object({ email: z.string().nullish(), password: z.string().nullish() })

export const RefreshGrantBody = z.object({ refresh_token: z.string().nullish() })

export const PkceGrantBody = z.object({ auth_code: z.string().nullish(), code_verifier: z.string().nullish() })

/** @throws ProviderRefusal `bad_json` when the body has not the types that the protocol has */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw new ProviderRefusal(400, 'bad_json', 'Could not parse request body as JSON')
}

/** @throws ProviderRefusal `validation_failed` or `weak_password` */
export function requirePassword(password: string | null | undefined): string {
  if (!password) throw invalid('Signup requires a valid password')
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX) {
    throw invalid(`Password cannot be longer than ${PASSWORD_BYTES_MAX} characters`)
  }
  if ([...password].length < PASSWORD_LENGTH_MIN) {
    throw weak(`Password should be at least ${PASSWORD_LENGTH_MIN} characters.`, 'length')
  }
  if (isCommonPassword(password)) {
    throw weak('Password is known to be weak and easy to guess, please choose a different one.', 'pwned')
  }
  return password
}

/**
 * The address in the form in which it is stored and compared.
 * @throws ProviderRefusal `validation_failed`
 */
export function requireEmail(email: string | null | undefined): string {
  const address = normalEmail(email ?? '')
  if (address === '') throw invalid('An email address is required')
  if (address.length > EMAIL_LENGTH_MAX) throw invalid('An email address is too long')
  if (!z.email().safeParse(address).success || isAliasDomain(address)) {
    throw invalid('Unable to validate email address: invalid format')
  }
  return address
}

export function normalEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** A client's own data of a person weighs at most so much as JSON: it is in every token. */
const METADATA_BYTES_MAX = 4096

const { firstName, lastName } = ProfileChanges.shape

/** What of the client's user data means something to us; the rest is kept as it is and grants no right. */
export interface UserData {
  readonly username: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly metadata: Account['metadata']
}

/**
 * @param before what was kept: names that are not given stay, and `null` takes one away
 * @throws ProviderRefusal `validation_failed`
 */
export function requireUserData(data: z.infer<typeof SignUpBody>['data'], before: Account['metadata'] = {}): UserData {
  const given = Object.entries(data ?? {}).filter(([name]) => !knownMetadata.has(name))
  const kept = new Map([...Object.entries(before), ...given].filter(([name]) => data?.[name] !== null))
  return {
    username: requireName(Username.nullable(), data?.['username'], 'Username'),
    firstName: requireName(firstName, data?.['first_name'], 'First name'),
    lastName: requireName(lastName, data?.['last_name'], 'Last name'),
    metadata: requireSmall(Object.fromEntries(kept)),
  }
}

function requireSmall(metadata: Account['metadata']): Account['metadata'] {
  if (bytesOf(metadata) <= METADATA_BYTES_MAX) return metadata
  throw invalid(`User data must be ${METADATA_BYTES_MAX} bytes or less`)
}

function bytesOf(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value))
  } catch (error) {
    // It nests deeper than it can be written.
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY
    throw error
  }
}

/** By the rules of the same field elsewhere: a shop is called by these names, and everybody sees it. */
function requireName(field: z.ZodType<string | null | undefined>, value: unknown, label: string): string | null {
  const parsed = field.safeParse(value ?? null)
  if (parsed.success) return parsed.data ?? null
  throw invalid(typeof value === 'string' ? (parsed.error.issues[0]?.message ?? '') : `${label} is not valid`)
}

export function invalid(message: string): ProviderRefusal {
  return new ProviderRefusal(400, 'validation_failed', message)
}

function weak(message: string, reason: string): ProviderRefusal {
  return new ProviderRefusal(422, 'weak_password', message, { weak_password: { reasons: [reason] } })
}
