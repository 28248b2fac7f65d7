import type { Batch } from '../books/batch.ts'
import type { Command, Verdict } from '../books/command.ts'
import type { KnownAuction } from '../domain.ts'
import { type AuctionLog, CommitFailed, type Epochs } from '../log/log-port.ts'
import { findLoggedBids } from './lookup.ts'

const FAILURES_IN_A_ROW_MAX = 3
export const RETRY_PAUSE_MS = 100

/** What is certain after a batch that failed. */
export type Certainty =
  /** Another process holds one of our partitions. */
  | 'fenced'
  /** Nobody needs to know any more. */
  | 'stopped'
  /** It was rolled back because these bids stand in the log already, with these first answers. What the books had before it holds. */
  | { readonly isRolledBack: true; readonly isLogged: false; readonly repeated: ReadonlyMap<Command, Verdict> }
  | {
      readonly isRolledBack: false
      /** The batch is in the log after all. */
      readonly isLogged: boolean
      /** Of the leases, which were taken anew at this time on the monotonic clock. */
      readonly epochs: Epochs
      readonly claimedAtMs: number
      /** The open auctions of these partitions, as the log has them. */
      readonly auctions: readonly KnownAuction[]
    }

/** Finds out what became of a batch that failed, however long that takes. It asks the log and changes nothing in memory. */
export class Recovery {
  readonly #log: AuctionLog
  readonly #onTrouble: (message: string, error: unknown) => void
  #failuresInARow = 0
  #isStopped = false

  constructor(options: { readonly log: AuctionLog; readonly onTrouble: (message: string, error: unknown) => void }) {
    this.#log = options.log
    this.#onTrouble = options.onTrouble
  }

  /** Whether batches have failed too often without one between that was committed. */
  get isHopeless(): boolean {
    return this.#failuresInARow > FAILURES_IN_A_ROW_MAX
  }

  /** A batch was committed. */
  succeed(): void {
    this.#failuresInARow = 0
  }

  stop(): void {
    this.#isStopped = true
  }

  async inquire(batch: Batch, failure: unknown, epochs: Epochs): Promise<Certainty> {
    this.#failuresInARow++
    const isDuplicate = failure instanceof CommitFailed && failure.isDuplicateBid
    if (!isDuplicate) this.#onTrouble('a batch failed; rebuilding from the log', failure)
    const certainty = isDuplicate ? await this.#findRepeated(batch) : await this.#reread(batch, epochs)
    return this.#isStopped ? 'stopped' : certainty
  }

  async #findRepeated(batch: Batch): Promise<Certainty> {
    while (!this.#isStopped) {
      try {
        const repeated = await findLoggedBids(this.#log, batch.commands)
        // A batch that got shorter is no repetition of the one that failed.
        if (repeated.size > 0) this.#failuresInARow = 0
        return { isRolledBack: true, isLogged: false, repeated }
      } catch (error) {
        await this.#pause('bids could not be looked up', error)
      }
    }
    return 'stopped'
  }

  /** The outcome is unknown: the leases are taken anew first, which waits for whatever the old connection may still be doing. */
  async #reread(batch: Batch, heldEpochs: Epochs): Promise<Certainty> {
    let epochs = heldEpochs
    while (!this.#isStopped) {
      try {
        const claimedAtMs = performance.now()
        const claimed = await this.#log.reclaim(epochs)
        if (claimed === null) return 'fenced'
        epochs = claimed
        // A batch is in the log as a whole or not at all.
        const [first] = batch.events
        const isLogged = first !== undefined && (await this.#log.isLogged(first))
        const auctions = await this.#log.loadOpen([...epochs.keys()])
        return { isRolledBack: false, isLogged, epochs, claimedAtMs, auctions }
      } catch (error) {
        await this.#pause('the log cannot be read; trying again', error)
      }
    }
    return 'stopped'
  }

  async #pause(trouble: string, error: unknown): Promise<void> {
    if (this.#isStopped) return
    this.#onTrouble(trouble, error)
    await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS))
  }
}
