import { randomInt } from 'node:crypto'
import { Username } from '@wangian/contracts/credentials.ts'

const LENGTH_MAX = 24
const NUMBERED_MAX = 4

/**
 * Usernames to try, the best first, for somebody who did not choose one: what they wished elsewhere, or their name with
 * dots, then the same with numbers. Empty when nothing of the name can be written in a username.
 */
export function usernameIdeas(person: {
  readonly wanted?: unknown
  readonly firstName: string | null
  readonly lastName: string | null
}): readonly string[] {
  const wanted = Username.safeParse(person.wanted)
  const base = wanted.success ? wanted.data : nameWithDots(person.firstName, person.lastName)
  if (base === null) return []
  const short = base.slice(0, LENGTH_MAX)
  const numbered = Array.from({ length: NUMBERED_MAX - 1 }, (_, index) => `${short}${index + 2}`)
  return [base, ...numbered, `${short}-${randomInt(10_000, 100_000)}`]
}

/** `José Núñez` is `jose.nunez`; `null` when too little is left. */
function nameWithDots(firstName: string | null, lastName: string | null): string | null {
  const name = `${firstName ?? ''} ${lastName ?? ''}`
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[’']/g, '')
    .replace(/[^a-z0-9]+/g, '.')
    .slice(0, LENGTH_MAX)
    .replace(/^\.+|\.+$/g, '')
  return Username.safeParse(name).success ? name : null
}
