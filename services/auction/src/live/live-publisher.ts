import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { auctionLiveSubject } from '@wangian/contracts/subjects.ts'
import { newInbox, saysNoResponders, subscribe } from '@wangian/kit/bus/nats.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'

/**
 * Publishes live messages to the gateways that watch an auction. Each names a subject for an answer, which nobody gives but the server, at once, when
 * nobody listens ("no responders").
 */
export function livePublisher(options: {
  readonly nats: NatsConnection
  readonly log: Logger
  /** A message of this auction was heard by nobody. */
  readonly onUnheard: (auctionId: number) => void
}): (auctionId: number, message: string) => void {
  const { nats, log, onUnheard } = options
  const inbox = newInbox(nats)
  const receive = (message: Msg) => {
    if (saysNoResponders(message)) onUnheard(Number(message.subject.slice(inbox.length + 1)))
  }
  subscribe(nats, `${inbox}.*`, receive, { log })
  return (auctionId, message) =>
    nats.publish(auctionLiveSubject(auctionId), message, { reply: `${inbox}.${auctionId}` })
}
