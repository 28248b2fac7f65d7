import type { DealTerms } from '@wangian/contracts/catalogue.ts'
import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import type { OrderStatus } from '@wangian/contracts/messaging.ts'
import { fold } from '@wangian/kit/log/decider.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agreeOn, type Deal, type DealCommand, dealDecider, steps } from './domain.ts'

const [ADMIN, SELLER, BUYER, STRANGER] = [1, 2, 5, 6]
const at = '2026-11-22T08:00:00.000Z'
const facts = {
  transactionId: 1,
  productId: 11,
  productName: 'Santal 33',
  sellerId: SELLER,
  buyerId: BUYER,
  amountSen: 68_050,
  auctionId: null,
}

const start: DealCommand = { type: 'StartDeal', facts, at }
const confirm = (step: 'purchase' | 'payment' | 'delivery', actorId = step === 'payment' ? SELLER : BUYER) =>
  ({ type: 'ConfirmStep', step, actorId, at }) as const
const cancel = (actorId: number): DealCommand => ({ type: 'CancelDeal', actorId, at })
const move = (status: OrderStatus): DealCommand => ({
  type: 'MoveOrder',
  status,
  actorId: ADMIN,
  reason: 'Agreed.',
  at,
})
const review = (actorId = BUYER): DealCommand => ({ type: 'SubmitReview', actorId, rating: 4.5, comment: null, at })
const remind = (reminder: number): DealCommand => ({ type: 'RemindDeal', step: 'purchase', reminder, at })
const whole = [start, confirm('purchase'), confirm('payment'), confirm('delivery'), review()]

/** What these commands lead to, refusals included. */
function run(commands: readonly DealCommand[]): { deal: Deal; events: MessagingEvent[]; refusals: string[] } {
  const events: MessagingEvent[] = []
  const refusals: string[] = []
  for (const command of commands) {
    try {
      events.push(...dealDecider.decide(command, fold(dealDecider, events)))
    } catch (error) {
      refusals.push((error as { code: string }).code)
    }
  }
  return { deal: fold(dealDecider, events), events, refusals }
}

describe('a deal', () => {
  it('goes from its start to its review, with an order beside it', () => {
    const { events, refusals, deal } = run(whole)
    expect(refusals).toEqual([])
    expect(events.map(({ type, data }) => ('status' in data ? `${type} ${data.status}` : type))).toEqual([
      'TransactionStarted',
      'TransactionStepConfirmed',
      'OrderPlaced',
      'TransactionStepConfirmed',
      'OrderStatusChanged processing',
      'TransactionStepConfirmed',
      'OrderStatusChanged delivered',
      'ReviewSubmitted',
    ])
    expect(deal).toEqual({ stage: 'completed', facts, orderStatus: 'delivered', reminders: 0 })
  })

  it.each(steps)('takes no step of somebody else: %s', (step) => {
    const before = whole.slice(0, steps.indexOf(step) + 1)
    const by = (actorId: number) => (step === 'review' ? review(actorId) : confirm(step, actorId))
    const others = [SELLER, BUYER, STRANGER].filter((id) => id !== (step === 'payment' ? SELLER : BUYER))
    expect(run([...before, ...others.map(by)]).refusals).toEqual(others.map(() => 'action-not-allowed'))
  })

  it('takes no step before its turn', () => {
    expect(run([start, confirm('payment'), confirm('delivery'), review()]).refusals).toEqual([
      'deal-out-of-order',
      'deal-out-of-order',
      'deal-out-of-order',
    ])
  })

  it.each([
    [1, SELLER, ['TransactionCancelled']],
    [1, BUYER, ['TransactionCancelled']],
    [2, SELLER, ['TransactionCancelled', 'OrderStatusChanged']],
    [2, BUYER, ['TransactionCancelled', 'OrderStatusChanged']],
  ])('is called off after %i steps by %i', (count, actorId, types) => {
    const before = whole.slice(0, count)
    const { events } = run([...before, cancel(actorId), cancel(SELLER), cancel(BUYER)])
    const ended = events.slice(run(before).events.length)
    expect(ended.map(({ type }) => type)).toEqual(types)
    // A lot that was won stays with the buyer when it was the seller.
    expect(ended[0]).toMatchObject({ data: { by: actorId === SELLER ? 'seller' : 'buyer' } })
    const next = whole[count] ?? start
    expect(run([...before, cancel(actorId), next]).refusals).toEqual(['deal-cancelled'])
  })

  it.each([3, 4, 5])('is not called off after %i steps', (count) => {
    expect(run([...whole.slice(0, count), cancel(SELLER), cancel(BUYER)]).refusals).toEqual(['deal-paid', 'deal-paid'])
  })

  it.each([
    [2, 'processing', ['TransactionStepConfirmed', 'OrderStatusChanged'], 'delivery'],
    [2, 'cancelled', ['TransactionCancelled', 'OrderStatusChanged'], 'cancelled'],
    [3, 'shipped', ['OrderStatusChanged'], 'delivery'],
    [3, 'cancelled', ['TransactionCancelled', 'OrderStatusChanged'], 'cancelled'],
  ] as const)('after %i steps is moved to %s by an administrator, once', (count, status, types, stage) => {
    const before = whole.slice(0, count)
    const from = count === 2 ? 'pending' : 'processing'
    const { events, refusals, deal } = run([...before, move(status), move(status)])
    const moved = events.slice(run(before).events.length)
    expect(moved.map(({ type }) => type)).toEqual(types)
    expect(moved.at(-1)).toMatchObject({ data: { status, admin: { id: ADMIN, from, reason: 'Agreed.' } } })
    expect(deal).toMatchObject({ stage, orderStatus: status })
    expect(refusals).toEqual(['order-move'])
  })

  it('is moved on from shipped to delivered only, by whoever comes first', () => {
    const shipped = [...whole.slice(0, 3), move('shipped')]
    expect(run([...shipped, move('cancelled'), move('processing'), move('pending')]).refusals).toHaveLength(3)
    for (const last of [move('delivered'), confirm('delivery')])
      expect(run([...shipped, last, review()]).deal).toMatchObject({ stage: 'completed', orderStatus: 'delivered' })
    expect(run([...shipped, confirm('delivery'), move('delivered')]).refusals).toEqual(['order-move'])
  })

  it('says where it is when it cannot be moved', () => {
    const { events } = run([...whole.slice(0, 2), cancel(SELLER)])
    expect(() => dealDecider.decide(move('processing'), fold(dealDecider, events))).toThrow(
      'Cannot move from cancelled to processing',
    )
  })

  it('has no order to be moved before its purchase is confirmed', () => {
    expect(run([start, move('cancelled')]).refusals).toEqual(['order-not-found'])
  })

  it('is of two people', () => {
    expect(run([start, cancel(STRANGER)]).refusals).toEqual(['transaction-not-found'])
    expect(run([cancel(BUYER)]).refusals).toEqual(['transaction-not-found'])
  })

  it('is reminded of once for each time, and anew at the next step', () => {
    const sent = (reminders: readonly DealCommand[]) => {
      const { events } = run([start, ...reminders, confirm('purchase'), remind(3)])
      return events.flatMap(({ type, data }) => (type === 'TransactionReminded' ? [data.reminder] : []))
    }
    expect(sent([remind(1), remind(1), remind(2), remind(1), remind(2)])).toEqual([1, 2])
    // Nobody was there when the first one was due.
    expect(sent([remind(2), remind(1), remind(2)])).toEqual([2])
    expect(run([start, remind(1), confirm('purchase')]).deal).toMatchObject({ reminders: 0 })
  })

  it('says everything once, whatever is tried in whatever order', () => {
    const commands = fc.constantFrom<DealCommand>(
      ...whole,
      cancel(SELLER),
      cancel(BUYER),
      cancel(STRANGER),
      confirm('purchase', SELLER),
      review(SELLER),
      remind(1),
      move('processing'),
      move('shipped'),
      move('delivered'),
      move('cancelled'),
      remind(2),
      { type: 'EndWithListing', by: 'removal', at },
    )
    fc.assert(
      fc.property(fc.array(commands, { maxLength: 30 }), (tried) => {
        const { events } = run([start, ...tried])
        const said = events.map(({ type, data }) =>
          'step' in data
            ? `${type} ${data.step} ${'reminder' in data ? data.reminder : ''}`
            : 'status' in data
              ? data.status
              : type,
        )
        expect(new Set(said).size).toBe(said.length)
        const isOver = (type: string) => type === 'TransactionCancelled' || type === 'ReviewSubmitted'
        expect(events.filter(({ type }) => isOver(type)).length).toBeLessThanOrEqual(1)
        const paid = said.findIndex((each) => each.startsWith('TransactionStepConfirmed payment'))
        const cancels = events.flatMap(({ type, data }) => (type === 'TransactionCancelled' ? [data.by] : []))
        // What is paid is called off by administrators only.
        if (paid >= 0) expect(cancels.filter((by) => by !== 'admin')).toEqual([])
      }),
    )
  })
})

describe('what may be sold to whom', () => {
  const terms: DealTerms = {
    productId: 11,
    sellerId: SELLER,
    name: 'Santal 33',
    imageUrl: null,
    listingType: 'fixed',
    priceSen: 68_050,
    available: 1,
    lot: null,
    auction: null,
  }
  const asked = { sellerId: SELLER, buyerId: BUYER, amountSen: null }
  const lot = { auctionId: 31, winnerId: BUYER, amountSen: 70_000 }
  const negotiable = { listingType: 'negotiable' } as const
  const auction = { listingType: 'auction', auction: { hasBids: false, buyNowSen: 90_000 } } as const

  it.each<readonly [string, Partial<DealTerms>, number | null, { amountSen: number; auctionId: number | null }]>([
    ['what is listed', {}, null, { amountSen: 68_050, auctionId: null }],
    ['what is listed, said again', {}, 68_050, { amountSen: 68_050, auctionId: null }],
    ['what was agreed on', negotiable, 60_000, { amountSen: 60_000, auctionId: null }],
    ['what is listed where nothing was agreed on', negotiable, null, { amountSen: 68_050, auctionId: null }],
    ['what was won', { lot, available: 0 }, null, { amountSen: 70_000, auctionId: 31 }],
    ['what was not sold in its auction', { listingType: 'auction' }, 50_000, { amountSen: 50_000, auctionId: null }],
    ['what may be bought at once', auction, null, { amountSen: 90_000, auctionId: null }],
  ])('%s', (_what, change, amountSen, expected) => {
    expect(agreeOn({ ...terms, ...change }, { ...asked, amountSen })).toEqual(expected)
  })

  it.each<readonly [string, Partial<DealTerms> | null, { readonly amountSen?: number }]>([
    ['product-not-found', null, {}],
    ['action-not-allowed', { sellerId: STRANGER }, {}],
    ['product-reserved', { lot: { ...lot, winnerId: STRANGER } }, {}],
    ['bad-request', { lot }, { amountSen: 1 }],
    ['bad-request', {}, { amountSen: 1 }],
    ['product-sold', { available: 0 }, {}],
    ['auction-has-bids', { auction: { hasBids: true, buyNowSen: 90_000 } }, {}],
    ['bad-request', { auction: { hasBids: false, buyNowSen: null } }, {}],
    ['bad-request', auction, { amountSen: 1 }],
  ])('is refused: %s', (code, change, fields) => {
    const given = change && { ...terms, ...change }
    expect(() => agreeOn(given, { ...asked, ...fields })).toThrow(expect.objectContaining({ code }))
  })
})
