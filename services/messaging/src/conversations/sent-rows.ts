import type { MessageRow } from './message-store.ts'

/** Whoever shows messages is told of them within some ms. What is kept for seconds has to be collected with the old objects. */
const KEPT_MS = 1_000
const KEPT_MAX = 256

/** The rows of messages that were just sent, from who has read them for their senders to who shows them, which saves that a statement. */
export interface SentRows<Row = MessageRow> {
  /** Keeps the row of a message, that is there or on its way, until it is taken or a second is over. */
  keep(messageId: number, row: Promise<Row>): void
  /** Those of these messages that are here, in any order, each once. One that could not be read is left out. */
  take(messageIds: readonly number[]): Promise<readonly Row[]>
}

/** For one process, which may be another than the one that shows the messages: then they are dropped. */
export function createSentRows<Row = MessageRow>(nowMs: () => number = () => performance.now()): SentRows<Row> {
  const kept = new Map<number, { readonly row: Promise<Row>; readonly untilMs: number }>()
  return {
    keep(messageId, row) {
      // Its sender is told that it failed.
      row.catch(() => {})
      kept.set(messageId, { row, untilMs: nowMs() + KEPT_MS })
      for (const [oldest, { untilMs }] of kept) {
        if (untilMs > nowMs() && kept.size <= KEPT_MAX) break
        kept.delete(oldest)
      }
    },
    async take(messageIds) {
      const taken = messageIds.flatMap((messageId) => {
        const known = kept.get(messageId)
        kept.delete(messageId)
        return known !== undefined && known.untilMs > nowMs() ? known.row : []
      })
      const outcomes = await Promise.allSettled(taken)
      return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
    },
  }
}
