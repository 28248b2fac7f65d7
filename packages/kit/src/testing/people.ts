import type { PublicPerson } from '@wangian/contracts/identity.ts'

/** Somebody of whom nothing is known but the name, as identity's events tell of them. */
export function testPerson(username: string): PublicPerson {
  return { username, shopName: username, location: null, bio: null, profileImage: null, coverPhoto: null }
}
