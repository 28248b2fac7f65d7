import { type DestinationStream, type LoggerOptions, type Logger as PinoLogger, pino } from 'pino'
import { currentTraceparent } from './tracing.ts'

export type Logger = PinoLogger

/**
 * JSON lines on stdout. Secrets in the usual places are replaced before they are written.
 * @param options.level one of pino's, or `silent`
 * @param options.stream where the lines go instead (tests)
 */
export function createLogger(options: {
  readonly name: string
  readonly level?: string
  readonly instanceId?: string
  readonly stream?: DestinationStream
}): Logger {
  const settings: LoggerOptions = {
    name: options.name,
    level: options.level ?? 'info',
    base: options.instanceId === undefined ? {} : { instance: options.instanceId },
    // Levels as words: whoever reads the lines need not know pino's numbers.
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: traceOf,
    redact: { paths: redactedPaths, censor: '[redacted]' },
  }
  return options.stream === undefined ? pino(settings) : pino(settings, options.stream)
}

/** Lines and traces of the same request find each other. Each line gets an object of its own, to which the rest is added. */
function traceOf(): object {
  const traceId = currentTraceparent()?.split('-')[1]
  return traceId === undefined ? {} : { traceId }
}

/** A logger that writes nothing, for tests and for callers that do not care. */
export const silentLogger: Logger = pino({ level: 'silent' })

const secretNames = [
  'authorization',
  'cookie',
  'password',
  'token',
  'supabaseToken',
  'refresh_token',
  'access_token',
  'x_signature',
]

const redactedPaths = [
  ...secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
  // Slonik's errors carry the values that were bound to the statement.
  'err.values',
  'err.*.values',
]
