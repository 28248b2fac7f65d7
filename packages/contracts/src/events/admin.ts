import { z } from 'zod'
import { defineEvent, type EventOf } from './definition.ts'
import { id, instant } from './fields.ts'

/** What was changed, by the names of its fields. */
const facts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))

/** What administrators have done. The stream is `admin-action-<source id>`. */
export const adminEvents = {
  /**
   * An administrator has done something. It is told after the event of the owner of what was changed, and is there once for each such event.
   * Reasons about people are personal and stay with identity.
   */
  AdminActionTaken: defineEvent({
    data: z.object({
      /** Of the owner's event. What is done about parked events has none, and an id of its own. A UUID. */
      sourceId: z.string(),
      actorId: id,
      action: z.enum([
        'ban-user',
        'unban-user',
        'appoint-administrator',
        'dismiss-administrator',
        'remove-second-factor',
        'move-order',
        'remove-listing',
        'decide-report',
        'refund-case',
        'close-payment-alert',
        'retry-event',
        'discard-event',
      ]),
      targetKind: z.enum(['user', 'order', 'listing', 'report', 'case', 'payment-alert', 'event']),
      targetId: z.string(),
      reason: z.string().nullable(),
      before: facts,
      after: facts,
      takenAt: instant,
    }),
  }),
} as const
export type AdminEvent = EventOf<typeof adminEvents>
