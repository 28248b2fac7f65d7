import { type DatabaseService, databaseServices } from '../services.ts'

/**
 * How many connections one process of a service takes of Postgres at most: its pool, one for each of the relay, the pages of the log and its locks,
 * and for auction, of which there may be several, the owner's four.
 */
export const connectionsOf: Partial<Record<DatabaseService, number>> = {
  identity: 11,
  catalogue: 13,
  auction: 17,
  messaging: 10,
  boost: 7,
  admin: 8,
}

/** The pool of the process that answers who reads of auctions; it has nothing else. */
export const AUCTION_PAGES_CONNECTIONS = 8

/** For the start itself, rebuilds and whoever looks. */
const OTHERS = 10

/** How many connections Postgres must take for all services, with so many owners of auctions, and so many copies of each other process. */
export function connectionsNeeded(auctionInstances: number, copies = 1): number {
  const ofServices = databaseServices.map(
    (service) => (connectionsOf[service] ?? 0) * (service === 'auction' ? auctionInstances : copies),
  )
  return ofServices.reduce((sum, count) => sum + count, AUCTION_PAGES_CONNECTIONS * copies + OTHERS)
}
