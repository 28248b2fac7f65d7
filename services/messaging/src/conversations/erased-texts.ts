import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { deleteTextsWithoutReaders, forgetErasedReader, listErasedReaders } from './erased-text-store.ts'

const PEOPLE_AT_ONCE_MAX = 1_000
const MESSAGES_AT_ONCE_MAX = 1_000

/**
 * Deletes what people wrote to each other who are all erased. Each statement is a transaction of its own: while one is open, nothing that is sent
 * meanwhile is shown.
 */
export async function discardTexts(pool: DatabasePool, signal?: AbortSignal): Promise<void> {
  for (const userId of await listErasedReaders(pool, PEOPLE_AT_ONCE_MAX)) {
    for (let afterId: number | null = 0; afterId !== null; ) {
      if (signal?.aborted) return
      afterId = await deleteTextsWithoutReaders(pool, { userId, afterId, limit: MESSAGES_AT_ONCE_MAX })
    }
    await forgetErasedReader(pool, userId)
  }
}
