import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import { auctionPartition } from '@wangian/contracts/subjects.ts'
import { fold } from '@wangian/kit/log/decider.ts'
import type { Batch, PendingEvent } from '../books/batch.ts'
import { auctionStream } from '../books/book.ts'
import { auctionDecider, type KnownAuction } from '../domain.ts'
import { type AuctionLog, CommitFailed, type Epochs, type LoggedBid } from '../log/log-port.ts'
import { LEASE_TTL_MS } from '../owner/held-partitions.ts'

type BidData = Extract<AuctionEvent, { type: 'BidPlaced' }>['data']

interface LoggedEvent {
  readonly eventId: string
  readonly event: AuctionEvent
}

/** A statement on its way to the model's Postgres. Nothing happens until the test says what becomes of it. */
export interface Call {
  readonly name: 'commit' | 'reclaim' | 'isLogged' | 'loadOpen' | 'loadAuctions' | 'findBids'
  /** Of a commit: what it would write. */
  readonly batch: Batch | null
  /** It is carried out and answered. */
  finish(): void
  /** It is certainly not carried out, and its asker is told. */
  fail(): void
  /** Its asker hears nothing but that the connection broke. Of a commit that was not written yet it may still be, with {@link arrive}. */
  lose(isWritten: boolean): void
  /** A statement that was lost arrives late, as bytes in a buffer do. */
  arrive(): void
}

/**
 * A log in memory with the guarantees that Postgres gives the owner: a batch is atomic, leases are compared inside it, stream and version
 * as well as a bidder's own bid ids are unique. Several owners use it at once, each through a port of its own. `writer-store.test.ts`
 * shows the same guarantees on Postgres.
 */
export class ModelLog {
  readonly streams = new Map<string, LoggedEvent[]>()
  readonly leases = new Map<number, { owner: string | null; epoch: number; expiresAtMs: number }>()
  /** Called after each event that was appended. */
  onAppend: (event: AuctionEvent) => void = () => {}
  /** What the model's Postgres cannot store. */
  isPoison: (event: AuctionEvent) => boolean = () => false

  /** The events of an auction in their order. */
  eventsOf(auctionId: number): AuctionEvent[] {
    return (this.streams.get(auctionStream(auctionId)) ?? []).map(({ event }) => event)
  }

  bidsOf(auctionId: number): BidData[] {
    return this.eventsOf(auctionId).flatMap((event) => (event.type === 'BidPlaced' ? [event.data] : []))
  }

  findBid(auctionId: number, bidderId: number, bidId: string): BidData | undefined {
    return this.bidsOf(auctionId).find((bid) => bid.bidderId === bidderId && bid.bidId === bidId)
  }

  /** As a takeover does it: the next epoch, whoever held it. */
  take(owner: string, parts: readonly number[]): Map<number, number> {
    const taken = new Map<number, number>()
    for (const part of parts) {
      const epoch = (this.leases.get(part)?.epoch ?? 0) + 1
      this.leases.set(part, { owner, epoch, expiresAtMs: Date.now() + LEASE_TTL_MS })
      taken.set(part, epoch)
    }
    return taken
  }

  /** As a batch does it. */
  renew(parts: readonly number[]): void {
    for (const part of parts) {
      const lease = this.leases.get(part)
      if (lease !== undefined) lease.expiresAtMs = Date.now() + LEASE_TTL_MS
    }
  }

  /** As a gentle hand-over does it. */
  release(owner: string, epochs: Epochs): void {
    for (const [part, epoch] of epochs) {
      if (this.holds(owner, [part], epochs)) this.leases.set(part, { owner: null, epoch, expiresAtMs: 0 })
    }
  }

  append(event: AuctionEvent, eventId = ''): void {
    const stream = auctionStream(event.data.auctionId)
    const logged = this.streams.get(stream)
    if (logged === undefined) this.streams.set(stream, [{ eventId, event }])
    else logged.push({ eventId, event })
    this.onAppend(event)
  }

  state(auctionId: number): KnownAuction | null {
    const state = fold(auctionDecider, this.eventsOf(auctionId))
    return state.status === 'none' ? null : state
  }

  get auctionIds(): number[] {
    return [...this.streams.values()].flatMap(([first]) => first?.event.data.auctionId ?? [])
  }

  holds(owner: string, parts: readonly number[], epochs: Epochs): boolean {
    return parts.every((part) => {
      const lease = this.leases.get(part)
      return lease !== undefined && lease.owner === owner && lease.epoch === epochs.get(part)
    })
  }

  write(events: readonly PendingEvent[]): void {
    const taken = new Set<string>()
    if (events.some(({ event }) => this.isPoison(event))) {
      throw new CommitFailed({ isDefinite: true, refusal: 'bad-request', cause: 'invalid_datetime_format' })
    }
    for (const { book, version, event } of events) {
      const place = `${book.stream} ${version}`
      if (version <= (this.streams.get(book.stream)?.length ?? 0) || taken.has(place)) {
        throw new CommitFailed({ isDefinite: true, cause: 'events_pkey' })
      }
      taken.add(place)
      if (event.type !== 'BidPlaced' || event.data.bidId === null) continue
      const { auctionId, bidderId, bidId } = event.data
      const key = `${auctionId} ${bidderId} ${bidId}`
      if (this.findBid(auctionId, bidderId, bidId) !== undefined || taken.has(key)) {
        throw new CommitFailed({ isDefinite: true, isDuplicateBid: true, cause: 'events_bid_id' })
      }
      taken.add(key)
    }
    for (const { event, eventId } of events) this.append(event, eventId)
  }
}

/** One owner's connection to the model. Statements wait in `calls` until the test decides, or run at once when `isAutomatic`. */
export class ModelPort implements AuctionLog {
  readonly calls: Call[] = []
  isAutomatic: boolean
  readonly #log: ModelLog
  readonly #instance: string

  constructor(log: ModelLog, instance: string, isAutomatic: boolean) {
    this.#log = log
    this.#instance = instance
    this.isAutomatic = isAutomatic
  }

  /** The statement that waits longest, which must be of this kind. */
  next(name: Call['name']): Call {
    const call = this.calls.shift()
    if (call?.name !== name) throw new Error(`expected ${name} to be asked next and not ${call?.name ?? 'nothing'}`)
    return call
  }

  commit(parts: readonly number[], epochs: Epochs, batch: Batch): Promise<'committed' | 'fenced'> {
    // What is sent is what is known now.
    const sentEpochs = new Map(epochs)
    const events = [...batch.events]
    return this.#ask('commit', batch, () => {
      if (!this.#log.holds(this.#instance, parts, sentEpochs)) return 'fenced'
      this.#log.write(events)
      this.#log.renew(parts)
      return 'committed'
    })
  }

  reclaim(epochs: Epochs): Promise<Epochs | null> {
    const sentEpochs = new Map(epochs)
    return this.#ask('reclaim', null, () => {
      const parts = [...sentEpochs.keys()]
      return this.#log.holds(this.#instance, parts, sentEpochs) ? this.#log.take(this.#instance, parts) : null
    })
  }

  isLogged({ book, version, eventId }: PendingEvent): Promise<boolean> {
    return this.#ask('isLogged', null, () => this.#log.streams.get(book.stream)?.[version - 1]?.eventId === eventId)
  }

  loadOpen(parts: readonly number[]): Promise<KnownAuction[]> {
    return this.#ask('loadOpen', null, () =>
      this.#known(this.#log.auctionIds.filter((id) => parts.includes(auctionPartition(id)))).filter(
        ({ status }) => status === 'open',
      ),
    )
  }

  loadAuctions(auctionIds: readonly number[]): Promise<KnownAuction[]> {
    return this.#ask('loadAuctions', null, () => this.#known(auctionIds))
  }

  findBids(bids: readonly { auctionId: number; bidderId: number; bidId: string }[]): Promise<LoggedBid[]> {
    return this.#ask('findBids', null, () =>
      bids.flatMap(({ auctionId, bidderId, bidId }) => {
        const found = this.#log.findBid(auctionId, bidderId, bidId)
        return found === undefined ? [] : [{ auctionId, bidderId, bidId, seq: found.seq, amountSen: found.amountSen }]
      }),
    )
  }

  #known(auctionIds: readonly number[]): KnownAuction[] {
    return auctionIds.flatMap((id) => this.#log.state(id) ?? [])
  }

  #ask<Answer>(name: Call['name'], batch: Batch | null, perform: () => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const call: Call = {
        name,
        batch,
        finish() {
          try {
            resolve(perform())
          } catch (error) {
            reject(error)
          }
        },
        fail() {
          const cause = new Error('the statement was cancelled')
          reject(name === 'commit' ? new CommitFailed({ isDefinite: true, cause }) : cause)
        },
        lose(isWritten) {
          const cause = new Error('the connection broke')
          if (isWritten) this.arrive()
          reject(name === 'commit' ? new CommitFailed({ isDefinite: false, cause }) : cause)
        },
        arrive() {
          try {
            perform()
          } catch (error) {
            if (!(error instanceof CommitFailed)) throw error
          }
        },
      }
      if (this.isAutomatic) call.finish()
      else this.calls.push(call)
    })
  }
}
