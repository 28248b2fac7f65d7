import type { ReactionDeclaration } from '@wangian/kit/log/consumer.ts'
import type { ConsumedProjection } from '@wangian/kit/log/rebuild.ts'
import type { BlankSome } from '@wangian/kit/people/erased-words.ts'
import { peopleProjection } from '@wangian/kit/people/known-people.ts'
import { blankRefundNotes } from './orders/order-store.ts'
import { orderReactions, personHandlers, providerReactions, type Reacting } from './reactions.ts'

/** What is known from others. */
export const projections: readonly ConsumedProjection[] = [{ ...peopleProjection, bulkHandlers: personHandlers }]

/** What is done about what was said here. */
export function reactions(reacting: Reacting): ReactionDeclaration[] {
  return [
    { source: 'boost', name: 'orders', handlers: orderReactions(reacting) },
    { source: 'boost', name: 'channels', handlers: providerReactions(reacting) },
  ]
}

/** What goes out of the log with a person. */
export const blanks: readonly BlankSome[] = [blankRefundNotes]
