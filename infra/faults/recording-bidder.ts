import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { ringgitFromSen, senFromRinggit } from '@wangian/contracts/money.ts'
import type { LeanSocket } from '../load/lean-socket.ts'
import { openSignedIn } from '../load/signed-in-socket.ts'
import type { BidOperation, BidOutcome } from './history.ts'
import type { Recorder } from './recorder.ts'

/** A little longer than anything may take, so that "never answered" can be told from "late". */
const GIVE_UP_MS = 8000
const REOPEN_AFTER_MS = 50

interface Asked {
  readonly auctionId: number
  readonly amountSen: number
  readonly bidId: string | null
  readonly sentAtMs: number
  readonly settle: (operation: BidOperation) => void
  timer: NodeJS.Timeout
}

/**
 * A person who bids through a real socket and writes down what was asked and answered. The socket is opened again whenever it
 * breaks. Bids with an id of their own may overlap; of those without one only one is under way at a time, or nobody could tell whose
 * answer came.
 */
export class RecordingBidder {
  readonly userId: number
  readonly #url: string
  readonly #token: string
  readonly #recorder: Recorder
  #socket: Promise<LeanSocket> | null = null
  #asked: Asked[] = []
  #isClosed = false

  constructor(options: { url: string; token: string; userId: number; recorder: Recorder }) {
    this.userId = options.userId
    this.#url = options.url
    this.#token = options.token
    this.#recorder = options.recorder
  }

  /** Resolves, and never rejects, when the bid is answered, its connection is lost, or too much time has passed. */
  async bid(auctionId: number, amountSen: number, bidId: string | null): Promise<BidOperation> {
    const socket = await this.#opened()
    return new Promise((settle) => {
      const asked: Asked = {
        auctionId,
        amountSen,
        bidId,
        sentAtMs: performance.now(),
        settle,
        timer: setTimeout(() => this.#settle(asked, { kind: 'unknown' }, null, false), GIVE_UP_MS),
      }
      this.#asked.push(asked)
      socket.send(
        JSON.stringify({
          type: 'placeBid',
          auctionId,
          userId: this.userId,
          amount: ringgitFromSen(amountSen),
          timestamp: new Date().toISOString(),
          ...(bidId !== null && { bidId }),
        }),
      )
      socket.flush()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const socket = await this.#socket
    await socket?.close()
  }

  async #opened(): Promise<LeanSocket> {
    for (;;) {
      this.#socket ??= openSignedIn(this.#url, this.#token, {
        onText: (bytes, start, end) => this.#receive(JSON.parse(bytes.toString('utf8', start, end))),
        onClose: () => this.#lose(),
      })
      const opening = this.#socket
      try {
        const socket = await opening
        if (socket.isOpen) return socket
      } catch (error) {
        if (this.#isClosed) throw error
      }
      if (this.#socket === opening) this.#socket = null
      await new Promise((resolve) => setTimeout(resolve, REOPEN_AFTER_MS))
    }
  }

  #receive(frame: ServerFrame): void {
    const nowMs = performance.now()
    if (frame.type === 'bidAccepted') {
      this.#answer(frame.auctionId, frame.bidId, { kind: 'accepted', seq: frame.seq }, nowMs)
    } else if (frame.type === 'error') {
      const minimumSen = frame.minimum === undefined ? null : senFromRinggit(frame.minimum)
      const outcome: BidOutcome =
        frame.code === 'outcome-unknown' ? { kind: 'unknown' } : { kind: 'refused', code: frame.code, minimumSen }
      this.#answer(frame.auctionId, frame.bidId, outcome, nowMs)
    }
  }

  #answer(auctionId: number | undefined, bidId: string | undefined, outcome: BidOutcome, nowMs: number): void {
    const asked = this.#asked.find((each) => each.auctionId === auctionId && each.bidId === (bidId ?? null))
    if (asked !== undefined) this.#settle(asked, outcome, nowMs, false)
  }

  #lose(): void {
    this.#socket = null
    for (const asked of [...this.#asked]) this.#settle(asked, { kind: 'unknown' }, null, true)
  }

  #settle(asked: Asked, outcome: BidOutcome, answeredAtMs: number | null, isConnectionLost: boolean): void {
    clearTimeout(asked.timer)
    this.#asked = this.#asked.filter((each) => each !== asked)
    const { auctionId, amountSen, bidId, sentAtMs } = asked
    const operation: BidOperation = {
      auctionId,
      bidderId: this.userId,
      amountSen,
      bidId,
      sentAtMs,
      answeredAtMs,
      isConnectionLost,
      outcome,
    }
    this.#recorder.operations.push(operation)
    asked.settle(operation)
  }
}
