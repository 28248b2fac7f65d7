import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { senFromRinggit } from '@wangian/contracts/money.ts'
import { LeanSocket } from '../load/lean-socket.ts'
import type { Recorder } from './recorder.ts'

const REOPEN_AFTER_MS = 50

/** Whether a bid can be read from the log at this moment. */
export type StoredProbe = (auctionId: number, seq: number) => Promise<boolean>

export interface RecordingWatcherOptions {
  readonly url: string
  readonly auctionIds: readonly number[]
  readonly recorder: Recorder
  readonly probe: StoredProbe
}

/**
 * A guest who follows auctions and writes down what is shown. Bids that are shown alone are looked up in the log at once, one at a
 * time, so that one that is shown before its commit is caught.
 */
export class RecordingWatcher {
  readonly #url: string
  readonly #recorder: Recorder
  readonly #probe: StoredProbe
  readonly #auctionIds: readonly number[]
  readonly #latestSeq = new Map<number, number>()
  #socket: LeanSocket | null = null
  #isProbing = false
  #isClosed = false
  #probes = 0

  private constructor(options: RecordingWatcherOptions) {
    this.#url = options.url
    this.#auctionIds = options.auctionIds
    this.#recorder = options.recorder
    this.#probe = options.probe
  }

  static async open(options: RecordingWatcherOptions): Promise<RecordingWatcher> {
    const watcher = new RecordingWatcher(options)
    await watcher.#open()
    return watcher
  }

  /** The highest seq that was shown of an auction. */
  latestSeq(auctionId: number): number {
    return this.#latestSeq.get(auctionId) ?? 0
  }

  /** How many sightings were looked up in the log. */
  get probes(): number {
    return this.#probes
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#socket?.close()
  }

  async #open(): Promise<void> {
    while (!this.#isClosed) {
      try {
        const socket = await LeanSocket.open(this.#url, {
          onText: (bytes, start, end) => this.#receive(JSON.parse(bytes.toString('utf8', start, end))),
          onClose: () => void this.#open(),
        })
        this.#socket = socket
        for (const auctionId of this.#auctionIds) this.#join(socket, auctionId)
        return
      } catch {
        await new Promise((resolve) => setTimeout(resolve, REOPEN_AFTER_MS))
      }
    }
  }

  #join(socket: LeanSocket, auctionId: number): void {
    socket.send(JSON.stringify({ type: 'joinAuction', auctionId, userId: 'guest' }))
  }

  #receive(frame: ServerFrame): void {
    switch (frame.type) {
      case 'newBid':
        this.#see(frame.auctionId, frame.seq, frame.bid.bidderId, frame.bid.amount, true)
        break
      case 'newBids':
        for (const bid of frame.bids) this.#see(frame.auctionId, bid.seq, bid.bidderId, bid.amount, true)
        break
      case 'auctionJoined':
        for (const bid of frame.bids) this.#see(frame.auctionId, bid.seq, bid.bidderId, bid.amount, false)
        this.#latestSeq.set(frame.auctionId, Math.max(this.latestSeq(frame.auctionId), frame.seq))
        break
      case 'auctionState': {
        const { currentBid, currentBidderId } = frame.auction
        if (currentBid !== null && currentBidderId !== null)
          this.#see(frame.auctionId, frame.seq, currentBidderId, currentBid, true)
        break
      }
      case 'auctionEnded':
        this.#latestSeq.set(frame.auctionId, Math.max(this.latestSeq(frame.auctionId), frame.seq))
        this.#recorder.sightings.push({
          kind: 'end',
          auctionId: frame.auctionId,
          winnerId: frame.winnerId,
          amountSen: frame.amount === null ? null : senFromRinggit(frame.amount),
          seenAtMs: performance.now(),
        })
        break
      case 'error': {
        // The snapshot could not be had just now, so we are not in the room.
        const { auctionId } = frame
        if (frame.code !== 'unavailable' || auctionId === undefined) break
        setTimeout(() => this.#socket?.isOpen && this.#join(this.#socket, auctionId), REOPEN_AFTER_MS)
        break
      }
      default:
    }
  }

  #see(auctionId: number, seq: number, bidderId: number, amount: number, isLive: boolean): void {
    const sighting = {
      kind: 'bid' as const,
      auctionId,
      seq,
      bidderId,
      amountSen: senFromRinggit(amount) ?? Number.NaN,
      seenAtMs: performance.now(),
    }
    this.#latestSeq.set(auctionId, Math.max(this.latestSeq(auctionId), seq))
    if (!isLive || this.#isProbing) {
      this.#recorder.sightings.push({ ...sighting, wasStored: null })
      return
    }
    this.#isProbing = true
    void this.#probe(auctionId, seq)
      .then(
        (wasStored) => {
          this.#probes++
          this.#recorder.sightings.push({ ...sighting, wasStored })
        },
        // The database is away; that this was seen still counts.
        () => this.#recorder.sightings.push({ ...sighting, wasStored: null }),
      )
      .finally(() => {
        this.#isProbing = false
      })
  }
}
