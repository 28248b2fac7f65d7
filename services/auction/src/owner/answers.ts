import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { BidMemory } from '../books/bid-memory.ts'
import { accepted, type BidCommand, type Command, refused, type Verdict, type Waiter } from '../books/command.ts'
import { countBid } from './metrics.ts'

/** Every command is answered by then, with whatever is certain (promise P8 allows 5 s with the way back). */
const ANSWER_WITHIN_MS = 4000

const nobody: Waiter = { settle: () => {} }

/** Tells each command its verdict, once and in time, and a repeated bid the verdict of the first (promise P7). */
export class Answers {
  readonly #memory = new BidMemory()

  /** Whether it repeats a bid that is known here: then it gets the first answer, or waits for it, whatever state the owner is in. */
  isRepeated(command: Command): boolean {
    if (command.kind !== 'bid') return false
    const first = this.#memory.find(command)
    if (first === undefined || first === command) return false
    const verdict = 'kind' in first ? first.verdict : first
    if (verdict !== null) command.waiter.settle(command.index, verdict)
    else if ('kind' in first) {
      first.others ??= []
      first.others.push({ waiter: command.waiter, index: command.index })
      // One that was parked came earlier than the first that is remembered; both are answered in the earlier one's time.
      first.receivedAtMs = Math.min(first.receivedAtMs, command.receivedAtMs)
    }
    return true
  }

  /**
   * Whether what is about to be refused may repeat a bid that was accepted before this process can remember.
   * @param hasBidsFromBefore the auction had bids when this process came to know it
   */
  mayBeLogged(command: Command, hasBidsFromBefore: boolean): boolean {
    if (command.kind !== 'bid' || command.key === null) return false
    if (!hasBidsFromBefore && !this.#memory.hasForgotten) return false
    const refusal = command.tentative?.refusal ?? null
    return refusal !== null && mayFollowAcceptance.has(refusal)
  }

  /** Its verdict is to come: a repetition that comes meanwhile waits for the same. */
  remember(command: Command): void {
    if (command.kind === 'bid') this.#memory.remember(command, command)
  }

  settle(command: Command, verdict: Verdict): void {
    const isAnswered = command.verdict !== null
    // Who was told that nobody knows is told nothing more, but a retry is told what became of it.
    if (isAnswered && command.verdict?.refusal !== 'outcome-unknown') return
    command.verdict = verdict
    if (!isAnswered) {
      if (command.kind === 'bid') countBid(verdict)
      command.waiter.settle(command.index, verdict)
      // The command may be remembered; the message that it came with must not live as long.
      command.waiter = nobody
    }
    if (command.kind === 'bid') this.#settleRepetitions(command, verdict)
  }

  /** Whether it is answered already, or so late that whoever sent it has given up. */
  isGivenUp(command: Command): boolean {
    return command.verdict !== null || command.receivedAtMs < performance.now() - ANSWER_WITHIN_MS
  }

  /** Answers those of them whose time is up. `mayBeWritten`: what is accepted among them is on its way into the log. */
  expire(commands: Iterable<Command>, { mayBeWritten }: { mayBeWritten: boolean }): void {
    for (const command of commands) {
      if (command.verdict !== null || !this.isGivenUp(command)) continue
      // A refusal is in no transaction.
      const isUnknown = mayBeWritten && command.tentative?.refusal === null
      this.settle(command, refused(isUnknown ? 'outcome-unknown' : 'unavailable'))
    }
  }

  #settleRepetitions(command: BidCommand, verdict: Verdict): void {
    const told = repeated(command, verdict)
    if (command.others !== null) {
      for (const { waiter, index } of command.others) waiter.settle(index, told)
      command.others = null
    }
    if (isOfTheAuction(verdict)) this.#memory.remember(command, told)
    // It may still become known.
    else if (verdict.refusal === 'outcome-unknown') this.#memory.remember(command, command)
    else this.#memory.forget(command)
  }
}

/** What whoever repeats a bid is told: the amount that was accepted, whatever is asked for now. */
function repeated(first: BidCommand, verdict: Verdict): Verdict {
  return verdict.refusal === null ? accepted(verdict.seq, verdict.amountSen ?? first.amountSen) : verdict
}

/** A bid under an id that was accepted once may meet these when it is sent again. */
const mayFollowAcceptance: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'bid-too-low',
  'auction-ended',
  'auction-paused',
  'account-suspended',
])

/** Verdicts about the auction are the first answer that a retry gets again; verdicts about our own state of health are not. */
function isOfTheAuction({ refusal }: Verdict): boolean {
  return refusal === null || refusal === 'bid-too-low' || refusal === 'own-listing'
}
