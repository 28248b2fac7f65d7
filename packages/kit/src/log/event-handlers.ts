import type { Envelope } from '@wangian/contracts/envelope.ts'
import type { EventSource, EventsOf } from '@wangian/contracts/events/by-service.ts'
import type { PublishedEventOf, PublishedType } from '@wangian/contracts/events/definition.ts'
import type { Transaction } from '../database/postgres.ts'

/** An event of another service as it was published, in today's shape. */
export type ReceivedEvent<Source extends EventSource, Type extends PublishedType<EventsOf<Source>>> = Envelope &
  Extract<PublishedEventOf<EventsOf<Source>>, { readonly type: Type }>

/**
 * What is done about an event in a transaction; an append, if any, is its first write. It never waits for another service: what must be asked
 * is asked in `prepare`, before the transaction, which gives what is then done. Of events most of which lead to nothing, `when` tells those that
 * do: the others have no transaction of their own.
 */
export type EventHandler<Event> =
  | ((transaction: Transaction, event: Event) => Promise<void>)
  | { readonly prepare: (event: Event) => Promise<(transaction: Transaction) => Promise<void>> }
  | {
      readonly when: (event: Event) => boolean
      readonly handle: (transaction: Transaction, event: Event) => Promise<void>
    }

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
