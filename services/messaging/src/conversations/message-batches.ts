import { setTimeout as wait } from 'node:timers/promises'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Failure, isUnavailability } from '@wangian/kit/errors.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { currentTraceparent, untraced } from '@wangian/kit/service/tracing.ts'
import { type Sending, sendMessages } from './commands.ts'
import { conversationStream, type Limits } from './domain.ts'
import { findMessages, type MessageRow } from './message-store.ts'
import type { SentRows } from './sent-rows.ts'

/** Whoever comes when so many wait would have no answer in time. */
const WAITING_MAX = 1000
const BATCH_MAX = 64
/**
 * From the beginning of one batch to that of the next. What gathers meanwhile is sent, told and shown together: at 200 messages a second it takes a
 * third less of the machine than a batch right after the other, in which there are two.
 */
const EVERY_MS = 20

export interface MessageBatches {
  /**
   * Sends a message.
   * @returns it, when it is committed
   * @throws Rejection when it may not be sent; Failure when too many wait
   */
  send(sending: Sending): Promise<MessageRow>
}

interface Waiting {
  readonly sending: Sending
  readonly resolve: (row: Promise<MessageRow>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Sends what arrives together in one transaction, for only one adds messages at a time. The first one of a quiet time does not wait.
 * @param options.onAppended called after something was appended to the log
 */
export function createMessageBatches(options: {
  readonly pool: DatabasePool
  readonly limits: Limits
  readonly onAppended: () => void
  readonly sentRows: SentRows
  readonly waitingMax?: number
  readonly everyMs?: number
}): MessageBatches {
  const { pool, limits, onAppended, sentRows, waitingMax = WAITING_MAX, everyMs = EVERY_MS } = options
  let waiting: Waiting[] = []
  let isSending = false

  async function sendAll(): Promise<void> {
    isSending = true
    while (waiting.length > 0) {
      const nextAtMs = performance.now() + everyMs
      const { batch, later } = nextBatch(waiting)
      waiting = later
      await sendBatch(batch)
      if (waiting.length < BATCH_MAX) await wait(Math.max(0, nextAtMs - performance.now()))
    }
    isSending = false
  }

  async function sendBatch(batch: readonly Waiting[]): Promise<void> {
    const sendings = batch.map(({ sending }) => sending)
    try {
      const outcomes = await pool.transaction((transaction) => sendMessages(transaction, sendings, limits))
      onAppended()
      // The next batch does not wait for what these are shown with.
      const rows = readRows(outcomes.filter((outcome) => typeof outcome === 'number'))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index]
        if (typeof outcome !== 'number') {
          reject(outcome)
          continue
        }
        const row = rows.then((byId) => rowOf(byId, outcome))
        resolve(row)
        sentRows.keep(outcome, row)
      }
    } catch (error) {
      // One of them may be at fault: each for itself shows which.
      if (batch.length > 1 && !isUnavailability(error)) for (const each of batch) await sendBatch([each])
      else for (const { reject } of batch) reject(error)
    }
  }

  async function readRows(messageIds: readonly number[]): Promise<ReadonlyMap<number, MessageRow>> {
    return new Map((await findMessages(pool, messageIds)).map((row) => [row.id, row]))
  }

  return {
    send(sending) {
      return new Promise((resolve, reject) => {
        if (waiting.length >= waitingMax) throw new Failure('too many messages wait to be sent')
        waiting.push({ sending: withTrace(sending), resolve, reject })
        // What is sent together belongs to as many traces.
        if (!isSending) void untraced(sendAll)
      })
    },
  }
}

function withTrace(sending: Sending): Sending {
  const traceparent = currentTraceparent()
  return traceparent === null ? sending : { ...sending, metadata: { ...sending.metadata, traceparent } }
}

/** Of each sender, and of each conversation, only the first one; what comes behind it stays behind it. */
function nextBatch(waiting: readonly Waiting[]): { readonly batch: Waiting[]; readonly later: Waiting[] } {
  const taken = new Set<number | string>()
  const batch: Waiting[] = []
  const later: Waiting[] = []
  for (const each of waiting) {
    const { senderId, receiverId } = each.sending
    const stream = conversationStream(senderId, receiverId)
    const isFree = batch.length < BATCH_MAX && !taken.has(senderId) && !taken.has(stream)
    taken.add(senderId).add(stream)
    if (isFree) batch.push(each)
    else later.push(each)
  }
  return { batch, later }
}

function rowOf(rows: ReadonlyMap<number, MessageRow>, messageId: number): MessageRow {
  const row = rows.get(messageId)
  invariant(row, 'a message that was sent is there')
  return row
}
