import { z } from 'zod'
import { readStored, writeStored } from '../../lib/browser-storage.ts'

/** What leads away from here and comes back by a link. */
export type Begun = 'sign-up' | 'social'

/** As long as the link of a sign-up is good, and as somebody may take at another provider. */
const keptMs: Readonly<Record<Begun, number>> = { 'sign-up': 24 * 60 * 60 * 1000, social: 10 * 60 * 1000 }

const Mark = z.object({ by: z.string(), atMs: z.number() })
const keyOf = (begun: Begun) => `wangian-begun-${begun}`

/**
 * Remembers in this browser what somebody has begun in it. Anybody can make a link that signs in as themselves, and have others open it: a link signs
 * in only where it was asked for.
 * @param by the address of who signs up
 */
export function rememberBegun(begun: Begun, by = ''): void {
  writeStored('localStorage', keyOf(begun), JSON.stringify({ by: by.toLowerCase(), atMs: Date.now() }))
}

/** Whether that was begun here, by this address, and not long ago. */
export function wasBegun(begun: Begun, by = ''): boolean {
  const mark = readMark(begun)
  const ageMs = mark === null ? Number.NaN : Date.now() - mark.atMs
  return mark?.by === by.toLowerCase() && ageMs >= 0 && ageMs < keptMs[begun]
}

/** It has come to its end. */
export function forgetBegun(begun: Begun): void {
  writeStored('localStorage', keyOf(begun), null)
}

function readMark(begun: Begun): z.infer<typeof Mark> | null {
  try {
    return Mark.parse(JSON.parse(readStored('localStorage', keyOf(begun)) ?? ''))
  } catch {
    return null
  }
}
