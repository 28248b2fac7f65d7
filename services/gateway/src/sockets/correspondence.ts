import { randomUUID } from 'node:crypto'
import type { NatsConnection } from '@nats-io/transport-node'
import type { ErrorCode } from '@wangian/contracts/errors.ts'
import type { clientFrames, serverFrames } from '@wangian/contracts/frames.ts'
import { plainMessage } from '@wangian/contracts/messages.ts'
import { type Message, MessageContent, messagingRequests } from '@wangian/contracts/messaging.ts'
import { senFromRinggit } from '@wangian/contracts/money.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { Caller } from '@wangian/kit/http/auth.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { traced } from '@wangian/kit/service/tracing.ts'
import { z } from 'zod'

/** Commands of one socket that wait for those before them. */
const WAITING_MAX = 20
/** Own commands that are remembered, so that what they lead to is not shown to this socket twice, or never. */
const OWN_COMMANDS_MAX = 100
/** Messaging asks catalogue for the terms, and catalogue the auction service. */
const START_TIMEOUT_MS = 10_000
const NOT_SENT = 'Failed to send your message. Please try again.'

/** The part of a frame of which a person is told what is wrong with it. */
const Text = z.object({ content: MessageContent })

type ErrorFacts = Partial<z.input<typeof serverFrames.error>>

export interface CorrespondenceOptions {
  readonly nats: NatsConnection
  readonly log: Logger
  readonly caller: () => Caller | null
  readonly send: <Type extends 'message_sent' | 'conversation'>(
    type: Type,
    fields: Omit<z.input<(typeof serverFrames)[Type]>, 'type'>,
  ) => void
  readonly refuse: (code: ErrorCode, facts: ErrorFacts) => void
  readonly show: (frames: readonly Buffer[]) => void
}

/** The messaging channel of one socket: passes on what it asks for, one after the other, in the name of whom the token says. */
export class Correspondence {
  readonly #options: CorrespondenceOptions
  /** With what was shown of each before it was answered; `null` after that. */
  readonly #ownCommands = new Map<string, readonly Buffer[] | null>()
  #last: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor(options: CorrespondenceOptions) {
    this.#options = options
  }

  /** Resolves when all that was asked for until now is done, or has failed. */
  get settled(): Promise<void> {
    return this.#last
  }

  /** Takes what a command has led to. @returns false unless this socket has sent it, and so gets an answer of its own */
  takes(commandId: string, frames: readonly Buffer[]): boolean {
    const shown = this.#ownCommands.get(commandId)
    if (shown === undefined) return false
    if (shown !== null) this.#ownCommands.set(commandId, frames)
    return true
  }

  send(frame: z.infer<typeof clientFrames.send_message>): void {
    const { receiverId, productId = null, senderId } = frame
    const about = frame.clientMessageId === undefined ? {} : { clientMessageId: frame.clientMessageId }
    const caller = this.#signedIn(about)
    if (caller === null) return
    if (senderId !== undefined && senderId !== caller.id) return this.#options.refuse('forbidden', about)
    const content = Text.safeParse(frame, { error: plainMessage })
    if (!content.success) {
      const [issue] = content.error.issues
      return this.#options.refuse('bad-request', { ...about, ...(issue && { message: issue.message }) })
    }
    const clientMessageId = frame.clientMessageId ?? randomUUID()
    this.#sendInTurn(clientMessageId, about, () =>
      request(this.#options.nats, 'messaging', messagingRequests.sendMessage, {
        senderId: caller.id,
        senderName: caller.username,
        receiverId,
        content: content.data.content,
        productId,
        clientMessageId,
        requestId: randomUUID(),
      }),
    )
  }

  /** A seller offers to sell; every other card is made by messaging. */
  sendAction(frame: z.infer<typeof clientFrames.send_action_message>): void {
    const about = frame.clientMessageId === undefined ? {} : { clientMessageId: frame.clientMessageId }
    const caller = this.#signedIn(about)
    if (caller === null) return
    if (frame.actionType !== 'INITIATE') return this.#options.refuse('action-not-allowed', about)
    const isGiven = frame.amount !== undefined && frame.amount !== null
    const amountSen = typeof frame.amount === 'number' ? senFromRinggit(frame.amount) : null
    if (isGiven && !amountSen) return this.#options.refuse('invalid-amount', about)
    const clientMessageId = frame.clientMessageId ?? randomUUID()
    this.#sendInTurn(clientMessageId, about, () =>
      request(
        this.#options.nats,
        'messaging',
        messagingRequests.startDeal,
        {
          sellerId: caller.id,
          sellerName: caller.username,
          buyerId: frame.receiverId,
          productId: frame.productId,
          amountSen,
          clientMessageId,
          requestId: randomUUID(),
        },
        { timeoutMs: START_TIMEOUT_MS },
      ),
    )
  }

  /** What it changes is shown to all sockets of both people; this one gets no other answer. */
  markRead({ messageId, senderId }: z.infer<typeof clientFrames.mark_read>): void {
    const caller = this.#signedIn({})
    const what = messageId !== undefined ? { messageId } : senderId !== undefined ? { senderId } : null
    if (caller === null || what === null) return
    this.#inTurn({}, undefined, async () => {
      const command = { readerId: caller.id, what, requestId: randomUUID() }
      await request(this.#options.nats, 'messaging', messagingRequests.markRead, command)
    })
  }

  getConversation({ userId, productId = null }: z.infer<typeof clientFrames.get_conversation>): void {
    const caller = this.#signedIn({ userId })
    if (caller === null) return
    this.#inTurn({ userId }, undefined, async () => {
      const question = { readerId: caller.id, userId, productId }
      const { messages } = await request(this.#options.nats, 'messaging', messagingRequests.getConversation, question)
      this.#options.send('conversation', { userId, productId, messages })
    })
  }

  #signedIn(about: ErrorFacts): Caller | null {
    const caller = this.#options.caller()
    if (caller === null) {
      this.#options.refuse('authentication-required', { ...about, message: 'Authentication Required' })
    }
    return caller
  }

  /** Messaging may have sent it without an answer that gets here: then what is shown of it is the answer, whenever that comes. */
  #sendInTurn(
    commandId: string,
    about: { readonly clientMessageId?: string },
    ask: () => Promise<{ readonly message: Message }>,
  ): void {
    this.#remember(commandId)
    this.#inTurn(about, NOT_SENT, async () => {
      try {
        const { message } = await ask()
        this.#options.send('message_sent', { message, ...about })
        if (this.#ownCommands.has(commandId)) this.#ownCommands.set(commandId, null)
      } catch (error) {
        if (error instanceof Rejection) throw error
        const shown = this.#ownCommands.get(commandId) ?? []
        this.#ownCommands.delete(commandId)
        if (shown.length === 0) throw error
        this.#options.show(shown)
      }
    })
  }

  /** Two messages must not overtake each other on their way. */
  #inTurn(about: ErrorFacts, unavailableText: string | undefined, work: () => Promise<void>): void {
    const { refuse, log } = this.#options
    if (this.#waiting >= WAITING_MAX) return refuse('rate-limited', about)
    this.#waiting += 1
    this.#last = this.#last
      .then(() => traced({ name: 'a socket writes', kind: 'server', parent: null, isRoot: true }, work))
      .then(
        () => {
          this.#waiting -= 1
        },
        (error: unknown) => {
          this.#waiting -= 1
          if (error instanceof Rejection) return refuse(error.code, { ...about, message: error.message })
          log.warn({ err: error }, 'messaging could not do what a socket asked for')
          refuse('unavailable', { ...about, ...(unavailableText !== undefined && { message: unavailableText }) })
        },
      )
  }

  #remember(commandId: string): void {
    this.#ownCommands.set(commandId, [])
    const [oldest] = this.#ownCommands.keys()
    if (this.#ownCommands.size > OWN_COMMANDS_MAX && oldest !== undefined) this.#ownCommands.delete(oldest)
  }
}
