import { auctionEvents } from './auction.ts'
import { catalogueEvents } from './catalogue.ts'
import type { EventSchemas } from './envelope.ts'
import { identityEvents } from './identity.ts'
import { messagingEvents } from './messaging.ts'
import type { LoggingService } from './subjects.ts'

/** Every event that leaves a service, by the service that emits it. */
export const eventsByService = {
  identity: identityEvents,
  catalogue: catalogueEvents,
  auction: auctionEvents,
  messaging: messagingEvents,
} as const satisfies Partial<Record<LoggingService, EventSchemas>>
