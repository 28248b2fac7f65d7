import { createHmac, timingSafeEqual } from 'node:crypto'
import type { GivenFields } from './provider.ts'

/**
 * The signature of a callback or a redirect: the pairs as `key + value`, sorted as these whole strings by code unit and without regard to case,
 * joined with `|`, under HMAC-SHA-256; a field that comes twice is two pairs. Keys of a redirect (`billplz[id]`) are signed without their brackets.
 * @param fields decoded and otherwise as they came, those that nobody knows among them
 * @returns in hexadecimal
 */
export function signFields(fields: GivenFields, key: string): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name.replaceAll(/[[\]]/g, '')}${each}`),
  )
  const sorted = pairs
    .map((pair) => ({ pair, folded: pair.toLowerCase() }))
    .toSorted((one, other) => (one.folded < other.folded ? -1 : one.folded > other.folded ? 1 : 0))
  return createHmac('sha256', key)
    .update(sorted.map(({ pair }) => pair).join('|'))
    .digest('hex')
}

/** Whether the fields are signed with the key, in constant time. */
export function isSigned(fields: GivenFields, signature: string, key: string): boolean {
  const [expected, given] = [Buffer.from(signFields(fields, key)), Buffer.from(signature)]
  return expected.length === given.length && timingSafeEqual(expected, given)
}
