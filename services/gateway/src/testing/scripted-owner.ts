import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { type BidTuple, INVALID_AMOUNT_SEN, parseBids, type VerdictTuple } from '@wangian/contracts/auction-wire.ts'
import { auctionCommandSubject } from '@wangian/contracts/subjects.ts'

/** One message of bids as an owner gets it. */
export interface BidMessage {
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
 * Plays the auction service's side of the wire: listens to a partition and does with each message what the test says.
 * Returns when the server knows the subscription.
 */
export async function playOwner(
  nats: NatsConnection,
  partition: number,
  script: (message: BidMessage) => void = acceptAll(),
): Promise<ScriptedOwner> {
  const messages: BidMessage[] = []
  const subscription = nats.subscribe(auctionCommandSubject(partition), {
    callback: (error, raw) => {
      if (error !== null) throw error
      const message = bidMessage(raw)
      messages.push(message)
      script(message)
    },
  })
  await nats.flush()
  return {
    messages,
    async leave() {
      subscription.unsubscribe()
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

function bidMessage(raw: Msg): BidMessage {
  return {
    bids: parseBids(raw.string()),
    answer: (verdicts) => void raw.respond(JSON.stringify(verdicts)),
    answerText: (text) => void raw.respond(text),
  }
}
