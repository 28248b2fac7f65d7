import { auctionRequests } from '@wangian/contracts/auction.ts'
import type { AuctionOutcome } from '@wangian/contracts/catalogue.ts'
import type { BoostEvent } from '@wangian/contracts/events/boost.ts'
import type { CatalogueEvent } from '@wangian/contracts/events/catalogue.ts'
import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { type EventConsumer, startConsumer } from '@wangian/kit/log/consumer.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { startTestLog, type TestLog } from '@wangian/kit/testing/test-log.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { setBanned } from './accounts/moderation.ts'
import { closeAccount } from './leaving/closing.ts'
import { saveNotificationSettings } from './mails/notification-store.ts'
import { boostReactions, catalogueReactions, messagingReactions } from './reactions.ts'
import { createTestIdentity, PUBLIC_URL, type TestIdentity } from './testing/test-identity.ts'
import { createUser, type TestUser } from './testing/test-people.ts'

const at = '2026-11-21T08:00:00.000Z'
const productId = 9
const name = 'Santal 33 & <Friends>'

let nats: TestNats
let identity: TestIdentity
let sources: Record<'catalogue' | 'messaging' | 'boost', { readonly log: TestLog; readonly consumer: EventConsumer }>
let seller: TestUser
let buyer: TestUser
let count = 0

beforeAll(async () => {
  nats = await startTestNats()
  identity = await createTestIdentity()
  const mine = { service: 'identity', nats: nats.connection, pool: identity.database.pool, name: 'notices' } as const
  const site = { publicUrl: PUBLIC_URL }
  sources = {
    catalogue: {
      log: await startTestLog({ service: 'catalogue', nats: nats.connection }),
      consumer: startConsumer({
        ...mine,
        source: 'catalogue',
        handlers: catalogueReactions({ ...site, nats: nats.connection }),
      }),
    },
    messaging: {
      log: await startTestLog({ service: 'messaging', nats: nats.connection }),
      consumer: startConsumer({ ...mine, source: 'messaging', handlers: messagingReactions(site) }),
    },
    boost: {
      log: await startTestLog({ service: 'boost', nats: nats.connection }),
      consumer: startConsumer({ ...mine, source: 'boost', handlers: boostReactions(site) }),
    },
  }
})
afterAll(async () => {
  for (const { log, consumer } of Object.values(sources)) {
    await consumer.stop()
    await log.stop()
  }
  await identity.stop()
  await nats.stop()
})
beforeEach(async () => {
  count += 1
  seller = await createUser(identity, `seller-${count}`)
  buyer = await createUser(identity, `buyer-${count}`)
  await identity.database.pool.query(sql.unsafe`delete from mails`)
})

type Notice = CatalogueEvent | MessagingEvent | BoostEvent

/** Has a service tell of something, and waits until it is dealt with. */
async function tell(source: keyof typeof sources, event: Notice, actorId: number | null = null): Promise<void> {
  const { log, consumer } = sources[source]
  const before = consumer.stats().handledCount
  if (actorId === null) await log.append(`product-${productId}`, event)
  else await log.appendBy(actorId, `product-${productId}`, event)
  await eventually(() => consumer.stats().handledCount > before)
}

const Row = z.object({
  recipient: z.string(),
  kind: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
})
const mails = () =>
  identity.database.pool.any(sql.type(Row)`select recipient, kind, subject, text, html from mails order by queued_at`)
const kinds = async () => (await mails()).map(({ recipient, kind }) => [recipient.split('@')[0], kind])
async function ban({ id, username }: TestUser): Promise<unknown> {
  const admin = await createUser(identity, `admin-of-${username}`, { isAdmin: true })
  const command = { userId: id, isBanned: true, actorId: admin.id, reason: 'fakes', requestId: 'test' }
  return setBanned(identity.database.pool, command, new Date())
}

const nothing = { sales: false, newReviews: false, lowStock: false }
const choose = (wanted: Partial<typeof nothing>, { id } = seller) =>
  saveNotificationSettings(identity.database.pool, id, { sales: true, newReviews: true, lowStock: true, ...wanted }, at)

const listing = () => ({ productId, sellerId: seller.id, name })
const reserved = (transactionId: number | null = null): Notice => ({
  type: 'ListingReserved',
  data: { ...listing(), buyerId: buyer.id, amountSen: 123_450, transactionId, auctionId: 5, reservedAt: at },
})
const returned = (reason: Exclude<AuctionOutcome, 'won'> = 'no-bids'): Notice => ({
  type: 'ListingReturned',
  data: { ...listing(), auctionId: 5, reason, leaderId: buyer.id, returnedAt: at },
})
const stockLow = (stockQuantity = 2): Notice => ({ type: 'StockLow', data: { ...listing(), stockQuantity, at } })
const reviewed = (comment: string | null = 'See https://evil.test'): Notice => ({
  type: 'ReviewSubmitted',
  data: {
    reviewId: 3,
    productId,
    productName: name,
    sellerId: seller.id,
    buyerId: buyer.id,
    rating: 4.5,
    comment,
    submittedAt: at,
  },
})
const removed = (by: 'seller' | 'admin'): Notice => ({
  type: 'ListingRemoved',
  data: { ...listing(), by, reason: by === 'admin' ? 'A copy & a <fake>' : null, removedAt: at },
})
const settings = `${PUBLIC_URL}/seller/dashboard?tab=settings`

describe('a listing that an administrator has taken away', () => {
  const withBidders = async (userIds: number[], event: Notice) => {
    const asked = serveRequests(nats.connection, 'auction', auctionRequests.listBidders, () => ({ userIds }))
    try {
      await tell('catalogue', event)
    } finally {
      await asked.stop()
    }
  }

  it('is told to its seller with the reason, whatever they want to hear, and to all who have bid', async () => {
    await choose({ sales: false })
    const other = await createUser(identity, `other-${count}`)
    await withBidders([buyer.id, other.id, 999_999], removed('admin'))
    expect(await kinds()).toEqual([
      [seller.username, 'listing-removed'],
      [buyer.username, 'auction-removed'],
      [other.username, 'auction-removed'],
    ])
    const [toSeller, toBidder] = await mails()
    expect(toSeller?.subject).toBe(`Your listing ${name} was removed`)
    expect(toSeller?.text).toContain('The reason: A copy & a <fake>')
    expect(toSeller?.html).not.toContain('<fake>')
    expect(toBidder?.text).toContain('You owe nothing')
    expect(toBidder?.text).not.toContain('A copy')
  })

  it('is told to nobody when its seller took it away', async () => {
    await withBidders([buyer.id], removed('seller'))
    expect(await mails()).toEqual([])
  })
})

describe('a report that was decided about', () => {
  const decided = (decision: 'upheld' | 'dismissed'): Notice => ({
    type: 'ReportDecided',
    data: {
      reportId: 3,
      reporterId: buyer.id,
      reportedId: seller.id,
      kind: 'message',
      targetId: 88,
      decision,
      decidedAt: at,
    },
  })

  it.each([
    ['upheld', 'It breaks our rules'],
    ['dismissed', 'nothing that breaks our rules'],
  ] as const)('is told to whoever made it: %s', async (decision, words) => {
    await tell('messaging', decided(decision))
    expect(await kinds()).toEqual([[buyer.username, `report-${decision}`]])
    const [mail] = await mails()
    expect(mail?.text).toContain('the message that you reported')
    expect(mail?.text).toContain(words)
  })

  it('is told to nobody who is banned', async () => {
    await ban(buyer)
    await identity.database.pool.query(sql.unsafe`delete from mails`)
    await tell('messaging', decided('upheld'))
    expect(await mails()).toEqual([])
  })
})

describe('a won auction', () => {
  it('is told to both, once', async () => {
    await tell('catalogue', reserved())
    expect(await kinds()).toEqual([
      [seller.username, 'sale'],
      [buyer.username, 'auction-won'],
    ])
    const [sold, won] = await mails()
    expect(sold?.subject).toBe(`Sold for RM\u00A01,234.50: ${name}`)
    expect(sold?.text).toContain(`${buyer.username} won it with RM\u00A01,234.50`)
    expect(sold?.text).toContain(`${PUBLIC_URL}/messages?with=${buyer.id}&product=${productId}`)
    expect(sold?.text).toContain(settings)
    expect(sold?.html).toContain('Santal 33 &amp; &lt;Friends&gt;')
    expect(sold?.html).toContain(`href="${settings}"`)
    expect(won?.subject).toBe(`You won ${name}`)
    expect(won?.text).toContain(`your bid of RM\u00A01,234.50`)
    expect(won?.text).toContain(`${PUBLIC_URL}/messages?with=${seller.id}&product=${productId}`)
    expect(won?.text).toContain(`${PUBLIC_URL}/account/settings`)
  })

  it('is told once, and not again when a deal is made of it', async () => {
    await tell('catalogue', reserved(61))
    expect(await kinds()).toEqual([])
  })

  it('is told to the winner whatever anybody has chosen', async () => {
    await choose({ sales: false })
    await choose(nothing, buyer)
    await tell('catalogue', reserved())
    expect(await kinds()).toEqual([[buyer.username, 'auction-won']])
  })

  it('is told without the name of somebody who has left', async () => {
    const { account } = buyer
    await closeAccount(identity.database.pool, { account, passwordHash: null, now: new Date(), correlationId: 'test' })
    await identity.database.pool.query(sql.unsafe`delete from mails`)
    await tell('catalogue', reserved())
    const [sold, ...others] = await mails()
    expect(others).toEqual([])
    expect(sold?.text).toContain('a member who has left Wangian since won it')
    expect(sold?.text).not.toContain(buyer.username)
  })
})

describe('an auction that its leader could not win', () => {
  it('is told to both, whatever the leader has chosen, although banned', async () => {
    await choose(nothing, buyer)
    await ban(buyer)
    await tell('catalogue', returned('winner-unavailable'))
    expect(await kinds()).toEqual([
      [seller.username, 'unsold'],
      [buyer.username, 'bid-void'],
    ])
    const [unsold, voided] = await mails()
    expect(unsold?.text).toContain('Whoever made the highest bid is suspended or has left Wangian')
    expect(voided?.subject).toBe(`Your bid on ${name} no longer counts`)
    expect(voided?.text).toContain('You owe nothing for it')
  })

  it('is told to nobody who has left', async () => {
    const { account } = buyer
    await closeAccount(identity.database.pool, { account, passwordHash: null, now: new Date(), correlationId: 'test' })
    await identity.database.pool.query(sql.unsafe`delete from mails`)
    await tell('catalogue', returned('winner-unavailable'))
    expect(await kinds()).toEqual([[seller.username, 'unsold']])
  })

  it('is no news for whoever led one without a winner', async () => {
    await tell('catalogue', returned('reserve-not-met'))
    expect(await kinds()).toEqual([[seller.username, 'unsold']])
  })
})

describe('news for sellers', () => {
  it.each<[string, () => Notice, keyof typeof nothing, string, string, readonly string[]]>([
    [
      'an auction without bids',
      returned,
      'sales',
      'unsold',
      `Not sold: ${name}`,
      ['It got no bids', `/seller/products/${productId}/relist`],
    ],
    [
      'an auction below its reserve',
      () => returned('reserve-not-met'),
      'sales',
      'unsold',
      `Not sold: ${name}`,
      ['below your reserve price'],
    ],
    [
      'few left',
      stockLow,
      'lowStock',
      'low-stock',
      `Only 2 left of ${name}`,
      ['has 2 bottles', `/seller/products/${productId}/edit`],
    ],
    ['one left', () => stockLow(1), 'lowStock', 'low-stock', `Only 1 left of ${name}`, ['has 1 bottle in stock']],
    ['nothing left', () => stockLow(0), 'lowStock', 'low-stock', `${name} is sold out`, ['cannot order it any more']],
    ['a review', reviewed, 'newReviews', 'new-review', 'New review: 4.5 of 5 stars', ['They wrote a few words']],
    [
      'a review without words',
      () => reviewed(' '),
      'newReviews',
      'new-review',
      'New review: 4.5 of 5 stars',
      ['counts towards your average'],
    ],
  ])('%s is mailed once, unless its own setting is off', async (_what, event, topic, kind, subject, words) => {
    const source = event().type === 'ReviewSubmitted' ? 'messaging' : 'catalogue'
    await choose({ ...nothing, [topic]: true })
    await tell(source, event())
    expect(await kinds()).toEqual([[seller.username, kind]])
    const [mail] = await mails()
    expect(mail?.subject).toBe(subject)
    for (const word of [...words, settings]) expect(mail?.text).toContain(word)
    expect(mail?.text).not.toContain('evil.test')

    await identity.database.pool.query(sql.unsafe`delete from mails`)
    await choose({ [topic]: false })
    await tell(source, event())
    expect(await kinds()).toEqual([])
  })

  it('leads from a review to the own profile, with the name of whoever wrote it', async () => {
    await tell('messaging', reviewed())
    const [mail] = await mails()
    expect(mail?.text).toContain(`${buyer.username} reviewed the purchase of ${name}`)
    expect(mail?.text).toContain(`${PUBLIC_URL}/sellers/${seller.id}`)
  })

  it.each<[string, (person: TestUser) => Promise<unknown>]>([
    ['who is banned', ban],
    [
      'who has left',
      async ({ account }) => {
        const closing = { account, passwordHash: null, now: new Date(), correlationId: 'test' }
        return closeAccount(identity.database.pool, closing)
      },
    ],
    [
      'whose address nobody has confirmed',
      ({ id }) =>
        identity.database.pool.query(sql.unsafe`update people set email_confirmed_at = null where user_id = ${id}`),
    ],
  ])('is not for anybody %s', async (_who, change) => {
    await change(seller)
    await change(buyer)
    await identity.database.pool.query(sql.unsafe`delete from mails`)
    for (const event of [reserved(), returned(), stockLow()]) await tell('catalogue', event)
    await tell('messaging', reviewed())
    expect(await kinds()).toEqual([])
  })

  it('is not for somebody of whom nothing is known', async () => {
    await tell('catalogue', { type: 'StockLow', data: { ...listing(), sellerId: 999_999, stockQuantity: 1, at } })
    expect(await kinds()).toEqual([])
  })
})

describe('a deal', () => {
  const deal = () => ({
    transactionId: 4,
    productId,
    productName: name,
    sellerId: seller.id,
    buyerId: buyer.id,
    amountSen: 60_000,
    auctionId: null,
  })
  const confirmed = (step: 'purchase' | 'payment' | 'delivery'): MessagingEvent => ({
    type: 'TransactionStepConfirmed',
    data: { ...deal(), step, confirmedAt: at },
  })
  const reminded = (step: 'purchase' | 'payment' | 'delivery'): MessagingEvent => ({
    type: 'TransactionReminded',
    data: { ...deal(), step, reminder: 1, remindedAt: at },
  })
  const cancelled = (by: 'seller' | 'buyer' | 'admin' | 'removal'): MessagingEvent => ({
    type: 'TransactionCancelled',
    data: { ...deal(), by, after: 'purchase', cancelledAt: at },
  })
  const [toSeller, toBuyer] = [() => seller.email, () => buyer.email]

  it.each<readonly [string, () => MessagingEvent, readonly (() => string)[]]>([
    ['deal-offered', () => ({ type: 'TransactionStarted', data: { ...deal(), startedAt: at } }), [toBuyer]],
    ['deal-purchase-confirmed', () => confirmed('purchase'), [toSeller]],
    ['deal-payment-confirmed', () => confirmed('payment'), [toBuyer]],
    ['deal-delivery-confirmed', () => confirmed('delivery'), [toSeller]],
    ['deal-remind-payment', () => reminded('payment'), [toBuyer]],
    ['deal-remind-delivery', () => reminded('delivery'), [toBuyer]],
    ['deal-cancelled', () => cancelled('seller'), [toBuyer]],
    ['deal-cancelled', () => cancelled('buyer'), [toSeller]],
    ['deal-cancelled', () => cancelled('removal'), [toBuyer, toSeller]],
  ])('is mailed to whoever has to know: %s', async (kind, event, recipients) => {
    await tell('messaging', event())
    const sent = await mails()
    expect(sent.map((mail) => [mail.recipient, mail.kind]).toSorted()).toEqual(
      recipients.map((recipient) => [recipient(), kind]).toSorted(),
    )
    for (const { html, text } of sent) {
      expect(text).toContain(`product=${productId}`)
      expect(html).not.toContain('<Friends>')
    }
  })

  it('says who has confirmed the payment, and tells both of an administrator', async () => {
    await tell('messaging', confirmed('payment'), seller.id)
    expect((await mails()).map(({ recipient, text }) => [recipient, text.includes(seller.username)])).toEqual([
      [buyer.email, true],
    ])
    await identity.database.pool.query(sql.unsafe`delete from mails`)
    await tell('messaging', confirmed('payment'), 999_999)
    const sent = await mails()
    expect(sent.map(({ recipient }) => recipient)).toEqual([buyer.email, seller.email])
    for (const { subject, text } of sent) {
      expect(subject).toBe(`Payment confirmed: ${name}`)
      expect(text).toContain('An administrator has confirmed the payment of RM\u00A0600.00')
      expect(text).not.toContain('has received your payment')
    }
    expect(sent[0]?.text).not.toContain(seller.username)
  })

  it.each([
    ['delivery', () => confirmed('delivery'), 'An administrator has confirmed that Santal 33'],
    ['its end', () => cancelled('admin'), 'An administrator has cancelled the transaction with'],
  ])('tells both of %s by an administrator', async (_what, event, words) => {
    await tell('messaging', event(), 999_999)
    const sent = await mails()
    expect(sent.map(({ recipient }) => recipient).toSorted()).toEqual([buyer.email, seller.email].toSorted())
    for (const { text } of sent) expect(text).toContain(words)
  })

  describe('that the buyer has not taken', () => {
    const after = (minutes: number) => new Date(Date.parse(at) + minutes * 60_000).toISOString()
    const day = 24 * 60
    const offered = (
      transactionId: number,
      minutes: number,
      other: { auctionId?: number; sellerId?: number } = {},
    ) => ({
      type: 'TransactionStarted' as const,
      data: { ...deal(), ...other, transactionId, startedAt: after(minutes) },
    })
    const remindedOf = (transactionId: number, minutes: number): MessagingEvent => ({
      type: 'TransactionReminded',
      data: { ...deal(), transactionId, step: 'purchase', reminder: 1, remindedAt: after(minutes) },
    })
    const withdrawn = (
      transactionId: number,
      minutes: number,
      by: 'seller' | 'removal' = 'seller',
    ): MessagingEvent => ({
      type: 'TransactionCancelled',
      data: { ...deal(), transactionId, by, after: null, cancelledAt: after(minutes) },
    })
    const toldBuyer = async () =>
      (await mails()).filter(({ recipient }) => recipient === buyer.email).map(({ kind }) => kind)

    it('is mailed once, however often a seller offers something and takes it back', async () => {
      for (let number = 1; number <= 5; number += 1) {
        await tell('messaging', offered(number, number))
        await tell('messaging', withdrawn(number, number + 0.5))
      }
      expect(await toldBuyer()).toEqual(['deal-offered'])
    })

    it('is mailed again on the next day, and when it comes twice once', async () => {
      for (const minutes of [0, 0, day - 1, day, day + 1]) await tell('messaging', offered(minutes, minutes))
      expect(await toldBuyer()).toEqual(['deal-offered', 'deal-offered'])
    })

    it('is mailed for each seller', async () => {
      await tell('messaging', offered(1, 0))
      const other = await createUser(identity, `other-seller-${count}`)
      await tell('messaging', offered(2, 1, { sellerId: other.id }))
      expect(await toldBuyer()).toEqual(['deal-offered', 'deal-offered'])
    })

    it('is mailed for five strangers a day, for a won lot, and for whom the buyer knows', async () => {
      await tell('messaging', confirmed('purchase'))
      const offerOf = async (number: number, minutes: number, lot: { auctionId?: number } = {}) => {
        const { id } = await createUser(identity, `stranger-${number}-${count}`)
        await tell('messaging', offered(number, minutes, { sellerId: id, ...lot }))
      }
      for (let number = 1; number <= 6; number += 1) await offerOf(number, number)
      expect(await toldBuyer()).toHaveLength(5)
      await offerOf(7, 7, { auctionId: 5 })
      expect(await toldBuyer()).toHaveLength(6)
      await tell('messaging', offered(8, 8))
      expect(await toldBuyer()).toHaveLength(7)
      await offerOf(9, day + 9)
      expect(await toldBuyer()).toHaveLength(8)
    })

    it.each<readonly [string, number, () => readonly MessagingEvent[], readonly string[]]>([
      [
        'its reminder and its end',
        1,
        () => [remindedOf(1, day), withdrawn(1, day + 1)],
        ['deal-remind-purchase', 'deal-cancelled'],
      ],
      ['that its listing is gone', 1, () => [withdrawn(1, 15, 'removal')], ['deal-cancelled']],
      ['no end within minutes', 1, () => [withdrawn(1, 14)], []],
      [
        'nothing of another one of that day',
        2,
        () => [remindedOf(2, day), withdrawn(2, day + 1), withdrawn(2, day + 1, 'removal')],
        [],
      ],
    ])('is followed by %s', async (_what, latest, events, following) => {
      for (let number = 1; number <= latest; number += 1) await tell('messaging', offered(number, number - 1))
      for (const event of events()) await tell('messaging', event)
      expect(await toldBuyer()).toEqual(['deal-offered', ...following])
    })

    it('has the name of the listing in its subject for buyers who have bought of the seller before, and winners', async () => {
      const subjectOf = async (transactionId: number, minutes: number, lot = {}) => {
        await tell('messaging', offered(transactionId, minutes, lot))
        return (await mails()).at(-1)?.subject
      }
      expect(await subjectOf(1, 0)).toBe('A seller offers you a perfume')
      expect(await subjectOf(2, day, { auctionId: 5 })).toBe(`Please confirm your purchase of ${name}`)
      expect(await subjectOf(3, 2 * day)).toBe('A seller offers you a perfume')
      await tell('messaging', confirmed('purchase'))
      expect(await subjectOf(4, 3 * day)).toBe(`Please confirm your purchase of ${name}`)
    })
  })

  it('is not mailed to a seller who does not want to hear of sales, and always to a buyer', async () => {
    await choose({ sales: false })
    await tell('messaging', confirmed('purchase'))
    expect(await mails()).toEqual([])
    await tell('messaging', confirmed('payment'))
    expect(await kinds()).toHaveLength(1)
  })
})

describe('a payment for a boost', () => {
  const orderId = '0193a000-0000-4000-8000-0000000000b1'
  const facts = () => ({ orderId, userId: seller.id, packageId: 2, durationHours: 168 })
  const settled = (): Notice => ({
    type: 'BoostOrderSettled',
    data: {
      ...facts(),
      ...{ paymentId: 12, packageName: 'Standard Boost', packageType: 'standard', amountSen: 1000 },
      products: [{ productId, name, amountSen: 1000 }],
      ...{ billId: 'b', transactionId: null, paidAt: at, settledAt: at },
    },
  })
  const opened = (): Notice => ({
    type: 'BoostCaseOpened',
    data: {
      ...facts(),
      ...{ caseId: 3, productId, productName: name, amountSen: 1000, reason: 'conflict', openedAt: at, expiresAt: at },
    },
  })

  const refunded = (): Notice => ({
    type: 'BoostCaseRefunded',
    data: {
      ...facts(),
      ...{ caseId: 3, productId, productName: name, amountSen: 1000, note: 'Bank transfer 42', refundedAt: at },
    },
  })

  it.each([
    ['boost-paid', settled],
    ['boost-case', opened],
    ['boost-refund', refunded],
  ])('is mailed to the seller, whatever they want to hear of: %s', async (kind, event) => {
    await choose(nothing)
    await tell('boost', event())
    expect(await kinds()).toEqual([[seller.username, kind]])
    const [mail] = await mails()
    expect(mail?.text).toContain('RM\u00A010.00')
    expect(mail?.html).not.toContain('<Friends>')
  })

  it('is mailed to nobody who is banned', async () => {
    await ban(seller)
    await tell('boost', settled())
    expect((await kinds()).filter(([, kind]) => kind === 'boost-paid')).toEqual([])
  })
})
