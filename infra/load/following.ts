// Loaded by k6 as well as by Node: it may import types only.
import type { ServerFrame } from '@wangian/contracts/frames.ts'

/** What a follower learns from one frame. */
export interface Step {
  /** Bids between the last frame and this one that no frame told of: there should be none. */
  readonly missed: number
  /** Bids that came as part of a state only, as they do when bids come faster than frames. */
  readonly conflated: number
}

const nothing: Step = { missed: 0, conflated: 0 }

/** One auction as a socket sees it: how far it got, and what the next bid must be. Knows nothing before it has joined. */
export class Following {
  #seq = -1
  #minimumSen = 0

  get hasJoined(): boolean {
    return this.#seq >= 0
  }

  /** The last bid it knows of; -1 before it has joined. */
  get seq(): number {
    return this.#seq
  }

  get minimumSen(): number {
    return this.#minimumSen
  }

  /** Takes a frame about this auction. What is older than what it knows is skipped, as the page does. */
  take(frame: ServerFrame): Step {
    switch (frame.type) {
      case 'auctionJoined':
        return this.#reach(frame.seq, frame.auction.minimumBid, nothing)
      case 'newBid':
        return this.#follow([frame.seq], frame.auction.minimumBid)
      case 'newBids':
        return this.#follow(
          frame.bids.map((bid) => bid.seq),
          frame.auction.minimumBid,
        )
      case 'auctionState': {
        const conflated = this.hasJoined ? Math.max(0, frame.seq - this.#seq) : 0
        return this.#reach(frame.seq, frame.auction.minimumBid, { missed: 0, conflated })
      }
      case 'error':
        if (frame.minimum !== undefined) this.#minimumSen = Math.max(this.#minimumSen, sen(frame.minimum))
        return nothing
      default:
        return nothing
    }
  }

  #follow(seqs: readonly number[], minimum: number): Step {
    if (!this.hasJoined) return nothing
    let missed = 0
    let known = this.#seq
    for (const seq of seqs) {
      if (seq <= known) continue
      missed += seq - known - 1
      known = seq
    }
    return this.#reach(known, minimum, { missed, conflated: 0 })
  }

  #reach(seq: number, minimum: number, step: Step): Step {
    if (seq < this.#seq) return nothing
    this.#seq = seq
    this.#minimumSen = Math.max(this.#minimumSen, sen(minimum))
    return step
  }
}

function sen(ringgit: number): number {
  return Math.round(ringgit * 100)
}
