import type { LoggingService } from '../subjects.ts'
import { adminEvents } from './admin.ts'
import { auctionEvents } from './auction.ts'
import { boostEvents } from './boost.ts'
import { catalogueEvents, catalogueFormerNames } from './catalogue.ts'
import type { EventDefinitions, FormerNames } from './definition.ts'
import { identityEvents } from './identity.ts'
import { messagingEvents } from './messaging.ts'

/** Every event that is stored, by the service that emits it. */
export const eventsByService = {
  identity: identityEvents,
  catalogue: catalogueEvents,
  auction: auctionEvents,
  messaging: messagingEvents,
  boost: boostEvents,
  admin: adminEvents,
} as const satisfies Partial<Record<LoggingService, EventDefinitions>>

/** The services whose events are declared. */
export type EventSource = keyof typeof eventsByService

/** The events that a service emits. */
export type EventsOf<Source extends EventSource> = (typeof eventsByService)[Source]

/** What was stored under another name. */
export const formerNamesByService: {
  readonly [Source in EventSource]: FormerNames<EventsOf<Source>>
} = {
  identity: {},
  catalogue: catalogueFormerNames,
  auction: {},
  messaging: {},
  boost: {},
  admin: {},
}
