import type { NatsConnection } from '@nats-io/transport-node'
import { OwnerAnswer, type OwnerCommand } from '@wangian/contracts/auction-wire.ts'
import { auctionCommandSubject, auctionPartition } from '@wangian/contracts/subjects.ts'
import { isNoResponders, isReachable, traceHeaders } from '@wangian/kit/bus/nats.ts'
import { Failure, Rejection } from '@wangian/kit/errors.ts'

const ANSWER_TIMEOUT_MS = 3000
/** A partition that nobody owns is being taken over: that takes at most a lease and a moment. */
const OWNERLESS_FOR_MAX_MS = 3500
const RETRY_EVERY_MS = 50

/**
 * Sends a command to the owner of the auction's partition, wherever it runs, and waits until it is durable. While nobody owns the partition
 * the command waits for the next owner.
 * @throws Rejection when the owner refused, or `unavailable` when nobody took the command: it is certainly not carried out
 * @throws Failure when nobody answered; without an answer the command may have been carried out
 */
export async function sendCommand(nats: NatsConnection, command: OwnerCommand): Promise<void> {
  const auctionId = command.kind === 'open' ? command.terms.auctionId : command.auctionId
  const subject = auctionCommandSubject(auctionPartition(auctionId))
  const payload = JSON.stringify(command)
  // Sent to a server that is away, the command would lie in a buffer and be carried out when nobody expects it any more.
  if (!(await isReachable(nats))) throw new Rejection('unavailable')
  const givesUpAtMs = performance.now() + OWNERLESS_FOR_MAX_MS
  for (;;) {
    try {
      const message = await nats.request(subject, payload, { timeout: ANSWER_TIMEOUT_MS, ...traceHeaders() })
      const answer = OwnerAnswer.parse(message.json())
      if (answer.ok) return
      if (answer.code !== 'unavailable' || performance.now() > givesUpAtMs) {
        throw new Rejection(answer.code, answer.message)
      }
    } catch (error) {
      if (error instanceof Rejection) throw error
      if (!isNoResponders(error)) throw new Failure('the owner of the auction does not answer', { cause: error })
      if (performance.now() > givesUpAtMs) throw new Rejection('unavailable')
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_EVERY_MS))
  }
}
