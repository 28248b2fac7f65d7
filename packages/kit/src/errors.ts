import { type ErrorCode, errorCatalogue } from '@wangian/contracts/errors.ts'

/**
 * The business says no. Thrown by deciding code, answered with the status of its code, logged at info, never retried.
 * `message` is fit to be shown to a person; without one the catalogue's sentence is used.
 */
export class Rejection extends Error {
  override readonly name = 'Rejection'
  readonly code: ErrorCode
  /** Anything that can be written as JSON; it leaves the system in the error body. */
  readonly details: unknown

  constructor(code: ErrorCode, message: string = errorCatalogue[code].message, details?: unknown) {
    super(message)
    this.code = code
    this.details = details
  }
}

/**
 * The world says no: something we depend on is away or was faster. Worth another try; keeps what happened as `cause`.
 * At the edge it becomes 503 `unavailable`, its message stays in the log.
 */
export class Failure extends Error {
  override readonly name: string = 'Failure'
}

/**
 * A process cannot start before somebody has mended something, and would fail in the same way if it were started again. The message is all
 * that is printed: it says what happened and what to do.
 */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** How deep a chain of causes is followed; a cycle ends here. */
const CAUSES_MAX = 8

/**
 * Whether an error, or one that caused it, says that a database, NATS or another process could not be reached, did
 * not answer in time or has no room, so that the same request may well succeed in a moment.
 */
export function isUnavailability(error: unknown): boolean {
  let current = error
  for (let depth = 0; depth < CAUSES_MAX && current instanceof Error; depth += 1) {
    // Not every library sets the name of its errors; the class has one.
    if (current instanceof Failure || unavailabilityNames.has(current.name)) return true
    if (unavailabilityNames.has(current.constructor.name)) return true
    if ('code' in current && typeof current.code === 'string' && isUnavailabilityCode(current.code)) return true
    // A Postgres socket file that is missing while the server restarts; other missing files are bugs.
    if ('syscall' in current && current.syscall === 'connect') return true
    if (unavailabilityMessage.test(current.message)) return true
    if (current instanceof AggregateError && current.errors.some((inner) => isUnavailability(inner))) return true
    current = current.cause
  }
  return false
}

const unavailabilityNames = new Set([
  // slonik
  'BackendTerminatedError',
  'BackendTerminatedUnexpectedlyError',
  'ConnectionError',
  'IdleTransactionTimeoutError',
  'StatementCancelledError',
  'StatementTimeoutError',
  // NATS
  'ClosedConnectionError',
  'DrainingConnectionError',
  'NoRespondersError',
  'RequestError',
  'TimeoutError',
])

const unavailabilityCodes = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
  // The disk, or what we may have of it, is full.
  'EDQUOT',
  'ENOSPC',
  // Postgres: only reads since another server took over, chosen to end a deadlock, disk full, out of memory, too many connections, query cancelled by
  // its timeout, shutting down, crashed, starting.
  '25006',
  '40P01',
  '53100',
  '53200',
  '53300',
  '57014',
  '57P01',
  '57P02',
  '57P03',
])

// pg throws plain errors without a code when the socket under a query goes away.
const unavailabilityMessage = /^(Connection terminated|Client has encountered a connection error|timeout exceeded when)/

function isUnavailabilityCode(code: string): boolean {
  // SQLSTATE class 08 is `connection exception`.
  return unavailabilityCodes.has(code) || /^08[0-9A-Z]{3}$/.test(code)
}
