import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BidOperation, History, LogRow, Sighting } from './history.ts'
import { type CheckOptions, checkHistory, describeViolations, type Violation } from './history-checker.ts'
import { type PlannedBid, terms, validHistory } from './valid-history.ts'

const plannedBid: fc.Arbitrary<PlannedBid> = fc.record({
  bidderId: fc.integer({ min: 1, max: 4 }),
  gapMs: fc.integer({ min: 0, max: 20 }),
  decidedAfterMs: fc.integer({ min: 1, max: 60 }),
  answeredAfterMs: fc.integer({ min: 0, max: 40 }),
  raiseSen: fc.integer({ min: -120, max: 200 }),
  hasId: fc.boolean(),
  fate: fc.constantFrom('told', 'told', 'told', 'in-doubt', 'cut'),
  isCommitted: fc.boolean(),
  retryOf: fc.constantFrom(0, 0, 0, 1, 2, 5),
  seenAfterMs: fc.option(fc.integer({ min: 0, max: 50 })),
})

const plain: PlannedBid = {
  bidderId: 1,
  gapMs: 10,
  decidedAfterMs: 2,
  answeredAfterMs: 3,
  raiseSen: 0,
  hasId: true,
  fate: 'told',
  isCommitted: true,
  retryOf: 0,
  seenAfterMs: 4,
}

/** Six accepted bids (seq 1 to 6), one of them without an id, a refused one, and a retry of the fifth. */
const history = validHistory([
  { ...plain },
  { ...plain, bidderId: 2, raiseSen: 500 },
  { ...plain, bidderId: 3, raiseSen: -10 },
  { ...plain, bidderId: 4, hasId: false },
  { ...plain, bidderId: 1 },
  { ...plain, bidderId: 2 },
  { ...plain, retryOf: 1 },
  { ...plain, bidderId: 3 },
])

describe('a history of a correct system', () => {
  it('breaks no promise, whatever the interleaving', () => {
    fc.assert(
      fc.property(fc.array(plannedBid, { maxLength: 40 }), (plans) => {
        expect(describeViolations(checkHistory(validHistory(plans), { ended: new Set([7]) }))).toBe('')
      }),
      { seed: 20_260_101, numRuns: 500 },
    )
  })

  it('is what the planted faults start from', () => {
    expect(history.log.map((row) => row.event.type)).toEqual([
      'AuctionOpened',
      ...new Array(6).fill('BidPlaced'),
      'AuctionEnded',
    ])
    expect(problems(history)).toEqual([])
  })
})

describe('a history with a planted fault', () => {
  it('shows a lost bid', () => {
    expectFound(withoutRow(history, 3), 'P1', /accepted as 3, is not in the log/)
    expectFound(withoutRow(history, 4), 'P1', /accepted as 4, is not in the log/)
  })

  it('shows a bid that was stored with another amount', () => {
    expectFound(withBid(history, 6, { amountSen: 99_999 }), 'P1', /asked for another amount/)
  })

  it('shows a bid that was stored for another bidder', () => {
    expectFound(withBid(history, 3, { bidderId: 2 }), 'P1', /not what the log holds/)
  })

  it('shows two bids that were accepted as one', () => {
    const twin = { ...operationOf(history, 3), sentAtMs: 31 }
    expectFound({ ...history, operations: [...history.operations, twin] }, 'P1', /2 bids were accepted as 3/)
  })

  it('shows a doubled bid', () => {
    const doubled = bidOf(history, 6)
    const again = { ...doubled, seq: 7, amountSen: doubled.amountSen + 100 }
    expectFound(withInserted(history, { type: 'BidPlaced', data: again }), 'P7', /stored 2 times/)
  })

  it('shows a doubled bid without an id as the ghost that it is', () => {
    const again = { ...bidOf(history, 3), seq: 7, amountSen: bidOf(history, 6).amountSen + 100 }
    expectFound(withInserted(history, { type: 'BidPlaced', data: again }), 'P4', /is a ghost/)
  })

  it('shows one request in doubt that was stored twice', () => {
    const inDoubt = validHistory([
      { ...plain, hasId: false, fate: 'in-doubt' },
      { ...plain, hasId: false, fate: 'in-doubt' },
    ])
    const [opened, first, second, ended] = inDoubt.log as [LogRow, LogRow, LogRow, LogRow]
    expect(problems(inDoubt)).toEqual([])
    const asked = { ...inDoubt, operations: inDoubt.operations.slice(1), log: [opened, first, second, ended] }
    expectFound(asked, 'P4', /is a ghost/)
  })

  it('shows a ghost: a refused bid that was stored', () => {
    const refused = refusalOf(history)
    const ghost: AuctionEvent = {
      type: 'BidPlaced',
      data: {
        auctionId: 7,
        seq: 7,
        bidderId: refused.bidderId,
        amountSen: 99_000,
        bidId: refused.bidId,
        placedAt: bidOf(history, 6).placedAt,
      },
    }
    expectFound(withInserted(history, ghost), 'P4', /is stored, and its bidder was refused/)
  })

  it('shows a bid that was shown and never stored', () => {
    const ghost = { ...sightingOf(history, 6), seq: 7, amountSen: 99_000 }
    expectFound({ ...history, sightings: [...history.sightings, ghost] }, 'P4', /saw bid 7, which is not in the log/)
  })

  it('shows a bid that was shown otherwise than stored', () => {
    const wrong = { ...sightingOf(history, 2), bidderId: 1 }
    expectFound({ ...history, sightings: [wrong] }, 'P4', /the log differs/)
  })

  it('shows a bid that was shown before its commit', () => {
    const early = { ...sightingOf(history, 2), wasStored: false }
    expectFound({ ...history, sightings: [early] }, 'P4', /before it was committed/)
  })

  it('shows an end that was shown and never stored', () => {
    expectFound({ ...history, log: history.log.slice(0, -1) }, 'P4', /saw an end/, { ended: new Set() })
  })

  it('shows a gap in seq', () => {
    expectFound(withBid(history, 6, { seq: 7 }), 'P2', /seq 7 stands where 6 belongs/)
  })

  it('shows a gap in the versions of the stream', () => {
    const log = history.log.map((row) => (row.version >= 5 ? { ...row, version: row.version + 1 } : row))
    expectFound({ ...history, log }, 'P2', /version 6 stands where 5 belongs/)
  })

  it('shows a raise below the increment', () => {
    const amountSen = bidOf(history, 3).amountSen + terms.incrementSen - 1
    expectFound(withBid(history, 4, { amountSen }), 'P2', /bid 4 is .* the minimum was/)
  })

  it('shows a first bid below the starting price and the increment', () => {
    expectFound(withBid(history, 1, { amountSen: terms.startingPriceSen }), 'P2', /bid 1 is 10000 sen/)
  })

  it('shows terms that changed under the bids', () => {
    const revised: AuctionEvent = {
      type: 'AuctionRevised',
      data: { auctionId: 7, ...terms, incrementSen: 10, revisedAt: terms.startsAt },
    }
    expectFound(withInserted(history, revised), 'P2', /the terms changed after bid 6/)
  })

  it('shows an order that time contradicts', () => {
    // Bidder 1's fifth request was sent after the first bid had been answered; here it comes before it.
    const log = swapped(history.log, 1, 4)
    const operations = history.operations.map((operation) =>
      operation.outcome.kind === 'accepted' && (operation.outcome.seq === 1 || operation.outcome.seq === 4)
        ? { ...operation, outcome: { kind: 'accepted' as const, seq: operation.outcome.seq === 1 ? 4 : 1 } }
        : operation,
    )
    expectFound({ ...history, log, operations }, 'P3', /bid 4 was known before bid 1 was sent/)
  })

  it('shows an order that only the watchers contradict', () => {
    const inDoubt = validHistory([
      { ...plain, fate: 'in-doubt' },
      { ...plain, bidderId: 2, fate: 'in-doubt' },
    ])
    const seen = { ...sightingOf(inDoubt, 2), seenAtMs: 1 }
    const late = inDoubt.operations.map((operation) =>
      operation.bidderId === 1 ? { ...operation, sentAtMs: 5, answeredAtMs: 30 } : operation,
    )
    expectFound({ ...inDoubt, sightings: [seen], operations: late }, 'P3', /bid 2 was known before bid 1 was sent/)
  })

  it('shows a late bid', () => {
    expectFound(withBid(history, 6, { placedAt: terms.endsAt }), 'P6', /bid 6 was placed at .* ended at/)
  })

  it('shows a bid after the end', () => {
    const log = swappedRows(history.log, history.log.length - 2, history.log.length - 1)
    expectFound({ ...history, log }, 'P6', /BidPlaced .* comes after AuctionEnded/)
  })

  it('shows a bid that was accepted after somebody was told that it is over', () => {
    const told = history.operations.map((operation) =>
      operation.outcome.kind === 'refused' && operation.outcome.code === 'auction-ended'
        ? { ...operation, sentAtMs: 1, answeredAtMs: 2 }
        : operation,
    )
    expectFound({ ...history, operations: told }, 'P6', /was sent after a bid was refused/)
  })

  it('shows a wrong winner', () => {
    expectFound(withEnd(history, { winnerId: 4 }), 'P6', /the winner is 4, by the log it is 3/)
  })

  it('shows a wrong outcome, amount, count and time of the end', () => {
    expectFound(withEnd(history, { outcome: 'reserve-not-met', winnerId: null }), 'P6', /by the log it is won/)
    expectFound(withEnd(history, { amountSen: 1 }), 'P6', /the last amount is not 1 sen/)
    expectFound(withEnd(history, { bidCount: 5 }), 'P6', /it counts 5 bids of 6/)
    expectFound(withEnd(history, { endedAt: terms.startsAt }), 'P6', /before its end/)
  })

  it('shows two ends', () => {
    const end = history.log.at(-1) as LogRow
    const log = [...history.log, { ...end, version: end.version + 1 }]
    expectFound({ ...history, log }, 'P6', /AuctionEnded .* comes after AuctionEnded/)
  })

  it('shows an auction that never ended', () => {
    const open = validHistory([plain], 7, false)
    expect(problems(open, { ended: new Set() })).toEqual([])
    expectFound(open, 'P6', /it never ended/)
  })

  it('shows a retry that got another answer', () => {
    const again = { ...operationOf(history, 2), sentAtMs: 200, answeredAtMs: 205 }
    const other = { ...again, outcome: { kind: 'accepted' as const, seq: 6 } }
    expectFound({ ...history, operations: [...history.operations, other] }, 'P7', /accepted as 6 and is stored as 2/)
    const refused = {
      ...again,
      outcome: { kind: 'refused' as const, code: 'auction-ended' as const, minimumSen: null },
    }
    expectFound({ ...history, operations: [...history.operations, refused] }, 'P7', /was accepted, then refused/)
  })

  it('shows a refused bid that was accepted when it was sent again, unless there was a restart', () => {
    const refused = {
      ...operationOf(history, 6),
      sentAtMs: 1,
      answeredAtMs: 2,
      outcome: { kind: 'refused' as const, code: 'bid-too-low' as const, minimumSen: 10_050 },
      amountSen: 10_000,
    }
    const planted = { ...history, operations: [refused, ...history.operations] }
    expectFound(planted, 'P7', /was refused as bid-too-low, then accepted/)
    expect(problems(planted, { ended: new Set([7]), hasRestarts: true })).toEqual([])
  })

  it('shows a minimum that never was', () => {
    expectFound(withRefusal(history, { minimumSen: 77_777 }), 'P8', /which held at no moment/)
  })

  it('shows a minimum that was not yet, and one that was no more', () => {
    const soonSen = bidOf(history, 5).amountSen + terms.incrementSen
    expectFound(withRefusal(history, { minimumSen: soonSen }), 'P8', /which held at no moment/)
    const longAgo = { ...refusalOf(history), sentAtMs: 80, answeredAtMs: 85, bidId: null }
    expectFound({ ...history, operations: [...history.operations, longAgo] }, 'P8', /which held at no moment/)
  })

  it('shows a minimum that explains nothing', () => {
    expectFound(withRefusal(history, { minimumSen: null }), 'P8', /explains nothing/)
    expectFound(withRefusal(history, { minimumSen: refusalOf(history).amountSen }), 'P8', /explains nothing/)
  })

  it('shows a request that was never answered, unless its connection broke', () => {
    const hanging: BidOperation = { ...operationOf(history, 6), answeredAtMs: null, outcome: { kind: 'unknown' } }
    const operations = [
      ...history.operations.filter((each) => each.outcome !== operationOf(history, 6).outcome),
      hanging,
    ]
    expectFound({ ...history, operations }, 'P8', /was never answered/)
    const cut = { ...hanging, isConnectionLost: true }
    expect(problems({ ...history, operations: [...operations.slice(0, -1), cut] })).toEqual([])
  })

  it('shows an answer that came too late', () => {
    const operations = history.operations.map((each) =>
      each === operationOf(history, 6) ? { ...each, answeredAtMs: each.sentAtMs + 5001 } : each,
    )
    expectFound({ ...history, operations }, 'P8', /answered after 5001 ms/)
  })
})

describe('a history of several auctions', () => {
  it('is checked auction by auction', () => {
    const others = validHistory([{ ...plain }, { ...plain, bidderId: 2 }], 8)
    const both = {
      operations: [...history.operations, ...others.operations],
      sightings: [...history.sightings, ...others.sightings],
      log: [...history.log, ...others.log],
    }
    expect(problems(both)).toEqual([])
    const violations = checkHistory(withoutRow(both, 3), { ended: new Set([7, 8]) })
    expect(new Set(violations.map((violation) => violation.auctionId))).toEqual(new Set([7]))
  })
})

function problems(given: History, options: CheckOptions = { ended: new Set([7]) }): Violation[] {
  return checkHistory(given, options)
}

function expectFound(given: History, promise: Violation['promise'], text: RegExp, options?: CheckOptions): void {
  const found = problems(given, options)
  const isFound = found.some((violation) => violation.promise === promise && text.test(violation.text))
  if (!isFound) throw new Error(`${promise} ${text} was not found, only:\n${describeViolations(found)}`)
}

function bidOf(given: History, seq: number): Extract<AuctionEvent, { type: 'BidPlaced' }>['data'] {
  for (const { event } of given.log) if (event.type === 'BidPlaced' && event.data.seq === seq) return event.data
  throw new Error(`there is no bid ${seq}`)
}

function operationOf(given: History, seq: number): BidOperation {
  const found = given.operations.find(({ outcome }) => outcome.kind === 'accepted' && outcome.seq === seq)
  if (found === undefined) throw new Error(`nothing was accepted as ${seq}`)
  return found
}

function refusalOf(given: History): BidOperation {
  const found = given.operations.find(({ outcome }) => outcome.kind === 'refused' && outcome.code === 'bid-too-low')
  if (found === undefined) throw new Error('nothing was too low')
  return found
}

function sightingOf(given: History, seq: number): Extract<Sighting, { kind: 'bid' }> {
  for (const sighting of given.sightings) if (sighting.kind === 'bid' && sighting.seq === seq) return sighting
  throw new Error(`nobody saw bid ${seq}`)
}

function withoutRow(given: History, seq: number): History {
  const log = given.log.filter(({ event }) => event.type !== 'BidPlaced' || event.data.seq !== seq)
  return { ...given, log }
}

function withBid(
  given: History,
  seq: number,
  changes: Partial<Extract<AuctionEvent, { type: 'BidPlaced' }>['data']>,
): History {
  const log = given.log.map((row) =>
    row.event.type === 'BidPlaced' && row.event.data.seq === seq
      ? { ...row, event: { ...row.event, data: { ...row.event.data, ...changes } } }
      : row,
  )
  return { ...given, log }
}

function withEnd(given: History, changes: Partial<Extract<AuctionEvent, { type: 'AuctionEnded' }>['data']>): History {
  const log = given.log.map((row) =>
    row.event.type === 'AuctionEnded'
      ? { ...row, event: { ...row.event, data: { ...row.event.data, ...changes } } }
      : row,
  )
  return { ...given, log }
}

/** Puts an event just before the end. */
function withInserted(given: History, event: AuctionEvent): History {
  const end = given.log.at(-1) as LogRow
  const row = { auctionId: end.auctionId, version: end.version, event }
  return { ...given, log: [...given.log.slice(0, -1), row, { ...end, version: end.version + 1 }] }
}

function withRefusal(given: History, changes: { minimumSen: number | null }): History {
  const operations = given.operations.map((operation) =>
    operation.outcome.kind === 'refused' && operation.outcome.code === 'bid-too-low'
      ? { ...operation, outcome: { ...operation.outcome, ...changes } }
      : operation,
  )
  return { ...given, operations }
}

/** Exchanges the bids of two seqs; their numbers stay in order. */
function swapped(log: readonly LogRow[], oneSeq: number, otherSeq: number): LogRow[] {
  const data = (seq: number) => bidOf({ operations: [], sightings: [], log }, seq)
  const [one, other] = [data(oneSeq), data(otherSeq)]
  return log.map((row) => {
    if (row.event.type !== 'BidPlaced') return row
    const { seq } = row.event.data
    if (seq === oneSeq) return { ...row, event: { ...row.event, data: { ...other, seq } } }
    if (seq === otherSeq) return { ...row, event: { ...row.event, data: { ...one, seq } } }
    return row
  })
}

/** Exchanges two rows; the versions stay in order. */
function swappedRows(log: readonly LogRow[], one: number, other: number): LogRow[] {
  const rows = [...log]
  const [first, second] = [log[one] as LogRow, log[other] as LogRow]
  rows[one] = { ...second, version: first.version }
  rows[other] = { ...first, version: second.version }
  return rows
}
