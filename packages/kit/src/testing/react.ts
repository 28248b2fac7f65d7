import type { DatabasePool, Transaction } from '../database/postgres.ts'

/**
 * Has handlers react to an event as a consumer does: prepared first, then in a transaction.
 * @param handlers of one source, by type; a type without a handler is passed over
 */
export async function react(
  pool: DatabasePool,
  handlers: object,
  event: { readonly type: string; readonly data: unknown; readonly [field: string]: unknown },
): Promise<void> {
  const handler: AnyHandler = (handlers as Record<string, AnyHandler>)[event.type]
  if (handler === undefined) return
  const effect =
    typeof handler === 'function'
      ? (transaction: Transaction) => handler(transaction, event)
      : await handler.prepare(event)
  await pool.transaction(effect)
}

type AnyHandler =
  | ((transaction: Transaction, event: unknown) => Promise<void>)
  | { prepare(event: unknown): Promise<(transaction: Transaction) => Promise<void>> }
  | undefined
