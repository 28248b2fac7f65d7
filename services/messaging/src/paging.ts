import { MESSAGES_AT_ONCE_MAX } from '@wangian/contracts/messaging.ts'
import { olderPageUrl, pageHeaders } from '@wangian/kit/http/page-cursor.ts'
import type { Listed, Page } from './list-store.ts'

/** What a list was asked for. */
export interface PageRequest {
  readonly query: { readonly limit?: number | undefined; readonly cursor?: number | undefined }
  readonly url: string
}

/** One page, the newest first, with its paging headers. */
export async function page<Row>(
  { query, url }: PageRequest,
  find: (page: Page) => Promise<Listed<Row>>,
  idOf: (row: Row) => number = (row) => (row as { id: number }).id,
): Promise<{ rows: Row[]; headers: Record<string, string> }> {
  const limit = query.limit ?? MESSAGES_AT_ONCE_MAX
  // One more than asked for tells whether there is another page.
  const { rows: found, total } = await find({ limit: limit + 1, beforeId: query.cursor ?? null })
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const hasMore = found.length > limit && last !== undefined
  return { rows, headers: pageHeaders({ total, next: hasMore ? olderPageUrl(url, idOf(last)) : null }) }
}
