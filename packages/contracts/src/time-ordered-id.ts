/**
 * A UUID of version 7 (RFC 9562, section 5.7): it begins with the time, so that an index of such ids grows at its end. Where ids are random each one
 * is put on a page of its own.
 * @param nowMs epoch ms
 * @param random a UUID of version 4, whose 74 random bits it keeps
 */
export function timeOrderedId(nowMs: number = Date.now(), random: string = crypto.randomUUID()): string {
  const time = nowMs.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}
