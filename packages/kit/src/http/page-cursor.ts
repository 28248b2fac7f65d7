import type { z } from 'zod'
import { Rejection } from '../errors.ts'

/** A cursor says behind what the next page begins; its form is our own business. */
export function writeCursor(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** @throws Rejection('bad-request') for what we did not write */
export function readCursor<Schema extends z.ZodType>(schema: Schema, cursor: string): z.infer<Schema> {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch {
    throw new Rejection('bad-request', 'Cursor is not valid')
  }
}

/** The same request with the cursor of the next page, as a path. */
export function nextPageUrl(url: string, place: unknown): string {
  return withCursor(url, writeCursor(place))
}

/** The same request for what is older than the row with this id, as a path: of lists in the order of ids, whose cursor is the id itself. */
export function olderPageUrl(url: string, beforeId: number): string {
  return withCursor(url, String(beforeId))
}

function withCursor(url: string, cursor: string): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  searchParams.set('cursor', cursor)
  return `${pathname}?${searchParams}`
}

/** What a list says of itself besides its items; a `total` that is not known is left out. */
export function pageHeaders(page: {
  readonly total: number | null
  readonly next: string | null
}): Record<string, string> {
  return {
    ...(page.total !== null && { 'x-total-count': String(page.total) }),
    ...(page.next !== null && { link: `<${page.next}>; rel="next"` }),
  }
}
