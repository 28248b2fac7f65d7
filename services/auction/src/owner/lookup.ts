import { accepted, type BidCommand, bidKey, type Command, type Verdict } from '../books/command.ts'
import type { KnownAuction } from '../domain.ts'
import type { AuctionLog } from '../log/log-port.ts'

/** What the log says about commands that memory knows too little of. */
export interface Found {
  /** The first answers of those bids that stand in the log under their own ids. */
  readonly logged: ReadonlyMap<Command, Verdict>
  /** The auctions of those commands that were not judged yet; unknown ones are left out. */
  readonly auctions: readonly KnownAuction[]
}

/**
 * Asks the log for what is not in memory: auctions that are not open any more, and bid ids from before this process. The commands of one
 * turn of the event loop are asked about together.
 */
export class Lookup {
  readonly #log: AuctionLog
  readonly #onFound: (commands: readonly Command[], found: Found) => void
  readonly #onFailed: (commands: readonly Command[], error: unknown) => void
  #next: Command[] = []
  readonly #waiting = new Set<Command>()

  constructor(options: {
    readonly log: AuctionLog
    readonly onFound: (commands: readonly Command[], found: Found) => void
    readonly onFailed: (commands: readonly Command[], error: unknown) => void
  }) {
    this.#log = options.log
    this.#onFound = options.onFound
    this.#onFailed = options.onFailed
  }

  /** Who was asked about and has no answer yet. */
  get waiting(): ReadonlySet<Command> {
    return this.#waiting
  }

  add(command: Command): void {
    this.#next.push(command)
    this.#waiting.add(command)
    if (this.#next.length === 1) setImmediate(() => void this.#ask())
  }

  async #ask(): Promise<void> {
    const commands = this.#next
    this.#next = []
    try {
      const logged = await findLoggedBids(this.#log, commands)
      const unjudged = commands.filter(({ tentative }) => tentative === null)
      const auctions = await this.#log.loadAuctions([...new Set(unjudged.map(({ auctionId }) => auctionId))])
      this.#onFound(commands, { logged, auctions })
    } catch (error) {
      this.#onFailed(commands, error)
    }
    for (const command of commands) this.#waiting.delete(command)
  }
}

/** The first answers of those bids that stand in the log under their own ids. */
export async function findLoggedBids(log: AuctionLog, commands: readonly Command[]): Promise<Map<Command, Verdict>> {
  const bids = commands.filter(
    (command): command is BidCommand & { bidId: string } => command.kind === 'bid' && command.bidId !== null,
  )
  const logged = new Map((await log.findBids(bids)).map((bid) => [bidKey(bid), bid]))
  const verdicts = new Map<Command, Verdict>()
  for (const bid of bids) {
    const first = logged.get(bidKey(bid))
    if (first !== undefined) verdicts.set(bid, accepted(first.seq, first.amountSen))
  }
  return verdicts
}
