import type { BidTuple } from '@wangian/contracts/auction-wire.ts'
import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { bidCommand, type OtherCommand, otherCommand, type Verdict, type Waiter } from '../books/command.ts'
import type { AuctionLog } from '../log/log-port.ts'
import { Owner, type OwnerPorts } from '../owner/owner.ts'

/** A command that was sent, and what its sender was told, in the order in which he was told. */
export interface Sent {
  readonly told: Verdict[]
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
      suspendedSinceMs: () => null,
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
      onTold?: (verdict: Verdict) => void
    } = {},
  ): Sent {
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
      onTold?: (verdict: Verdict) => void
    } = {},
  ): Sent {
    const { auctionId = 5, bidderId = 21, bidId = null, onTold } = facts
    const told: Verdict[] = []
    const waiter: Waiter = {
      settle(_, verdict) {
        told.push(verdict)
        onTold?.(verdict)
      },
    }
    const bid: BidTuple = [auctionId, bidderId, amountSen, bidId, `bidder ${bidderId}`]
    this.owner.submit(bidCommand(bid, performance.now(), waiter, 0))
    return { told }
  }

  /** Sends any other command. */
  command(auctionId: number, build: OtherCommand['build']): Sent {
    const told: Verdict[] = []
    const settle = (verdict: Verdict) => told.push(verdict)
    this.owner.submit(otherCommand({ auctionId, actorId: 7, receivedAtMs: performance.now(), build, settle }))
    this.owner.flush()
    return { told }
  }
}

export function refused(refusal: ErrorCode, minimumSen = 0, message?: string): Verdict {
  return { seq: 0, refusal, minimumSen, message }
}
