/** What was acknowledged, per auction: enough to find any acknowledged bid that the log does not have. */
export interface Acknowledged {
  count: number
  highestSeq: number
  seqSum: number
}

/** Counts acknowledgements; afterwards they are compared with what is stored. */
export class Ledger {
  readonly #byAuction = new Map<number, Acknowledged>()

  accept(auctionId: number, seq: number): void {
    let auction = this.#byAuction.get(auctionId)
    if (auction === undefined) {
      auction = { count: 0, highestSeq: 0, seqSum: 0 }
      this.#byAuction.set(auctionId, auction)
    }
    auction.count++
    auction.seqSum += seq
    if (seq > auction.highestSeq) auction.highestSeq = seq
  }

  get byAuction(): ReadonlyMap<number, Acknowledged> {
    return this.#byAuction
  }

  get count(): number {
    let count = 0
    for (const auction of this.#byAuction.values()) count += auction.count
    return count
  }
}
