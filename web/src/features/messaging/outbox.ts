import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { appToken } from '../../api/app-token.ts'
import type { ClientFrame, LiveSocket } from '../../live/live-socket.ts'
import { keepUnsent, readUnsent } from './unsent.ts'

/** A text that is not known to be stored yet. */
export interface Outgoing {
  readonly clientMessageId: string
  readonly senderId: number
  readonly receiverId: number
  readonly content: string
  readonly productId: number | null
  readonly isFailed: boolean
}

export type Answer =
  | { readonly kind: 'stored' }
  | { readonly kind: 'refused'; readonly refusal: Extract<ServerFrame, { type: 'error' }> }
  /** Nobody answered in time; it may or may not be stored. */
  | { readonly kind: 'unanswered' }

/** What asks for an answer, and has an id under which it counts once. */
export type Asking = Extract<ClientFrame, { type: 'send_message' | 'send_action_message' }> & {
  readonly clientMessageId: string
}

interface Expected {
  readonly frame: Asking
  readonly timer: ReturnType<typeof setTimeout>
  readonly onAnswer: (answer: Answer) => void
}

/** Who has no answer by then is told that it was not sent; sending it again under the same id is safe. */
const answerTimeoutMs = 10_000

/**
 * What was sent and is not known to be stored. The conversation that it was written in may be left meanwhile, and the page be reloaded: what was on its way
 * then is sent once more, since nobody heard its answer. Nothing is left of it for the next person in this tab.
 */
export class Outbox {
  readonly #socket: LiveSocket
  readonly #expected = new Map<string, Expected>()
  readonly #listeners = new Set<() => void>()
  /** What the connection before this one has taken along, or the answer to it. */
  readonly #cutOff = new Set<Asking>()
  #texts: readonly Outgoing[] = readUnsent().texts.filter(isByHolder)

  constructor(socket: LiveSocket) {
    this.#socket = socket
    let holderId = appToken.readHolder()?.id
    appToken.subscribe(() => {
      if (appToken.readHolder()?.id === holderId) return
      holderId = appToken.readHolder()?.id
      for (const { timer } of this.#expected.values()) clearTimeout(timer)
      this.#expected.clear()
      this.#cutOff.clear()
      if (!this.#texts.every(isByHolder)) this.#change(this.#texts.filter(isByHolder))
    })
    socket.onFrame((frame) => {
      if (frame.type === 'connected') for (const expected of this.#expected.values()) this.#cutOff.add(expected.frame)
      if (frame.type === 'auth_success') this.#sendAgain(frame.userId)
      if (frame.type !== 'message_sent' && frame.type !== 'error') return
      const { clientMessageId: id } = frame
      if (id === undefined) return
      if (frame.type === 'error') return this.#settle(id, { kind: 'refused', refusal: frame })
      // Also one that was given up, and had got through after all.
      this.discard(id)
      this.#settle(id, { kind: 'stored' })
    })
    // Whom the connection is of, if it is there already, only its answer says.
    if (this.#texts.some(({ isFailed }) => !isFailed)) socket.tokenChanged()
  }

  /** In the order in which they were sent; another list whenever something about them has changed. */
  readonly texts = (): readonly Outgoing[] => this.#texts

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Holds a text that was sent, or sent again, until it is stored. */
  add(text: Omit<Outgoing, 'isFailed'>, onAnswer: (answer: Answer) => void): void {
    const others = this.#texts.filter(({ clientMessageId }) => clientMessageId !== text.clientMessageId)
    this.#change([...others, { ...text, isFailed: false }])
    this.expect(frameOf(text), onAnswer)
  }

  /** Waits for the answer to what was sent, and sends it once more when the connection is another one before there is any. */
  expect(frame: Asking, onAnswer: (answer: Answer) => void): void {
    const id = frame.clientMessageId
    const timer = setTimeout(() => this.#settle(id, { kind: 'unanswered' }), answerTimeoutMs)
    this.#expected.set(id, { frame, timer, onAnswer })
  }

  /** Holds a text no longer. */
  discard(id: string): void {
    this.#change(this.#texts.filter((text) => text.clientMessageId !== id))
  }

  #sendAgain(userId: number): void {
    for (const frame of this.#cutOff) {
      if (this.#expected.get(frame.clientMessageId)?.frame === frame) this.#socket.send(frame)
    }
    this.#cutOff.clear()
    for (const text of this.#texts) {
      if (text.isFailed || text.senderId !== userId || this.#expected.has(text.clientMessageId)) continue
      const frame = frameOf(text)
      if (this.#socket.send(frame)) this.expect(frame, () => {})
    }
  }

  #settle(id: string, answer: Answer): void {
    const expected = this.#expected.get(id)
    if (!expected) return
    clearTimeout(expected.timer)
    this.#expected.delete(id)
    if (answer.kind !== 'stored') {
      this.#change(this.#texts.map((text) => (text.clientMessageId === id ? { ...text, isFailed: true } : text)))
    }
    expected.onAnswer(answer)
  }

  #change(texts: readonly Outgoing[]): void {
    this.#texts = texts
    keepUnsent({ texts: [...texts] })
    for (const listener of this.#listeners) listener()
  }
}

function frameOf({ receiverId, content, productId, clientMessageId }: Omit<Outgoing, 'isFailed'>): Asking {
  return { type: 'send_message', receiverId, content, productId, clientMessageId }
}

/** Whether whoever is signed in wrote it. */
function isByHolder({ senderId }: Outgoing): boolean {
  return senderId === appToken.readHolder()?.id
}

const outboxes = new WeakMap<LiveSocket, Outbox>()

/** The outbox of a socket, which outlives every page. */
export function outboxOf(socket: LiveSocket): Outbox {
  const outbox = outboxes.get(socket) ?? new Outbox(socket)
  outboxes.set(socket, outbox)
  return outbox
}
