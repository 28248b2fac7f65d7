import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type RawData, WebSocket } from 'ws'
import type { Trader } from '../rig/market.ts'
import type { FrontDoor } from './front-door.ts'

const PAUSE_MS = 40
const REOPEN_AFTER_MS = 50
/** What is not answered by then is asked again, under the same id. */
const ANSWER_WITHIN_MS = 6000

/** What people wanted, and what they got. */
export interface Record {
  readonly answered: Map<string, number>
  /** What nobody should have to see. */
  readonly problems: string[]
  readonly slowestMs: Map<string, number>
  readonly closeCodes: Map<number, number>
}

export function newRecord(): Record {
  return { answered: new Map(), problems: [], slowestMs: new Map(), closeCodes: new Map() }
}

function note({ answered, slowestMs }: Record, what: string, tookMs: number): void {
  answered.set(what, (answered.get(what) ?? 0) + 1)
  slowestMs.set(what, Math.max(slowestMs.get(what) ?? 0, tookMs))
}

/** Asks again and again, and writes down whatever is no success. `step` is called with a new number each time. */
export async function keepAsking(
  { door, record, isOver }: { door: FrontDoor; record: Record; isOver: () => boolean },
  { what, pauseMs }: { what: string; pauseMs: number },
  step: (call: FrontDoor['call'], number: number) => Promise<unknown>,
): Promise<void> {
  const call: FrontDoor['call'] = async (method, path, ...rest) => {
    const answer = await door.call(method, path, ...rest)
    note(record, what, answer.tookMs)
    if (answer.status >= 300) record.problems.push(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`)
    return answer
  }
  for (let number = 0; !isOver(); number++) {
    try {
      await step(call, number)
    } catch (error) {
      record.problems.push(`${what}: lost (${String(error)})`)
    }
    await wait(pauseMs)
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the frames of a contract, which others test.
type Frame = any

/** A person's socket, which is opened again whenever it closes, and what is asked on it. */
export class Line {
  readonly #door: FrontDoor
  readonly #record: Record
  readonly #onOpen: (send: (frame: object) => void) => void
  readonly #hear: (frame: Frame) => void
  readonly #onClose: () => void
  #socket: WebSocket | null = null
  #isOver = false
  /** Resolves when it has closed for good. */
  readonly ended: Promise<void>

  /**
   * @param options.onOpen says what is said first on each socket
   * @param options.hear told of each frame
   * @param options.onClose told of each end of a socket that was open
   */
  constructor(options: {
    door: FrontDoor
    record: Record
    onOpen: (send: (frame: object) => void) => void
    hear: (frame: Frame) => void
    onClose?: () => void
  }) {
    this.#onClose = options.onClose ?? (() => {})
    this.#door = options.door
    this.#record = options.record
    this.#onOpen = options.onOpen
    this.#hear = options.hear
    this.ended = this.#keepOpen()
  }

  send(frame: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame))
  }

  leave(): void {
    this.#isOver = true
    this.#socket?.close()
  }

  #noteClose(code: number): void {
    const { closeCodes } = this.#record
    if (!this.#isOver) closeCodes.set(code, (closeCodes.get(code) ?? 0) + 1)
    this.#onClose()
  }

  async #keepOpen(): Promise<void> {
    while (!this.#isOver) {
      const socket = new WebSocket(this.#door.socketUrl())
      socket.on('error', () => {})
      socket.on('open', () => {
        this.#socket = socket
        this.#onOpen((frame) => socket.send(JSON.stringify(frame)))
      })
      socket.on('message', (data: RawData) => this.#hear(JSON.parse(data.toString())))
      const code = await new Promise<number>((resolve) => socket.on('close', resolve))
      if (this.#socket === socket) this.#noteClose(code)
      this.#socket = null
      if (!this.#isOver) await wait(REOPEN_AFTER_MS)
    }
  }
}

/** Somebody who bids or writes: each thing under an id of its own, asked again until it is answered. */
export class Persistent {
  readonly #record: Record
  readonly #waiting = new Map<string, (answer: Frame) => void>()
  readonly #line: Line
  #signedIn = Promise.withResolvers<void>()
  #isSignedIn = false

  constructor(options: { door: FrontDoor; record: Record; trader: Trader }) {
    this.#record = options.record
    const { token } = options.trader
    this.#line = new Line({
      ...options,
      onOpen: (send) => send({ type: 'auth', token }),
      hear: (frame) => this.#receive(frame),
      onClose: () => this.#lose(),
    })
  }

  /** @returns the answer that is none of "ask again", and how often it had to be asked */
  async ask(what: string, id: string, frame: object): Promise<{ readonly answer: Frame; readonly asked: number }> {
    const startedAtMs = performance.now()
    for (let asked = 1; ; asked++) {
      await this.#signedIn.promise
      const { promise, resolve } = Promise.withResolvers<Frame>()
      this.#waiting.set(id, resolve)
      this.#line.send(frame)
      const answer = await Promise.race([promise, wait(ANSWER_WITHIN_MS, 'none')])
      this.#waiting.delete(id)
      if (answer === 'none') this.#record.problems.push(`${what}: no answer within ${ANSWER_WITHIN_MS} ms`)
      else if (answer !== CLOSED && !mayBeAskedAgain.has(answer.code)) {
        note(this.#record, what, performance.now() - startedAtMs)
        return { answer, asked }
      }
    }
  }

  async leave(): Promise<void> {
    this.#line.leave()
    await this.#line.ended
  }

  #receive(frame: Frame): void {
    if (frame.type === 'auth_success') {
      this.#isSignedIn = true
      this.#signedIn.resolve()
    }
    const id = frame.bidId ?? frame.clientMessageId
    if (id !== undefined && frame.type !== 'new_message') this.#waiting.get(id)?.(frame)
  }

  /** What was sent on this socket may have been for nothing. */
  #lose(): void {
    if (this.#isSignedIn) this.#signedIn = Promise.withResolvers()
    this.#isSignedIn = false
    for (const tell of this.#waiting.values()) tell(CLOSED)
  }
}

const CLOSED = Symbol('closed')
const mayBeAskedAgain = new Set(['busy', 'unavailable', 'outcome-unknown'])

/** Bids a little more each time. Keeps what was accepted by its id. */
export async function keepBidding(
  person: Persistent,
  { auctionId, isOver, accepted }: { auctionId: number; isOver: () => boolean; accepted: Map<string, number> },
  minimum: { amount: number },
): Promise<number> {
  let retried = 0
  while (!isOver()) {
    minimum.amount += 1
    const bidId = randomUUID()
    const { amount } = minimum
    const { answer, asked } = await person.ask('a bid', bidId, { type: 'placeBid', auctionId, amount, bidId })
    retried += asked - 1
    if (answer.type === 'bidAccepted') accepted.set(bidId, answer.amount)
    else if (answer.minimum !== undefined) minimum.amount = Math.max(minimum.amount, answer.minimum)
    await wait(PAUSE_MS)
  }
  return retried
}

/** Writes again and again. @returns what the other one must have got once */
export async function keepWriting(
  person: Persistent,
  { to, productId, isOver }: { to: number; productId: number; isOver: () => boolean },
): Promise<string[]> {
  const sent: string[] = []
  while (!isOver()) {
    const clientMessageId = randomUUID()
    const content = `Message ${sent.length + 1} of ${clientMessageId}`
    const frame = { type: 'send_message', receiverId: to, content, productId, clientMessageId }
    const { answer } = await person.ask('a message', clientMessageId, frame)
    if (answer.type !== 'message_sent') throw new Error(`a message was refused: ${JSON.stringify(answer)}`)
    sent.push(content)
    await wait(PAUSE_MS)
  }
  return sent
}
