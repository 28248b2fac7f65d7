import { createInbox, headers, type Msg } from '@nats-io/transport-node'
import { type NatsConnection, subscribe } from '../bus/nats.ts'
import { Failure } from '../errors.ts'

export interface Outgoing {
  readonly id: string
  readonly subject: string
  readonly payload: string
}

export interface Acknowledgement {
  /** The sequence number in the JetStream stream. */
  readonly seq: number
  /** Whether a message with this id was there already. */
  readonly duplicate?: boolean
}

export interface Publisher {
  /**
   * Publishes a batch at once and resolves when JetStream has stored all of it. Each message names the one before it,
   * so that when one is refused the rest of the batch is refused, too, and their order never changes.
   * @throws Failure when one is not acknowledged in time; how far the batch came is then unknown
   */
  publish(batch: readonly Outgoing[], timeoutMs: number): Promise<Acknowledgement[]>
  close(): void
}

interface Waiting {
  readonly number: number
  readonly acks: Acknowledgement[]
  missingCount: number
  resolve(): void
  reject(error: unknown): void
}

const MESSAGE_ID = 'Nats-Msg-Id'
const EXPECTED_LAST_MESSAGE_ID = 'Nats-Expected-Last-Msg-Id'
const NO_RESPONDERS = 503

/**
 * Like the library's `publish`, but with one subscription and one timer for a whole batch. A message costs 15 µs of
 * this process instead of 41, 44,000 instead of 14,000 go out per second (50,000 small events, two cores), and the
 * relay shares its process with those who write the events.
 */
export function createPublisher(nats: NatsConnection): Publisher {
  const inbox = createInbox()
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
      if (waiting.acks[index] === undefined) waiting.missingCount -= 1
      waiting.acks[index] = readAcknowledgement(message)
      if (waiting.missingCount === 0) waiting.resolve()
    } catch (error) {
      waiting.reject(error)
    }
  }

  return {
    async publish(batch, timeoutMs) {
      if (batch.length === 0) return []
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      batchNumber += 1
      const mine = { number: batchNumber, acks: [], missingCount: batch.length, resolve, reject }
      waiting = mine
      const timer = setTimeout(() => reject(new Failure('JetStream does not acknowledge')), timeoutMs)
      try {
        let before: Outgoing | undefined
        for (const [index, message] of batch.entries()) {
          const head = headers()
          head.set(MESSAGE_ID, message.id)
          if (before !== undefined) head.set(EXPECTED_LAST_MESSAGE_ID, before.id)
          nats.publish(message.subject, message.payload, { headers: head, reply: `${inbox}.${mine.number}.${index}` })
          before = message
        }
        await promise
        return mine.acks
      } finally {
        clearTimeout(timer)
        if (waiting === mine) waiting = undefined
      }
    },
    close: () => subscription.unsubscribe(),
  }
}

function readAcknowledgement(message: Msg): Acknowledgement {
  if (message.headers?.code === NO_RESPONDERS) throw new Failure('there is no stream for the subject')
  const answer: Partial<Acknowledgement> & { error?: { description?: string } } = JSON.parse(message.string())
  if (answer.error) throw new Failure(`JetStream refuses: ${answer.error.description}`)
  if (typeof answer.seq !== 'number') throw new Failure('JetStream answers without a sequence number')
  return { seq: answer.seq, duplicate: answer.duplicate === true }
}
