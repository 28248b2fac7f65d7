import type { Msg } from '@nats-io/transport-node'
import { type NatsConnection, newInbox, subscribe } from '../bus/nats.ts'
import { Failure } from '../errors.ts'

export interface Outgoing {
  readonly subject: string
  readonly payload: string
}

export interface Publisher {
  /**
   * Publishes a batch at once and resolves when JetStream has stored all of it.
   * @throws Failure when one is refused or not acknowledged in time; which of them are stored is then unknown
   */
  publish(batch: readonly Outgoing[], timeoutMs: number): Promise<void>
  close(): void
}

interface Waiting {
  readonly number: number
  readonly missing: Set<number>
  resolve(): void
  reject(error: unknown): void
}

const NO_RESPONDERS = 503

/**
 * Like the library's `publish`, but with one subscription and one timer for a whole batch. A message costs 15 µs of
 * this process instead of 41, 44,000 instead of 14,000 go out per second (50,000 small events, two cores), and the
 * relay shares its process with those who write the events.
 */
export function createPublisher(nats: NatsConnection): Publisher {
  const inbox = newInbox(nats)
  let waiting: Waiting | undefined
  let batchNumber = 0
  const subscription = subscribe(nats, `${inbox}.*.*`, receive, { onError: (error) => waiting?.reject(error) })

  function receive(message: Msg): void {
    const [number, index] = message.subject
      .slice(inbox.length + 1)
      .split('.')
      .map(Number)
    if (waiting === undefined || number !== waiting.number || index === undefined) return
    try {
      checkAcknowledgement(message)
      waiting.missing.delete(index)
      if (waiting.missing.size === 0) waiting.resolve()
    } catch (error) {
      waiting.reject(error)
    }
  }

  return {
    async publish(batch, timeoutMs) {
      if (batch.length === 0) return
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      batchNumber += 1
      const mine = { number: batchNumber, missing: new Set(batch.keys()), resolve, reject }
      waiting = mine
      const timer = setTimeout(() => reject(new Failure('JetStream does not acknowledge')), timeoutMs)
      try {
        for (const [index, { subject, payload }] of batch.entries()) {
          nats.publish(subject, payload, { reply: `${inbox}.${mine.number}.${index}` })
        }
        await promise
      } finally {
        clearTimeout(timer)
        if (waiting === mine) waiting = undefined
      }
    },
    close: () => subscription.unsubscribe(),
  }
}

function checkAcknowledgement(message: Msg): void {
  if (message.headers?.code === NO_RESPONDERS) throw new Failure('there is no stream for the subject')
  const answer: { seq?: number; error?: { description?: string } } = JSON.parse(message.string())
  if (answer.error) throw new Failure(`JetStream refuses: ${answer.error.description}`)
  if (typeof answer.seq !== 'number') throw new Failure('JetStream answers without a sequence number')
}
