import { isStorableText } from '@wangian/contracts/text.ts'

/**
 * Whether a string anywhere in these values (keys too) cannot be stored or sent on. Walks without recursion: a body may nest as deep as it is long.
 * Only plain data is walked: a body that is passed on as a stream refers to itself and has no end.
 */
export function hasUnstorableText(values: readonly unknown[]): boolean {
  const pending: unknown[] = [...values]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value === 'string') {
      if (!isStorableText(value)) return true
    } else if (Array.isArray(value)) {
      for (const item of value) pending.push(item)
    } else if (isPlain(value)) {
      for (const [key, item] of Object.entries(value)) {
        if (!isStorableText(key)) return true
        pending.push(item)
      }
    }
  }
  return false
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Object.prototype, or that of parsed queries, which are no ordinary objects; of classes it has one itself.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
