import assert from 'node:assert/strict'
import { decodeLive } from '@wangian/contracts/auction-wire.ts'
import { senFromRinggit } from '@wangian/contracts/money.ts'
import { auctionPartition } from '@wangian/contracts/subjects.ts'
import { vi } from 'vitest'
import type { Verdict } from '../books/command.ts'
import { isoFromMs } from '../domain.ts'
import { bidIdOf, buyNowDecider, nowMs, opened, termsOf } from './fixtures.ts'
import { type Call, ModelLog, ModelPort } from './model-log.ts'
import { OwnerRig } from './owner-rig.ts'

/** What may happen next. Numbers that choose one of several are taken modulo how many there are. */
export type Step =
  /** Somebody bids so many increments above what the log asks for; `idNumber` repeats a bid's own id, and then its amount. */
  | {
      readonly kind: 'bid'
      readonly process: number
      readonly auction: number
      readonly raise: number
      readonly idNumber: number | null
      /** Postgres cannot store it. */
      readonly isPoison?: boolean
    }
  /** What becomes of the statement that a process has waited for longest. */
  | {
      readonly kind: 'answer'
      readonly process: number
      readonly outcome: 'finish' | 'fail' | 'lose-written' | 'lose-unwritten'
    }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'renew'; readonly process: number }
  /** A process dies; the same instance starts again and takes its own partitions at once. */
  | { readonly kind: 'restart'; readonly process: number; readonly isWritten: boolean }
  /** A process hangs until its leases have run out; another takes its partitions, and then it wakes. */
  | { readonly kind: 'takeover' }
  | { readonly kind: 'hand-over'; readonly process: number; readonly auction: number }
  /** A statement that was lost on its way arrives after all. */
  | { readonly kind: 'late-arrival'; readonly number: number }

interface Process {
  readonly instance: string
  readonly port: ModelPort
  readonly rig: OwnerRig
  isDead: boolean
}

interface Sent {
  readonly process: Process
  readonly auctionId: number
  readonly bidderId: number
  readonly amountSen: number
  readonly bidId: string | null
  readonly isRetry: boolean
  readonly sentAtMs: number
  /** Bids of the auction that anybody could know of when this one was sent. */
  readonly knownCount: number
  /** The place of the sending and of the answer in the order of all that happened. */
  readonly sentAt: number
  answeredAt: number
  verdict: Verdict | null
}

export const increment = termsOf().incrementSen
/** In different partitions; the first one ends while most runs last, and the other when somebody pays its buy-now price. */
const auctions = [
  { auctionId: 5, productId: 31, endsAtMs: nowMs + 6000, buyNowSen: null },
  { auctionId: 6, productId: 32, endsAtMs: nowMs + 3_600_000, buyNowSen: 23_000 },
]
const parts = auctions.map(({ auctionId }) => auctionPartition(auctionId))
/** Promise P8 says 5 s with the way to the bidder and back. */
const ANSWERED_WITHIN_MS = 4500

/**
 * Auction processes over one log, with everything that may go wrong between them and Postgres, in virtual time. Whatever is answered or
 * shown is checked against the promises at that moment; {@link settleAndCheck} ends the faults and checks what remains.
 */
export class Simulation {
  readonly log = new ModelLog()
  readonly #processes: Process[] = []
  readonly #sent: Sent[] = []
  readonly #lost: Call[] = []
  readonly #knownCounts = new Map<number, number>()
  readonly #amountsOfIds = new Map<string, number>()
  readonly #poisonIds = new Set<number>()
  #order = 0
  #instances = 0

  async start(): Promise<void> {
    this.log.isPoison = ({ data }) => 'bidderId' in data && this.#poisonIds.has(data.bidderId)
    for (const { auctionId, productId, endsAtMs, buyNowSen } of auctions) {
      this.log.append(opened({ auctionId, productId, endsAt: isoFromMs(endsAtMs), buyNowSen }))
      this.#knownCounts.set(auctionId, 0)
    }
    const first = this.#startProcess('auction-1')
    const serving = this.#serve(first, parts, true)
    await this.#finishCalls(first)
    await serving
  }

  async take(step: Step): Promise<void> {
    await this.#take(step)
    await vi.advanceTimersByTimeAsync(step.kind === 'wait' ? step.ms : 0)
    for (const sent of this.#sent) {
      const isLate = sent.verdict === null && !sent.process.isDead && Date.now() - sent.sentAtMs > ANSWERED_WITHIN_MS
      assert(!isLate, `nobody answered a bid of ${sent.amountSen} within ${ANSWERED_WITHIN_MS} ms (P8)`)
    }
  }

  stop(): void {
    for (const process of this.#processes) process.rig.owner.stop()
  }

  /** Nothing fails any more: all that waits is answered, the auctions end, and the log is what was promised. */
  async settleAndCheck(): Promise<void> {
    for (let round = 0; round < 100; round += 1) {
      for (const process of this.#processes) {
        await this.#finishCalls(process)
        if (!process.isDead && process.rig.owner.epochs.size > 0) void process.rig.owner.renew()
      }
      await vi.advanceTimersByTimeAsync(100)
      await this.#adoptOrphans()
      this.#late(this.#lost.length)
    }
    for (const sent of this.#sent) {
      assert(sent.verdict !== null || sent.process.isDead, `a bid of ${sent.amountSen} was never answered`)
    }
    this.#checkLog()
    this.#checkAnswers()
  }

  /** What happened, for a look at whether a run is worth its time. */
  get tally(): {
    accepted: number
    ended: number
    refused: number
    poisonous: number
    unknown: number
    sold: number
    dead: number
  } {
    const verdicts = this.#sent.flatMap(({ verdict }) => verdict ?? [])
    return {
      accepted: verdicts.filter(({ refusal }) => refusal === null).length,
      refused: verdicts.filter(({ refusal }) => refusal === 'bid-too-low').length,
      ended: verdicts.filter(({ refusal }) => refusal === 'auction-ended').length,
      poisonous: verdicts.filter(({ refusal }) => refusal === 'bad-request').length,
      unknown: verdicts.filter(({ refusal }) => refusal === 'outcome-unknown').length,
      sold: auctions.filter(({ auctionId }) => this.#isSold(auctionId)).length,
      dead: this.#processes.filter(({ isDead }) => isDead).length,
    }
  }

  async #take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'bid':
        return this.#bid(step)
      case 'answer':
        return this.#answer(this.#alive(step.process), step.outcome)
      case 'wait':
        return
      case 'renew': {
        const { owner } = this.#alive(step.process).rig
        if (owner.epochs.size > 0) void owner.renew()
        return
      }
      case 'restart':
        return this.#restart(this.#alive(step.process), step.isWritten)
      case 'takeover':
        return this.#takeOver()
      case 'hand-over':
        return this.#handOver(this.#alive(step.process), at(auctions, step.auction).auctionId)
      case 'late-arrival':
        return this.#late(1, step.number)
      default:
        return step satisfies never
    }
  }

  #bid(step: Extract<Step, { kind: 'bid' }>): void {
    const process = this.#alive(step.process)
    const { auctionId } = at(auctions, step.auction)
    const isPoison = step.isPoison === true
    const bidId = isPoison || step.idNumber === null ? null : bidIdOf(step.idNumber)
    const idKey = `${auctionId} ${bidId}`
    const isRetry = bidId !== null && this.#amountsOfIds.has(idKey)
    const asked = Math.max(this.#minimumAfter(auctionId, this.log.bidsOf(auctionId).length) + step.raise * increment, 1)
    const amountSen = (isRetry ? this.#amountsOfIds.get(idKey) : undefined) ?? asked
    if (bidId !== null) this.#amountsOfIds.set(idKey, amountSen)
    // Whoever gives no id is told apart in the log by who he is.
    const bidderId = isPoison || step.idNumber === null ? 1000 + this.#sent.length : 100 + step.idNumber
    const knownCount = this.#knownCounts.get(auctionId) ?? 0
    const sent: Sent = {
      ...{ process, auctionId, bidderId, amountSen, bidId, isRetry, knownCount, sentAtMs: Date.now() },
      ...{ sentAt: this.#order++, answeredAt: Number.POSITIVE_INFINITY, verdict: null },
    }
    this.#sent.push(sent)
    if (isPoison) this.#poisonIds.add(bidderId)
    process.rig.bid(amountSen, { auctionId, bidderId, bidId, onTold: (verdict) => this.#told(sent, verdict) })
  }

  #told(sent: Sent, verdict: Verdict): void {
    assert.equal(sent.verdict, null, 'a bid is answered once')
    assert(!sent.process.isDead, 'whoever is fenced says nothing')
    sent.verdict = verdict
    sent.answeredAt = this.#order++
    const { auctionId, bidderId, bidId, amountSen } = sent
    const logged = this.log.bidsOf(auctionId)
    switch (verdict.refusal) {
      case null: {
        const row = logged[verdict.seq - 1]
        assert(row !== undefined, `bid ${verdict.seq} is accepted and not in the log (P1)`)
        assert.deepEqual(
          [row.bidderId, row.bidId, row.amountSen],
          [bidderId, bidId, amountSen],
          'another bid is in the log (P1)',
        )
        this.#know(auctionId, verdict.seq)
        return
      }
      case 'bid-too-low': {
        if (sent.isRetry) return
        const counts = Array.from(
          { length: logged.length - sent.knownCount + 1 },
          (_, index) => sent.knownCount + index,
        )
        const wasTrue = counts.some((count) => this.#minimumAfter(auctionId, count) === verdict.minimumSen)
        assert(wasTrue, `the minimum ${verdict.minimumSen} never held while the bid was on its way (P8)`)
        assert(amountSen < verdict.minimumSen, 'a bid of the minimum is not too low')
        return
      }
      case 'auction-ended':
        assert(Date.now() >= endOf(auctionId) || this.#isSold(auctionId), 'it has not ended yet')
        return
      case 'bad-request':
        assert(this.#poisonIds.has(bidderId), 'what can be stored is not refused as if it could not')
        return
      case 'busy':
      case 'unavailable':
      case 'outcome-unknown':
        return
      default:
        assert.fail(`nobody had a reason to answer ${verdict.refusal}`)
    }
  }

  #shown(auctionId: number, message: string): void {
    const frame = JSON.parse(decodeLive(auctionId, message).frame)
    const logged = this.log.bidsOf(auctionId)
    assert(frame.seq <= logged.length, `a frame shows bid ${frame.seq} of ${logged.length} (P4)`)
    const bids: { seq?: number; bidderId: number; amount: number }[] =
      frame.type === 'newBid' ? [frame.bid] : (frame.bids ?? [])
    for (const { seq = frame.seq, bidderId, amount } of bids) {
      const row = logged[seq - 1]
      assert.deepEqual(
        [row?.bidderId, row?.amountSen],
        [bidderId, senFromRinggit(amount)],
        'a frame shows what is not in the log (P4)',
      )
    }
    if (frame.type === 'auctionEnded') assert.equal(this.log.state(auctionId)?.status, 'ended')
    this.#know(auctionId, frame.seq)
  }

  #know(auctionId: number, count: number): void {
    this.#knownCounts.set(auctionId, Math.max(count, this.#knownCounts.get(auctionId) ?? 0))
  }

  /** What the next bid had to be after so many bids. */
  #minimumAfter(auctionId: number, count: number): number {
    return (this.log.bidsOf(auctionId)[count - 1]?.amountSen ?? termsOf().startingPriceSen) + increment
  }

  /** Whether somebody paid the buy-now price; bid and end are in the log together. */
  #isSold(auctionId: number): boolean {
    const buyNowSen = auctions.find((auction) => auction.auctionId === auctionId)?.buyNowSen ?? Number.POSITIVE_INFINITY
    return (this.log.bidsOf(auctionId).at(-1)?.amountSen ?? 0) >= buyNowSen
  }

  #startProcess(instance: string): Process {
    const port = new ModelPort(this.log, instance, false)
    const rig = new OwnerRig(port, {
      clock: { nowMs: () => Date.now() },
      decider: buyNowDecider,
      publishLive: (auctionId, message) => this.#shown(auctionId, message),
      onFenced: () => {
        process.isDead = true
      },
    })
    const process: Process = { instance, port, rig, isDead: false }
    this.#processes.push(process)
    return process
  }

  /** Takes what is free, or what the instance held before it was restarted, as often as it needs to. */
  async #serve(process: Process, wanted: readonly number[], isOwn: boolean): Promise<void> {
    while (!process.isDead) {
      const free = wanted.filter((part) => {
        const lease = this.log.leases.get(part)
        return lease === undefined || Date.now() >= lease.expiresAtMs || (isOwn && lease.owner === process.instance)
      })
      if (free.length === 0) return
      try {
        return await process.rig.owner.addPartitions(this.log.take(process.instance, free), performance.now())
      } catch {
        // The next round finds them under the own name.
        isOwn = true
      }
    }
  }

  #answer(process: Process, outcome: Extract<Step, { kind: 'answer' }>['outcome']): void {
    const call = process.port.calls.shift()
    if (call === undefined) return
    switch (outcome) {
      case 'finish':
        return call.finish()
      case 'fail':
        return call.fail()
      case 'lose-written':
        return call.lose(true)
      case 'lose-unwritten':
        this.#lost.push(call)
        return call.lose(false)
      default:
        return outcome satisfies never
    }
  }

  #kill(process: Process, isWritten: boolean): void {
    process.isDead = true
    process.rig.owner.stop()
    const calls = process.port.calls.splice(0)
    if (isWritten) for (const call of calls) call.arrive()
    else this.#lost.push(...calls)
  }

  #restart(process: Process, isWritten: boolean): void {
    this.#kill(process, isWritten)
    const held = parts.filter((part) => this.log.leases.get(part)?.owner === process.instance)
    void this.#serve(this.#startProcess(process.instance), held, true)
  }

  async #takeOver(): Promise<void> {
    const expiresAtMs = Math.max(...parts.map((part) => this.log.leases.get(part)?.expiresAtMs ?? 0))
    await vi.advanceTimersByTimeAsync(Math.max(0, expiresAtMs - Date.now()))
    this.#instances += 1
    void this.#serve(this.#startProcess(`other-${this.#instances}`), parts, false)
  }

  #handOver(process: Process, auctionId: number): void {
    const part = auctionPartition(auctionId)
    if (!process.rig.owner.epochs.has(part)) return
    void process.rig.owner.removePartitions([part]).then((epochs) => {
      if (process.isDead) return
      this.log.release(process.instance, epochs)
      this.#instances += 1
      const other = this.#processes.find((one) => !one.isDead && one !== process)
      void this.#serve(other ?? this.#startProcess(`other-${this.#instances}`), [part], false)
    })
  }

  #late(count: number, number = 0): void {
    for (let index = 0; index < count && this.#lost.length > 0; index += 1) {
      const [call] = this.#lost.splice(number % this.#lost.length, 1)
      call?.arrive()
    }
  }

  async #finishCalls(process: Process): Promise<void> {
    while (!process.isDead && process.port.calls.length > 0) {
      process.port.calls.shift()?.finish()
      await vi.advanceTimersByTimeAsync(0)
    }
  }

  /** Partitions that nobody serves any more are taken by somebody, as the round of every process does it. */
  async #adoptOrphans(): Promise<void> {
    const orphans = parts.filter(
      (part) => !this.#processes.some(({ isDead, rig }) => !isDead && rig.owner.epochs.has(part)),
    )
    const expired = orphans.filter((part) => Date.now() >= (this.log.leases.get(part)?.expiresAtMs ?? 0))
    if (expired.length === 0) return
    this.#instances += 1
    const process = this.#startProcess(`other-${this.#instances}`)
    const serving = this.#serve(process, expired, false)
    await this.#finishCalls(process)
    await serving
  }

  #alive(number: number): Process {
    const alive = this.#processes.filter(({ isDead }) => !isDead)
    if (alive.length > 0) return at(alive, number)
    // Somebody starts again, sooner or later.
    this.#instances += 1
    const process = this.#startProcess(`other-${this.#instances}`)
    void this.#serve(process, parts, false)
    return process
  }

  #checkLog(): void {
    for (const { auctionId, endsAtMs } of auctions) {
      const bids = this.log.bidsOf(auctionId)
      assert.deepEqual(
        bids.map(({ seq }) => seq),
        bids.map((_, index) => index + 1),
        'seqs have no gaps (P2)',
      )
      for (const [index, { amountSen, placedAt }] of bids.entries()) {
        assert(amountSen >= this.#minimumAfter(auctionId, index), `bid ${index + 1} is below the increment (P2)`)
        assert(Date.parse(placedAt) < endsAtMs, `bid ${index + 1} came after the end (P6)`)
      }
      const ids = bids.flatMap(({ bidderId, bidId }) => (bidId === null ? [] : [`${bidderId} ${bidId}`]))
      assert.equal(new Set(ids).size, ids.length, 'a bid id stands in the log twice (P7)')
      if (Date.now() < endsAtMs && !this.#isSold(auctionId)) continue
      const events = this.log.eventsOf(auctionId)
      const ends = events.filter((event) => event.type === 'AuctionEnded')
      assert.equal(ends.length, 1, 'an auction ends once (P6)')
      assert.equal(events.at(-1), ends[0], 'the end is the last event (P6)')
      assert.equal(ends[0]?.data.winnerId, bids.at(-1)?.bidderId ?? null, 'the last bidder wins (P6)')
    }
  }

  #checkAnswers(): void {
    const accepted = this.#sent.filter(({ verdict }) => verdict?.refusal === null)
    for (const sent of this.#sent) {
      const { auctionId, bidderId, bidId, verdict } = sent
      const row = this.log.bidsOf(auctionId).find((bid) => bid.bidderId === bidderId && bid.bidId === bidId)
      const isRefused = verdict !== null && verdict.refusal !== null && verdict.refusal !== 'outcome-unknown'
      if (bidId === null)
        assert(!isRefused || row === undefined, `a bid was refused as ${verdict?.refusal} and stored (P4)`)
      else if (row !== undefined) {
        const siblings = this.#sent.filter((other) => other.auctionId === auctionId && other.bidId === bidId)
        const mayBeStored = siblings.some(
          (other) => other.verdict === null || ['outcome-unknown', null].includes(other.verdict.refusal),
        )
        assert(mayBeStored, 'a bid id was refused whenever it came, and stored (P4)')
      }
      if (sent.isRetry || verdict?.refusal !== null) continue
      for (const later of accepted) {
        if (later.isRetry || later.auctionId !== auctionId || later.sentAt < sent.answeredAt) continue
        assert((later.verdict?.seq ?? 0) > verdict.seq, 'what was sent after an answer comes after it (P3)')
      }
    }
    for (const first of accepted) {
      if (first.bidId === null) continue
      for (const again of this.#sent) {
        const isSame =
          again.auctionId === first.auctionId && again.bidId === first.bidId && again.sentAt > first.answeredAt
        if (!isSame || again.verdict === null) continue
        const { refusal, seq } = again.verdict
        const isFirstAnswer = refusal === null && seq === first.verdict?.seq
        // Somebody who cannot know just now says so; he judges nothing.
        const isNoJudgement = refusal === 'unavailable' || refusal === 'busy' || refusal === 'outcome-unknown'
        assert(isFirstAnswer || isNoJudgement, `an accepted bid is ${refusal} when it is repeated (P7)`)
      }
    }
  }
}

function endOf(auctionId: number): number {
  return auctions.find((auction) => auction.auctionId === auctionId)?.endsAtMs ?? 0
}

function at<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length]
  assert(item !== undefined)
  return item
}
