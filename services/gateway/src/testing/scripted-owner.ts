import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { type BidTuple, INVALID_AMOUNT_SEN, parseBids, type VerdictTuple } from '@wangian/contracts/auction-wire.ts'
import { auctionBidsSubject } from '@wangian/contracts/subjects.ts'

/** One message of bids as an owner gets it. */
export interface BidMessage {
  readonly subject: string
  readonly bids: readonly BidTuple[]
  /** Answers with one part; may be called again for the bids that are left. */
  answer(verdicts: readonly VerdictTuple[]): void
  /** Answers with anything at all. */
  answerText(text: string): void
}

export interface ScriptedOwner {
  /** Every message that came, in order. */
  readonly messages: readonly BidMessage[]
  /** Gives the partition up. */
  leave(): Promise<void>
}

/**
 * Plays the auction service's side of the wire: listens to partitions, and to its own subject if it has one, and does with each message
 * what the test says. Returns when the server knows the subscriptions.
 */
export async function playOwner(
  nats: NatsConnection,
  partitions: readonly number[],
  script: (message: BidMessage) => void = acceptAll(),
  ownSubject?: string,
): Promise<ScriptedOwner> {
  const messages: BidMessage[] = []
  const subjects = [...partitions.map(auctionBidsSubject), ...(ownSubject === undefined ? [] : [ownSubject])]
  const subscriptions = subjects.map((subject) =>
    nats.subscribe(subject, {
      callback: (error, raw) => {
        if (error !== null) throw error
        const message = bidMessage(raw, ownSubject)
        messages.push(message)
        script(message)
      },
    }),
  )
  await nats.flush()
  return {
    messages,
    async leave() {
      for (const subscription of subscriptions) subscription.unsubscribe()
      await nats.flush()
    },
  }
}

/** Accepts every bid over an amount, counting from 1 over all auctions. */
export function acceptAll(): (message: BidMessage) => void {
  let seq = 0
  return ({ bids, answer }) =>
    answer(
      bids.map(([, , sen], index) => (sen === INVALID_AMOUNT_SEN ? [index, 'invalid-amount', 0] : [index, 0, ++seq])),
    )
}

function bidMessage(raw: Msg, ownSubject: string | undefined): BidMessage {
  const options = ownSubject === undefined ? undefined : { reply: ownSubject }
  return {
    subject: raw.subject,
    bids: parseBids(raw.string()),
    answer: (verdicts) => void raw.respond(JSON.stringify(verdicts), options),
    answerText: (text) => void raw.respond(text),
  }
}
