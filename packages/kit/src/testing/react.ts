import type { DatabasePool, Transaction } from '../database/postgres.ts'
import { runTogether, type SharedCommand } from '../log/command.ts'

/**
 * Has a consumer of a service handle an event: prepared first, then in a transaction.
 * @param consumer with handlers by type; a type without a handler is passed over
 */
export async function react(
  pool: DatabasePool,
  consumer: { readonly handlers?: object; readonly bulkHandlers?: object },
  event: { readonly type: string; readonly data: unknown; readonly [field: string]: unknown },
): Promise<void> {
  const { handlers = {}, bulkHandlers = {} } = consumer as Consumer
  const handler = handlers[event.type]
  const effect = typeof handler === 'object' && 'prepare' in handler ? await handler.prepare(event) : undefined
  const command = typeof handler === 'object' && 'command' in handler ? handler.command(event) : null
  await pool.transaction(async (transaction) => {
    if (command !== null) await runTogether(transaction, [command])
    await effect?.(transaction)
    if (typeof handler === 'function') await handler(transaction, event)
    await bulkHandlers[event.type]?.(transaction, [event])
  })
}

interface Consumer {
  readonly handlers?: Readonly<
    Record<
      string,
      | ((transaction: Transaction, event: unknown) => Promise<void>)
      | { command(event: unknown): SharedCommand | null }
      | { prepare(event: unknown): Promise<(transaction: Transaction) => Promise<void>> }
      | undefined
    >
  >
  readonly bulkHandlers?: Readonly<
    Record<string, ((transaction: Transaction, events: readonly unknown[]) => Promise<void>) | undefined>
  >
}
