import type { BoostOrderEvent } from '@wangian/contracts/events/boost.ts'
import { given } from '@wangian/kit/testing/decider-spec.ts'
import { describe, expect, it } from 'vitest'
import { type OrderCommand, type OrderFacts, orderDecider, sharesOf } from './domain.ts'

const at = '2026-11-22T08:00:00.000Z'
const later = '2026-11-22T09:00:00.000Z'
const expiresAt = '2026-11-23T08:00:00.000Z'
const caseExpiresAt = '2026-12-22T08:00:00.000Z'
const orderId = '0193a000-0000-4000-8000-0000000000b1'
const facts: OrderFacts = {
  orderId,
  paymentId: 12,
  userId: 7,
  packageId: 2,
  packageName: 'Standard Boost for 3',
  packageType: 'standard',
  durationHours: 168,
  amountSen: 2700,
  products: [101, 102, 103].map((productId) => ({ productId, name: `Perfume ${productId}`, amountSen: 900 })),
}
const bill = { billId: '8X0Iyzaw', url: 'https://www.billplz.com/bills/8X0Iyzaw' }

const placed: BoostOrderEvent = {
  type: 'BoostOrderPlaced',
  data: { ...facts, requestKey: null, placedAt: at, expiresAt },
}
const billed: BoostOrderEvent = { type: 'BoostBillMade', data: { orderId, ...bill, madeAt: at } }
const cancelled: BoostOrderEvent = { type: 'BoostOrderCancelled', data: { ...facts, cancelledAt: at } }
const failed = (reason: 'declined' | 'unpaid' | 'no-bill', failedAt = at): BoostOrderEvent => ({
  type: 'BoostOrderFailed',
  data: { ...facts, reason, failedAt },
})
const settled: BoostOrderEvent = {
  type: 'BoostOrderSettled',
  data: { ...facts, billId: bill.billId, transactionId: 'T1', paidAt: at, settledAt: later },
}
const ofOrder = { orderId, userId: 7, packageId: 2 }
const ofCase = { caseId: 3, ...ofOrder, durationHours: 168 }
const boosted = (productId: number, caseId: number | null = null): BoostOrderEvent => ({
  type: 'ProductBoosted',
  data: { ...ofOrder, caseId, productId, boostedUntil: expiresAt, boostedAt: later },
})
const opened: BoostOrderEvent = {
  type: 'BoostCaseOpened',
  data: {
    ...ofCase,
    productId: 102,
    productName: 'Perfume 102',
    amountSen: 900,
    reason: 'product-not-found',
    openedAt: later,
    expiresAt: caseExpiresAt,
  },
}
const chosen: BoostOrderEvent = { type: 'BoostCaseProductChosen', data: { ...ofCase, productId: 104, chosenAt: later } }

const settle = (change: Partial<Extract<OrderCommand, { type: 'SettleOrder' }>> = {}): OrderCommand => ({
  ...{ type: 'SettleOrder', billId: bill.billId, paidSen: 2700, transactionId: 'T1', paidAt: at, at: later },
  ...change,
})
const choose = (change: Partial<Extract<OrderCommand, { type: 'ChooseProduct' }>> = {}): OrderCommand => ({
  ...{ type: 'ChooseProduct', actorId: 7, caseId: 3, productId: 104, at: later },
  ...change,
})
const order = (...events: BoostOrderEvent[]) => given(orderDecider, events)

describe('an order', () => {
  it('is placed once', () => {
    const place = { type: 'PlaceOrder', facts, requestKey: null, at, expiresAt } as const
    order().when(place).then([placed])
    order(placed).when(place).thenNothing()
    expect(() => orderDecider.decide({ ...place, facts: { ...facts, amountSen: 1 } }, { status: 'absent' })).toThrow()
  })

  it('has one bill, also one that comes too late', () => {
    const record = { type: 'RecordBill', bill, at } as const
    order(placed).when(record).then([billed])
    order(placed, cancelled).when(record).then([billed])
    order(placed, billed)
      .when({ ...record, bill: { ...bill, billId: 'another' } })
      .thenNothing()
    order().when(record).thenRejects('order-not-found')
  })

  it('is given up by its seller, until it is paid', () => {
    const cancel = { type: 'CancelOrder', actorId: 7, at } as const
    order(placed).when(cancel).then([cancelled])
    order(placed, cancelled).when(cancel).thenNothing()
    order(placed, failed('declined')).when(cancel).thenNothing()
    order(placed, billed, settled).when(cancel).thenRejects('boost-paid')
    order(placed)
      .when({ ...cancel, actorId: 8 })
      .thenRejects('order-not-found')
    order().when(cancel).thenRejects('order-not-found')
  })

  it('ends when nobody has paid in time', () => {
    order(placed).when({ type: 'ExpireOrder', at: later }).thenNothing()
    order(placed)
      .when({ type: 'ExpireOrder', at: expiresAt })
      .then([failed('unpaid', expiresAt)])
    order(placed, billed, settled).when({ type: 'ExpireOrder', at: expiresAt }).thenNothing()
  })

  it('ends when there is no bill, and not when there is one', () => {
    order(placed)
      .when({ type: 'AbandonOrder', at })
      .then([failed('no-bill')])
    order(placed, billed).when({ type: 'AbandonOrder', at }).thenNothing()
  })
})

describe('a payment', () => {
  it('settles the order once', () => {
    order(placed, billed).when(settle()).then([settled])
    order(placed, billed, settled).when(settle()).thenNothing()
    order(placed, billed, settled)
      .when(settle({ transactionId: 'T2' }))
      .thenNothing()
  })

  it.each([
    ['given up', cancelled],
    ['failed', failed('declined')],
    ['not paid in time', failed('unpaid')],
  ])('settles one that was %s', (_, end) => {
    order(placed, billed, end).when(settle()).then([settled])
  })

  it('of another amount or bill settles nothing', () => {
    for (const paidSen of [0, 2699, 2701])
      order(placed, billed).when(settle({ paidSen })).thenRejects('payment-mismatch')
    order(placed, billed)
      .when(settle({ billId: 'another' }))
      .thenRejects('payment-mismatch')
    order(placed).when(settle()).thenRejects('payment-mismatch')
    order(placed, billed, settled)
      .when(settle({ paidSen: 1 }))
      .thenRejects('payment-mismatch')
  })

  it('that failed ends what waits for it, and takes nothing back', () => {
    order(placed, billed)
      .when({ type: 'DeclineOrder', at })
      .then([failed('declined')])
    for (const end of [settled, cancelled, failed('unpaid')])
      order(placed, billed, end).when({ type: 'DeclineOrder', at }).thenNothing()
  })

  it('was made in some way, which is noted once', () => {
    const found: BoostOrderEvent = { type: 'BoostPaymentChannelFound', data: { orderId, channel: 'FPX', foundAt: at } }
    order(placed, billed, settled).when({ type: 'RecordChannel', channel: 'FPX', at }).then([found])
    order(placed, billed, settled, found).when({ type: 'RecordChannel', channel: 'X', at }).thenNothing()
  })
})

describe('the products of a settled order', () => {
  const record = {
    type: 'RecordOutcomes',
    at: later,
    caseExpiresAt,
    outcomes: [
      { productId: 101, outcome: { boostedUntil: expiresAt }, caseId: 0 },
      { productId: 102, outcome: { reason: 'product-not-found' }, caseId: 3 },
      { productId: 103, outcome: { boostedUntil: expiresAt }, caseId: 0 },
    ],
  } as const

  it('are boosted or have a case, once each', () => {
    order(placed, billed, settled)
      .when(record)
      .then([boosted(101), opened, boosted(103)])
    order(placed, billed, settled, boosted(101), opened)
      .when(record)
      .then([boosted(103)])
    order(placed, billed, settled, boosted(101), opened, boosted(103)).when(record).thenNothing()
  })
})

describe('a case', () => {
  const before = [placed, billed, settled, boosted(101), opened, boosted(103)]

  it('is for another product of the seller, for a month', () => {
    order(...before)
      .when(choose())
      .then([chosen])
    order(...before, chosen)
      .when(choose())
      .thenNothing()
    order(...before, chosen)
      .when(choose({ productId: 105 }))
      .thenRejects('case-closed')
    order(...before)
      .when(choose({ actorId: 8 }))
      .thenRejects('case-not-found')
    order(...before)
      .when(choose({ caseId: 4 }))
      .thenRejects('case-not-found')
    order(...before)
      .when(choose({ at: caseExpiresAt }))
      .thenRejects('case-closed')
  })

  it('ends when that is boosted, and opens again when it cannot be', () => {
    const recorded = { type: 'RecordChoice', caseId: 3, productId: 104, at: later } as const
    const boost = { ...recorded, outcome: { boostedUntil: expiresAt } }
    const refuse = { ...recorded, outcome: { reason: 'conflict' } }
    const reopened: BoostOrderEvent = {
      type: 'BoostCaseReopened',
      data: { ...ofCase, productId: 104, reason: 'conflict', reopenedAt: later },
    }
    order(...before, chosen)
      .when(boost)
      .then([boosted(104, 3)])
    order(...before, chosen, boosted(104, 3))
      .when(boost)
      .thenNothing()
    order(...before, chosen, boosted(104, 3))
      .when(choose({ productId: 105 }))
      .thenRejects('case-closed')
    order(...before, chosen)
      .when(refuse)
      .then([reopened])
    order(...before, chosen, reopened)
      .when(refuse)
      .thenNothing()
    order(...before, chosen, reopened)
      .when(choose())
      .then([chosen])
    // What became of the one before says nothing of the next one.
    order(...before, chosen, reopened, { ...chosen, data: { ...chosen.data, productId: 105 } })
      .when(boost)
      .thenNothing()
  })
})

describe('a case that was paid back', () => {
  const refund = { type: 'RefundCase', caseId: 3, note: 'Bank transfer 42', at: later } as const
  const of102 = { ...ofCase, productId: 102, productName: 'Perfume 102', amountSen: 900 }
  const refunded: BoostOrderEvent = {
    type: 'BoostCaseRefunded',
    data: { ...of102, note: 'Bank transfer 42', refundedAt: later },
  }

  it('is noted once, and no other note is taken for it', () => {
    order(placed, billed, settled, opened).when(refund).then([refunded])
    order(placed, billed, settled, opened, refunded).when(refund).thenNothing()
    order(placed, billed, settled, opened, refunded)
      .when({ ...refund, note: 'Bank transfer 43' })
      .thenRejects('case-refunded')
  })
})

describe('the shares of an amount', () => {
  it('are even, with the rest on the first ones', () => {
    expect(sharesOf(1000, 3)).toEqual([334, 333, 333])
    expect(sharesOf(1001, 3)).toEqual([334, 334, 333])
    expect(sharesOf(2700, 3)).toEqual([900, 900, 900])
  })
})
