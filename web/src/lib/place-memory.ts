import { z } from 'zod'
import { readStored, writeStored } from './browser-storage.ts'

/** What is remembered of one entry of the browser's history. */
const Place = z.object({
  scrollY: z.number().optional(),
  /** The address that the focus was on: the link that was followed. */
  focusedHref: z.string().optional(),
  /** How many pages of a list were open. */
  pages: z.int().positive().optional(),
})
type Place = z.infer<typeof Place>

const Places = z.array(z.tuple([z.string(), Place])).catch([])
const storageKey = 'wangian-places'
const placesMax = 50

let places: Map<string, Place> | undefined

/** What is known of a place, by the router's key of it. */
export function recallPlace(key: string): Place {
  return known().get(key) ?? {}
}

export function rememberPlace(key: string, news: Place): void {
  const all = known()
  const place = { ...all.get(key), ...news }
  // The last one that was touched is the last one to be forgotten.
  all.delete(key)
  all.set(key, place)
  if (all.size > placesMax) for (const oldest of [...all.keys()].slice(0, all.size - placesMax)) all.delete(oldest)
}

/** Keeps everything for a reload, or for coming back from another site. */
export function storePlaces(): void {
  writeStored('sessionStorage', storageKey, JSON.stringify([...known()]))
}

/** At another visit in the same tab the router gives its keys anew: what an earlier one was called means nothing any more. */
function known(): Map<string, Place> {
  places ??= new Map(isRevisit() ? read() : [])
  return places
}

/** Reloaded, or come back to from another site. */
function isRevisit(): boolean {
  const [navigation] = performance.getEntriesByType('navigation')
  return navigation !== undefined && 'type' in navigation && navigation.type !== 'navigate'
}

function read(): z.infer<typeof Places> {
  try {
    return Places.parse(JSON.parse(readStored('sessionStorage', storageKey) ?? '[]'))
  } catch {
    return []
  }
}
