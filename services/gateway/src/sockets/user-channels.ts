import { setTimeout as delay } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import { decodeUserLive } from '@wangian/contracts/messaging-wire.ts'
import { userLiveSubject } from '@wangian/contracts/subjects.ts'
import { type Listening, subscribe } from '@wangian/kit/bus/nats.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { textFrame } from './socket-writer.ts'

/** Of so many people the browsers read again at once what they show: all of them together would be more than those who answer can take. */
const RESYNCED_AT_ONCE = 20
const RESYNC_PAUSE_MS = 100

/** One socket of a person. */
export interface UserSocket {
  /** What was for this person may not have come. */
  onMissed(): void
  /** Takes frames that are for this person; `commandId` names the command that led to them, if one did. */
  onLive(frames: readonly Buffer[], commandId: string | null): void
}

interface Channel {
  readonly subscription: Listening
  readonly sockets: Set<UserSocket>
}

/** What is for a person and not for a room. Live messages are subscribed to only while the person has a socket here. */
export class UserChannels {
  readonly #nats: NatsConnection
  readonly #log: Logger
  readonly #channels = new Map<number, Channel>()
  #resyncs = 0

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

  /** The bus was away, and what was for people meanwhile is lost: all their sockets are told. */
  async resync(): Promise<void> {
    const resync = ++this.#resyncs
    let told = 0
    for (const [userId, channel] of [...this.#channels]) {
      // Gone meanwhile; or the bus was away once more.
      if (this.#channels.get(userId) !== channel) continue
      if (this.#resyncs !== resync) return
      for (const socket of channel.sockets) socket.onMissed()
      told++
      if (told % RESYNCED_AT_ONCE === 0) await delay(RESYNC_PAUSE_MS, undefined, { ref: false })
    }
  }
}
