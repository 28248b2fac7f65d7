import type { ErrorCode } from '@wangian/contracts/errors.ts'
import type { BidVerdict, BidWaiter } from '../command.ts'
import type { AuctionCommand } from '../domain.ts'
import type { AuctionLog } from '../log-port.ts'
import { Owner, type OwnerPorts } from '../owner.ts'

/** A bid that was sent, and what its bidder was told, in the order in which he was told. */
export interface SentBid {
  readonly told: BidVerdict[]
}

/** An order that was sent; `null` says that it was carried out. */
export interface SentOrder {
  readonly told: ({ code: ErrorCode; message?: string } | null)[]
}

/** An owner with everything around it that is not the log recorded. */
export class OwnerRig {
  readonly owner: Owner
  readonly published: { auctionId: number; message: string }[] = []
  readonly troubles: { message: string; error: unknown }[] = []
  fencedCount = 0
  committedCount = 0

  constructor(log: AuctionLog, ports: Partial<OwnerPorts> & Pick<OwnerPorts, 'clock'>) {
    this.owner = new Owner({
      log,
      publishLive: (auctionId, message) => this.published.push({ auctionId, message }),
      isSuspended: () => false,
      onFenced: () => {
        this.fencedCount += 1
      },
      onCommitted: (events) => {
        this.committedCount += events
      },
      onTrouble: (message, error) => this.troubles.push({ message, error }),
      ...ports,
    })
  }

  /** Sends a bid as the intake does. */
  bid(
    amountSen: number,
    facts: {
      auctionId?: number
      bidderId?: number
      bidId?: string | null
      onTold?: (verdict: BidVerdict) => void
    } = {},
  ): SentBid {
    const sent = this.bidLater(amountSen, facts)
    this.owner.flush()
    return sent
  }

  /** The same without the end of the group: more bids of the same message follow. */
  bidLater(
    amountSen: number,
    facts: {
      auctionId?: number
      bidderId?: number
      bidId?: string | null
      onTold?: (verdict: BidVerdict) => void
    } = {},
  ): SentBid {
    const { auctionId = 5, bidderId = 21, bidId = null, onTold } = facts
    const told: BidVerdict[] = []
    const waiter: BidWaiter = {
      settleBid(_, verdict) {
        told.push(verdict)
        onTold?.(verdict)
      },
    }
    this.owner.submit({
      kind: 'bid',
      auctionId,
      bidderId,
      amountSen,
      bidId,
      bidderName: `bidder ${bidderId}`,
      receivedAtMs: performance.now(),
      waiter,
      index: 0,
      others: null,
      tentative: null,
      verdict: null,
    })
    return { told }
  }

  order(auctionId: number, build: (nowMs: number) => AuctionCommand): SentOrder {
    const told: SentOrder['told'] = []
    this.owner.submit({
      kind: 'order',
      auctionId,
      actorId: 7,
      receivedAtMs: performance.now(),
      build,
      settle: (refusal) => told.push(refusal),
      tentative: null,
    })
    this.owner.flush()
    return { told }
  }
}

export function accepted(seq: number): BidVerdict {
  return { seq, refusal: null, minimumSen: 0 }
}

export function refused(refusal: Exclude<BidVerdict['refusal'], null>, minimumSen = 0): BidVerdict {
  return { seq: 0, refusal, minimumSen }
}
