import { NAME_LENGTH_MAX } from '@wangian/contracts/account.ts'
import { isVisibleName } from '@wangian/contracts/text.ts'

/** What another site says of somebody who signed in there. */
export interface OAuthProfile {
  /** The person's id at that site. */
  readonly subject: string
  /** As the site gave it, which has verified it; `null` when the person has or shows none. */
  readonly email: string | null
  readonly firstName: string | null
  readonly lastName: string | null
}

/** Another site that vouches for people. */
export interface OAuthProvider {
  /** By it the protocol and the `identities` table know the site. */
  readonly name: string
  /** True when it vouches for nothing and asks people who they want to be; never in production. */
  readonly isStandIn: boolean
  /** Where people agree to sign in. */
  dialogUrl(request: { readonly state: string; readonly scopes: readonly string[] }): string
  /**
   * Who it was, from the code that the site sent back.
   * @throws Failure when the site does not answer, or not as it should
   */
  fetchProfile(code: string): Promise<OAuthProfile>
}

/** By name; those that are not set up are missing. */
export type OAuthProviders = ReadonlyMap<string, OAuthProvider>

/** First and last name from whatever a site knows. What would be refused of people here is not taken from elsewhere either. */
export function namesOf(given: {
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly name?: string | undefined
}): { readonly firstName: string | null; readonly lastName: string | null } {
  const [first = '', ...rest] = (given.name ?? '').trim().split(/\s+/)
  const hasParts = Boolean(given.firstName?.trim() || given.lastName?.trim())
  return {
    firstName: nameOrNull(hasParts ? given.firstName : first),
    lastName: nameOrNull(hasParts ? given.lastName : rest.join(' ')),
  }
}

function nameOrNull(name: string | undefined): string | null {
  const trimmed = name?.trim().slice(0, NAME_LENGTH_MAX).trim()
  return trimmed && isVisibleName(trimmed) ? trimmed : null
}
