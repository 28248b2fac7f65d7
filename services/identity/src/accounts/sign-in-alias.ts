/** A domain that can receive no mail (RFC 2606), so nobody owns an address in it. */
const ALIAS_DOMAIN = 'sign-in.wangian.invalid'

/**
 * What people who sign in with a username give the provider instead of their address: it has the shape of an email
 * and tells nothing but the user's id, which is public.
 */
export function signInAlias(userId: number): string {
  return `user-${userId}@${ALIAS_DOMAIN}`
}

/** The user whose alias this is, or `null` for any other text. */
export function userIdOfAlias(login: string): number | null {
  const id = /^user-([1-9]\d{0,14})@(.+)$/.exec(login)
  return id?.[2] === ALIAS_DOMAIN ? Number(id[1]) : null
}

/** Whether an address is in the domain of the aliases, where nobody may register. */
export function isAliasDomain(email: string): boolean {
  return email.endsWith(`@${ALIAS_DOMAIN}`)
}
