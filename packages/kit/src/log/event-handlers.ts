import type { Envelope } from '@wangian/contracts/envelope.ts'
import type { EventSource, EventsOf } from '@wangian/contracts/events/by-service.ts'
import type { PublishedEventOf, PublishedType } from '@wangian/contracts/events/definition.ts'
import type { Executor, Transaction } from '../database/postgres.ts'
import type { SharedCommand } from './command.ts'

/** An event of another service as it was published, in today's shape. */
export type ReceivedEvent<Source extends EventSource, Type extends PublishedType<EventsOf<Source>>> = Envelope &
  Extract<PublishedEventOf<EventsOf<Source>>, { readonly type: Type }>

/**
 * What is done about an event. A function writes rows, and appends nothing. A `command` is decided and appended, `null` where the event leads to
 * nothing. Neither waits for another service, and both share a transaction with what is done about other events. What must be asked of others is
 * asked in `prepare`; what that gives is done in a transaction of its own, in which an append, if any, is the first write.
 */
export type EventHandler<Event> =
  | ((executor: Executor, event: Event) => Promise<void>)
  | { readonly command: (event: Event) => SharedCommand | null }
  | { readonly prepare: (event: Event) => Promise<(transaction: Transaction) => Promise<void>> }

/** What an event says. */
export const dataOf = <Data>({ data }: { readonly data: Data }): Data => data

/** What is done about each type of event; types without a handler are not asked for. */
export type EventHandlers<Source extends EventSource> = {
  readonly [Type in PublishedType<EventsOf<Source>>]?: EventHandler<ReceivedEvent<Source, Type>>
}

/**
 * What is done about all events of a type in a batch at once. Events of one stream come in their order, also among types; those of other
 * streams may come before or after them.
 */
export type BulkEventHandlers<Source extends EventSource> = {
  readonly [Type in PublishedType<EventsOf<Source>>]?: (
    transaction: Transaction,
    events: readonly ReceivedEvent<Source, Type>[],
  ) => Promise<void>
}
