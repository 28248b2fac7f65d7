import type { Msg, NatsConnection } from '@nats-io/transport-node'
import {
  isBidMessage,
  type OwnerAnswer,
  OwnerCommand,
  parseBids,
  type VerdictTuple,
} from '@wangian/contracts/auction-wire.ts'
import { auctionBidsSubject, auctionCommandSubject, auctionOwnerSubject } from '@wangian/contracts/subjects.ts'
import { type Listening, subscribe, traceparentOf } from '@wangian/kit/bus/nats.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { beginSpan, type OpenSpan } from '@wangian/kit/service/tracing.ts'
import { bidCommand, otherCommand, type Verdict, type Waiter } from '../books/command.ts'
import type { AuctionCommand } from '../domain.ts'
import type { DatabaseClock } from '../owner/clock.ts'
import type { Owner } from '../owner/owner.ts'
import type { PartitionIntake } from './partitions.ts'

/**
 * The owner's side of the bus: subscriptions per partition that this process holds, and nobody else's. NATS itself thus routes every
 * command to the single writer and tells the sender at once when there is none. Bids have subjects of their own, because gateways may send
 * nothing else. A subject of the process's own, which each answer names, takes the bids of senders that know by now whom they are talking to.
 */
export class Intake implements PartitionIntake {
  readonly #nats: NatsConnection
  readonly #owner: Owner
  readonly #clock: DatabaseClock
  readonly #log: Logger
  readonly #subscriptions = new Map<number, readonly Listening[]>()
  readonly #ownSubject = auctionOwnerSubject(crypto.randomUUID())
  #own: Listening | null = null

  constructor(options: { nats: NatsConnection; owner: Owner; clock: DatabaseClock; log: Logger }) {
    this.#nats = options.nats
    this.#owner = options.owner
    this.#clock = options.clock
    this.#log = options.log
  }

  open(parts: readonly number[]): void {
    if (parts.length > 0) this.#own ??= this.#subscribe(this.#ownSubject, this.#receiveBids)
    for (const part of parts) {
      if (this.#subscriptions.has(part)) continue
      this.#subscriptions.set(part, [
        this.#subscribe(auctionBidsSubject(part), this.#receiveBids),
        this.#subscribe(auctionCommandSubject(part), this.#receiveAny),
      ])
    }
  }

  async close(parts: readonly number[]): Promise<void> {
    const leaving = parts.flatMap((part) => this.#subscriptions.get(part) ?? [])
    for (const part of parts) this.#subscriptions.delete(part)
    if (this.#subscriptions.size === 0 && this.#own !== null) {
      leaving.push(this.#own)
      this.#own = null
    }
    // Without a server there is nothing to drain, and the drain would wait for it.
    await Promise.all(leaving.map((subscription) => subscription.drain().catch(() => {})))
  }

  #subscribe(subject: string, receive: (message: Msg) => void): Listening {
    const guarded = (message: Msg) => {
      try {
        receive(message)
      } catch (error) {
        this.#log.error({ err: error }, 'a command could not be read')
        if (message.reply) message.respond(JSON.stringify({ ok: false, code: 'bad-request' } satisfies OwnerAnswer))
      }
    }
    return subscribe(this.#nats, subject, guarded, { log: this.#log })
  }

  readonly #receiveAny = (message: Msg): void => {
    // A gateway of the version before sends its bids here, too.
    if (isBidMessage(message.data)) this.#receiveBids(message)
    else this.#receiveCommand(message)
  }

  readonly #receiveBids = (message: Msg): void => {
    const bids = parseBids(message.string())
    const span = spanOf('judge bids', message, bids.length)
    const reply = new VerdictReply(message, this.#ownSubject)
    const receivedAtMs = performance.now()
    for (let index = 0; index < bids.length; index++) {
      const bid = bids[index]
      if (bid !== undefined) this.#owner.submit(bidCommand(bid, receivedAtMs, reply, index, span?.traceparent))
    }
    this.#owner.flush()
    span?.end()
  }

  #receiveCommand(message: Msg): void {
    const command = OwnerCommand.parse(JSON.parse(message.string()))
    const span = spanOf(`judge ${command.kind}`, message, 1)
    this.#owner.submit(
      otherCommand({
        auctionId: command.kind === 'open' ? command.terms.auctionId : command.auctionId,
        actorId: command.actorId,
        receivedAtMs: performance.now(),
        build: (nowMs) => domainCommand(command, nowMs, this.#clock.aheadMs()),
        traceparent: span?.traceparent ?? null,
        settle: (verdict) => {
          message.respond(JSON.stringify(answerOf(verdict)))
          span?.end()
        },
      }),
    )
    this.#owner.flush()
  }
}

function spanOf(name: string, message: Msg, commands: number): OpenSpan | null {
  const parent = traceparentOf(message)
  return parent === null
    ? null
    : beginSpan({ name, kind: 'server', parent, attributes: { 'wangian.commands': commands } })
}

/** Collects the verdicts of one message and sends those that became final in the same turn as one part of the answer. */
class VerdictReply implements Waiter {
  readonly #message: Msg
  readonly #ownSubject: string
  #ready: VerdictTuple[] = []

  constructor(message: Msg, ownSubject: string) {
    this.#message = message
    this.#ownSubject = ownSubject
  }

  settle(index: number, verdict: Verdict): void {
    if (this.#ready.length === 0) queueMicrotask(() => this.#send())
    this.#ready.push(verdictTuple(index, verdict))
  }

  #send(): void {
    const ready = this.#ready
    this.#ready = []
    this.#message.respond(JSON.stringify(ready), { reply: this.#ownSubject })
  }
}

function verdictTuple(index: number, verdict: Verdict): VerdictTuple {
  if (verdict.refusal !== null) return [index, verdict.refusal, verdict.minimumSen]
  return verdict.amountSen === null ? [index, 0, verdict.seq] : [index, 0, verdict.seq, verdict.amountSen]
}

function answerOf(verdict: Verdict): OwnerAnswer {
  if (verdict.refusal === null) return { ok: true }
  const { refusal: code, message } = verdict
  return message === undefined ? { ok: false, code } : { ok: false, code, message }
}

function domainCommand(command: OwnerCommand, nowMs: number, aheadMs: number): AuctionCommand {
  switch (command.kind) {
    case 'open':
      return {
        type: 'OpenAuction',
        terms: command.terms,
        startsNow: command.startsNow,
        // That was said by the database's clock.
        openByMs: command.openByMs === undefined ? undefined : command.openByMs + aheadMs,
        nowMs,
      }
    case 'revise':
      return {
        type: 'ReviseAuction',
        changes: dropAbsent(command.terms),
        actorId: command.actorId,
        nowMs,
      }
    case 'cancel':
      return {
        type: 'CancelAuction',
        reason: command.reason,
        actorId: command.actorId,
        by: command.by,
        nowMs,
      }
    default:
      return command satisfies never
  }
}

/** Only what was said is changed; `undefined` is not a value of a term. */
function dropAbsent<Fields extends object>(fields: Fields): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Key in keyof Fields]: Exclude<Fields[Key], undefined> }
}
