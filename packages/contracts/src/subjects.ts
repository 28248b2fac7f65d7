/** The services that keep a log and publish from it. */
export const loggingServices = ['identity', 'catalogue', 'auction', 'messaging', 'boost', 'admin'] as const
export type LoggingService = (typeof loggingServices)[number]

/** The JetStream stream that holds a service's events. */
export function eventStreamName(service: LoggingService): string {
  return `EVENTS_${service.toUpperCase()}`
}

/** The subject of one event type. A consumer of a whole service filters by `eventSubject(service, '*')`. */
export function eventSubject(service: LoggingService, type: string): string {
  return `events.${service}.${type}`
}

/** The subject of a question or command that any instance of a service may answer (a queue group). */
export function requestSubject(service: LoggingService, name: string): string {
  return `request.${service}.${name}`
}

/** Said by a process of a service that has added to its log, to the one of its processes that publishes it. */
export function appendedSubject(service: LoggingService): string {
  return `appended.${service}`
}

/** How many partitions the auctions hash onto. Changing it needs a stop of all owners. */
export const AUCTION_PARTITIONS = 64

/** The partition of an auction: ids are dense, so the remainder spreads them evenly. */
export function auctionPartition(auctionId: number): number {
  return auctionId % AUCTION_PARTITIONS
}

/** Bids for a partition: only its owner listens here, and gateways say nothing else. */
export function auctionBidsSubject(partition: number): string {
  return `auction.bids.${partition}`
}

/** What sellers and administrators do to auctions, sent by the auction service itself; only the owner of the partition listens here. */
export function auctionCommandSubject(partition: number): string {
  return `auction.command.${partition}`
}

const OWNER_SUBJECT_PREFIX = 'auction.owner.'

/**
 * One process's own subject for bids of all partitions it holds. It is told to senders as the reply subject of each answer, so that bids for
 * many partitions of one owner travel as one message; a sender that is wrong about a partition is told `unavailable`.
 */
export function auctionOwnerSubject(processId: string): string {
  return OWNER_SUBJECT_PREFIX + processId
}

export function isAuctionOwnerSubject(subject: string): boolean {
  return subject.startsWith(OWNER_SUBJECT_PREFIX)
}

/** Live frames of one auction, already serialised (see `auction-wire.ts`). */
export function auctionLiveSubject(auctionId: number): string {
  return `auction.live.${auctionId}`
}

/** Live frames for all sockets of one person, already serialised (see `messaging-wire.ts`). */
export function userLiveSubject(userId: number): string {
  return `user.live.${userId}`
}
