import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import { decodeUserLive } from '@wangian/contracts/messaging-wire.ts'
import { userLiveSubject } from '@wangian/contracts/subjects.ts'
import { subscribe } from '@wangian/kit/bus/nats.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { textFrame } from './socket-writer.ts'

/** One socket of a person. */
export interface UserSocket {
  /** Takes frames that are for this person; `commandId` names the command that led to them, if one did. */
  onLive(frames: readonly Buffer[], commandId: string | null): void
}

interface Channel {
  readonly subscription: Subscription
  readonly sockets: Set<UserSocket>
}

/** What is for a person and not for a room. Live messages are subscribed to only while the person has a socket here. */
export class UserChannels {
  readonly #nats: NatsConnection
  readonly #log: Logger
  readonly #channels = new Map<number, Channel>()

  constructor({ nats, log }: { readonly nats: NatsConnection; readonly log: Logger }) {
    this.#nats = nats
    this.#log = log
  }

  get size(): number {
    return this.#channels.size
  }

  join(userId: number, socket: UserSocket): void {
    const known = this.#channels.get(userId)
    if (known !== undefined) {
      known.sockets.add(socket)
      return
    }
    const sockets = new Set([socket])
    const subscription = subscribe(
      this.#nats,
      userLiveSubject(userId),
      (message) => {
        const { commandId, frames } = decodeUserLive(message.string())
        // Made once for all sockets of the person.
        const bytes = frames.map(textFrame)
        for (const each of sockets) each.onLive(bytes, commandId)
      },
      { log: this.#log },
    )
    this.#channels.set(userId, { subscription, sockets })
  }

  leave(userId: number, socket: UserSocket): void {
    const channel = this.#channels.get(userId)
    if (channel === undefined || !channel.sockets.delete(socket) || channel.sockets.size > 0) return
    this.#channels.delete(userId)
    if (!this.#nats.isClosed()) channel.subscription.unsubscribe()
  }
}
