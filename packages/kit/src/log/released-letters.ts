import { dropDeadLetter, listReleased } from './dead-letters.ts'
import { type Delivery, type Handling, readDelivery } from './deliveries.ts'

const INTERVAL_MS = 2_000

export interface ReleasedLetters {
  /** Resolves when what was handled is not among the dead letters any more. */
  stop(): Promise<void>
}

/**
 * Looks for events that were put aside and that a person has released, and delivers them like new ones. A letter goes when its event is
 * handled; in between a crash does no harm, for the inbox has the event then.
 */
export function deliverReleasedLetters(
  { pool, key, log }: Pick<Handling, 'pool' | 'key' | 'log'>,
  deliver: (delivery: Delivery) => void,
): ReleasedLetters {
  /** By their ids: those on their way, with what becomes of the row of those that are done. */
  const underWay = new Map<string, Promise<void>>()
  let looking: Promise<void> = Promise.resolve()

  async function look(): Promise<void> {
    for (const { eventId, subject, payload } of await listReleased(pool, key)) {
      if (underWay.has(eventId)) continue
      underWay.set(eventId, Promise.resolve())
      const message = {
        subject,
        string: () => payload,
        working: () => {},
        ack() {
          const dropping = dropDeadLetter(pool, key, eventId).catch((err: unknown) => {
            log.warn({ err, eventId }, 'a dead letter that was handled is still there')
          })
          underWay.set(
            eventId,
            dropping.then(() => void underWay.delete(eventId)),
          )
        },
        putAside: () => void underWay.delete(eventId),
      }
      deliver(readDelivery(message, () => eventId))
    }
  }

  const lookSafely = () => {
    looking = look().catch((err: unknown) => log.warn({ err }, 'cannot look for dead letters to try again'))
  }
  lookSafely()
  const timer = setInterval(lookSafely, INTERVAL_MS)
  return {
    async stop() {
      clearInterval(timer)
      await looking
      await Promise.all(underWay.values())
    },
  }
}
