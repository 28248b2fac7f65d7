import { setTimeout as delay } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import { decodeLive } from '@wangian/contracts/auction-wire.ts'
import { auctionLiveSubject } from '@wangian/contracts/subjects.ts'
import { type Listening, subscribe } from '@wangian/kit/bus/nats.ts'
import { createGate } from '@wangian/kit/gate.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { ShortMemory } from '../limits.ts'
import { countFanOut, countSlowSocket } from '../metrics.ts'
import { type SocketWriter, textFrame } from './socket-writer.ts'

/** A room's frames of this long go out in one write per socket; a first frame after a pause goes out at once. */
const TICK_MS = 16
const TICK_MAX_MS = 250
/** After a fan-out the room rests this many times as long as it took: rooms never take more than a fraction of the loop. */
const REST_FACTOR = 4
/** More bid frames than this in one tick (about 100 a second) are replaced by the one state that they lead to. */
const BID_FRAMES_PER_TICK_MAX = 2
/** What a socket that waits for its snapshot may miss before only the latest state is kept for it. */
const HELD_FRAMES_MAX = 64
/** A snapshot that could not be had when the bus came back, or for a slow socket, is asked for again after this. */
const SNAPSHOT_RETRY_MS = 500
/** Snapshots that are asked for at once. A question waits here until it is its turn, where it cannot time out and holds up no bids. */
const SNAPSHOTS_AT_ONCE = 16
const SNAPSHOTS_WAITING_MAX = 20_000
/** Rooms that start again at once when the bus is back; the other questions are for those who join. */
const RESYNCS_AT_ONCE = 8
/** An auction that there is not is not asked for again so soon. Not longer: it may be opened in the next moment. */
const UNKNOWN = { forMs: 1000, max: 10_000 } as const

/** Somebody in a room. */
export interface Watcher {
  readonly writer: SocketWriter
  /** Its unsent bytes passed the limit; it will be closed. */
  onStalled(): void
}

/** Asks the auction service for the frame that a joining socket starts from; `null` when there is no such auction. */
export type SnapshotSource = (auctionId: number) => Promise<string | null>

/** The auctions that sockets of this gateway watch. Live messages are subscribed to only while somebody does. */
export class Rooms {
  readonly #nats: NatsConnection
  readonly #snapshots: SnapshotSource
  readonly #log: Logger
  readonly #rooms = new Map<number, Room>()
  readonly #unknown = new ShortMemory(UNKNOWN)
  #resyncs = 0

  constructor(options: { nats: NatsConnection; snapshots: SnapshotSource; log: Logger }) {
    this.#nats = options.nats
    const gate = createGate({ runningMax: SNAPSHOTS_AT_ONCE, waitingMax: SNAPSHOTS_WAITING_MAX })
    this.#snapshots = (auctionId) => gate.run(() => options.snapshots(auctionId))
    this.#log = options.log
  }

  get size(): number {
    return this.#rooms.size
  }

  /**
   * Puts a watcher into the room of an auction and sends it the snapshot, then everything that came after it, in order.
   * `false`: there is no such auction. Throws what the snapshot source throws.
   */
  async join(auctionId: number, watcher: Watcher): Promise<boolean> {
    let room = this.#rooms.get(auctionId)
    if (room === undefined) {
      if (this.#unknown.has(auctionId)) return false
      room = new Room(auctionId, this.#nats, this.#snapshots, this.#log)
      this.#rooms.set(auctionId, room)
    }
    try {
      const isThere = await room.join(watcher)
      if (!isThere) this.#unknown.add(auctionId)
      return isThere
    } finally {
      this.#closeIfEmpty(room)
    }
  }

  leave(auctionId: number, watcher: Watcher): void {
    const room = this.#rooms.get(auctionId)
    if (room === undefined) return
    room.leave(watcher)
    this.#closeIfEmpty(room)
  }

  /** The bus was away and live messages were lost: every room starts again from a snapshot (promise P15). */
  async resync(): Promise<void> {
    const resync = ++this.#resyncs
    let behind = [...this.#rooms.values()]
    while (behind.length > 0) {
      const failed: Room[] = []
      let lastError: unknown
      const rooms = behind.values()
      const restart = async () => {
        for (const room of rooms) {
          // Left empty meanwhile, or the bus was away once more.
          if (this.#rooms.get(room.auctionId) !== room || this.#resyncs !== resync) continue
          try {
            await room.resync()
          } catch (error) {
            lastError = error
            failed.push(room)
          }
        }
      }
      await Promise.all(Array.from({ length: RESYNCS_AT_ONCE }, restart))
      behind = failed
      if (behind.length === 0) return
      this.#log.warn({ err: lastError, rooms: behind.length }, 'rooms could not be brought up to date')
      await delay(SNAPSHOT_RETRY_MS, undefined, { ref: false })
    }
  }

  #closeIfEmpty(room: Room): void {
    if (!room.isEmpty || this.#rooms.get(room.auctionId) !== room) return
    this.#rooms.delete(room.auctionId)
    room.close()
  }
}

/** A watcher that waits for its snapshot. */
interface Joining {
  /** What came meanwhile, one piece per tick. */
  held: Buffer[]
  /** It may have asked several times. */
  questions: number
  /** It was in the room before it asked, and stays there when nobody answers. */
  isInside: boolean
}

/** One auction's watchers. Exported for the fan-out bench. */
export class Room {
  readonly auctionId: number
  readonly #snapshots: SnapshotSource
  readonly #log: Logger
  readonly #subscription: Listening
  readonly #watchers = new Set<Watcher>()
  readonly #joining = new Map<Watcher, Joining>()
  /** Watchers that did not keep up; each gets the latest state when its socket has drained. */
  readonly #lagging = new Set<Watcher>()
  #frames: Buffer[] = []
  #bidFrames = 0
  /** Frames of this tick that nothing replaces. */
  #lasting: Buffer[] = []
  #stateFrame: string | null = null
  /** How many of the lasting frames came before the latest state. */
  #lastingBeforeState = 0
  /** How often the room is being started again; until then live messages wait for the snapshot. */
  #restarts = 0
  #restart: Buffer | null = null
  #timer: NodeJS.Timeout | NodeJS.Immediate | null = null
  #nextFlushAtMs = 0
  #asking: Promise<string | null> | null = null
  #askingNext: Promise<string | null> | null = null

  constructor(auctionId: number, nats: NatsConnection, snapshots: SnapshotSource, log: Logger) {
    this.auctionId = auctionId
    this.#snapshots = snapshots
    this.#log = log
    const subject = auctionLiveSubject(auctionId)
    this.#subscription = subscribe(nats, subject, (message) => this.receive(message.string()), { log })
  }

  get isEmpty(): boolean {
    return this.#watchers.size === 0 && this.#joining.size === 0 && this.#lagging.size === 0
  }

  /** Whoever is in the room already gets a snapshot, too, and until then nothing that it may not know yet. */
  async join(watcher: Watcher): Promise<boolean> {
    const isInside = this.#watchers.delete(watcher) && !this.#lagging.has(watcher)
    const joining = this.#joining.get(watcher) ?? { held: [], questions: 0, isInside }
    this.#joining.set(watcher, joining)
    joining.questions++
    let snapshot: string | null | undefined
    try {
      snapshot = await this.#snapshot()
    } finally {
      joining.questions--
      if (this.#joining.get(watcher) === joining) {
        const isLast = joining.questions === 0
        if (isLast) this.#joining.delete(watcher)
        if (typeof snapshot === 'string') this.#start(watcher, snapshot, joining)
        else if (snapshot === undefined && isLast && joining.isInside) this.#goOn(watcher, joining)
      }
    }
    return snapshot !== null
  }

  leave(watcher: Watcher): void {
    this.#watchers.delete(watcher)
    this.#joining.delete(watcher)
    this.#lagging.delete(watcher)
  }

  /** @throws what the snapshot source throws */
  async resync(): Promise<void> {
    this.#restarts++
    try {
      const snapshot = await this.#snapshot()
      if (snapshot !== null) this.#restart = textFrame(snapshot)
    } finally {
      this.#restarts--
      if (this.#restart !== null || this.#frames.length > 0) this.#schedule()
    }
  }

  close(): void {
    this.#subscription.unsubscribe()
    this.#lagging.clear()
    if (this.#timer !== null) clearTimeout(this.#timer as NodeJS.Timeout)
  }

  /** Takes a live message of the bus. */
  receive(message: string): void {
    const { frame, stateFrame } = decodeLive(this.auctionId, message)
    if (stateFrame === null) this.#lasting.push(textFrame(frame))
    else {
      this.#stateFrame = stateFrame
      this.#lastingBeforeState = this.#lasting.length
      this.#bidFrames++
    }
    // What will be replaced anyway is not even framed.
    if (this.#bidFrames <= BID_FRAMES_PER_TICK_MAX) this.#frames.push(textFrame(frame))
    this.#schedule()
  }

  #schedule(): void {
    if (this.#timer !== null) return
    const waitMs = this.#nextFlushAtMs - performance.now()
    this.#timer = waitMs <= 0 ? setImmediate(() => this.#flush()) : setTimeout(() => this.#flush(), waitMs)
  }

  #flush(): void {
    this.#timer = null
    if (this.#restarts > 0) return
    const startedAtMs = performance.now()
    const bytes = this.#gathered()
    for (const { held } of this.#joining.values()) this.#hold(held, bytes)
    for (const watcher of this.#watchers) this.#write(watcher, bytes)
    const endedAtMs = performance.now()
    countFanOut(this.#watchers.size, endedAtMs - startedAtMs)
    const restMs = Math.min(Math.max(TICK_MS, (endedAtMs - startedAtMs) * REST_FACTOR), TICK_MAX_MS)
    this.#nextFlushAtMs = endedAtMs + restMs
  }

  /** The frames of this tick as one piece. */
  #gathered(): Buffer {
    const isFast = this.#bidFrames > BID_FRAMES_PER_TICK_MAX && this.#stateFrame !== null
    const frames = isFast
      ? this.#lasting.toSpliced(this.#lastingBeforeState, 0, textFrame(this.#stateFrame ?? ''))
      : this.#frames
    if (this.#restart !== null) frames.unshift(this.#restart)
    this.#restart = null
    this.#frames = []
    this.#lasting = []
    this.#bidFrames = 0
    const [only] = frames
    return frames.length === 1 && only !== undefined ? only : Buffer.concat(frames)
  }

  #hold(held: Buffer[], bytes: Buffer): void {
    if (held.length >= HELD_FRAMES_MAX && this.#stateFrame !== null) {
      held.splice(0, held.length, textFrame(this.#stateFrame))
    }
    held.push(bytes)
  }

  #start(watcher: Watcher, snapshot: string, joining: Joining): void {
    watcher.writer.queue(textFrame(snapshot))
    joining.isInside = true
    this.#goOn(watcher, joining)
  }

  /** What came meanwhile, and from now on all that comes. */
  #goOn(watcher: Watcher, joining: Joining): void {
    for (const frames of joining.held) watcher.writer.queue(frames)
    joining.held = []
    if (joining.questions === 0) this.#watchers.add(watcher)
  }

  #write(watcher: Watcher, bytes: Buffer): void {
    switch (watcher.writer.backlog) {
      case 'fine':
        if (!this.#lagging.has(watcher)) watcher.writer.write(bytes)
        return
      case 'lagging':
        this.#waitFor(watcher)
        return
      case 'stalled':
        countSlowSocket('stalled')
        watcher.onStalled()
    }
  }

  #waitFor(watcher: Watcher): void {
    if (this.#lagging.has(watcher)) return
    this.#lagging.add(watcher)
    countSlowSocket('lagging')
    watcher.writer.onceDrained(() => this.#catchUp(watcher))
  }

  /** The whole state, with the bids it missed: what it was not sent may have been the end of the auction. */
  #catchUp(watcher: Watcher): void {
    if (!this.#lagging.has(watcher)) return
    this.join(watcher).then(
      () => this.#lagging.delete(watcher),
      (error: unknown) => {
        this.#log.warn({ err: error, auctionId: this.auctionId }, 'no snapshot for a slow socket')
        setTimeout(() => this.#catchUp(watcher), SNAPSHOT_RETRY_MS).unref()
      },
    )
  }

  /**
   * Joiners that come together share a question, but never one that was asked before they came: its answer could miss a frame that was
   * fanned out in between.
   */
  #snapshot(): Promise<string | null> {
    if (this.#asking === null) {
      const asking = this.#snapshots(this.auctionId).finally(() => {
        if (this.#asking === asking) this.#asking = null
      })
      this.#asking = asking
      return asking
    }
    if (this.#askingNext === null) {
      const next = this.#asking
        .catch(() => null)
        .then(() => {
          this.#askingNext = null
          return this.#snapshot()
        })
      this.#askingNext = next
    }
    return this.#askingNext
  }
}
