import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectNats, type NatsConnection } from '@wangian/kit/bus/nats.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ServiceHandle, type System, startSystem } from '../local/system.ts'
import { type Answer, type Card, type Market, marketAt, type Seat, type Trader } from '../rig/market.ts'
import { type Deaths, type Moment, moments, prepareDeaths } from './deaths.ts'
import { openReadModels, type ReadModels } from './read-models.ts'

const BUYERS = 5

let system: System
let dataDir: string
let deaths: Deaths
let nats: NatsConnection
let market: Market
let models: ReadModels
let admin: Trader
let seller: Trader
let seat: Seat
let buyers: readonly Trader[]
/** What was put on sale, with the number of bottles. */
const shelves = new Map<number, number>()
/** Answers to those who pressed when a process died. */
const pressed: Promise<Answer>[] = []

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-deals-'))
  deaths = prepareDeaths(dataDir)
  const { environment: dying } = deaths
  // Administrators need no second factor where the accounts are those of the demo.
  const identity = { AUTH_MAILER_AUTOCONFIRM: 'true', SEED: 'demo' }
  const environment = { identity, catalogue: dying, messaging: dying }
  system = await startSystem({ dataDir, buildsWeb: false, rateLimitFactor: 1_000_000, environment })
  nats = await connectNats({ url: system.natsUrl, name: 'deals-test' })
  models = await openReadModels(system, nats)
  market = marketAt(system.url)
  admin = await market.signIn('admin@wangian.test', 'demo-admin')
  seller = await market.register('seller')
  buyers = await Promise.all(Array.from({ length: BUYERS }, (_, index) => market.register(`buyer${index}`)))
  seat = await market.sitDown(seller)
})

afterAll(async () => {
  seat?.leave()
  await models?.close()
  await nats?.close()
  await system?.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

type Buyer = { readonly trader: Trader; readonly card: Card }

/** A product with so many bottles, and so many buyers, each with a card that asks whether they buy it. */
async function offer(bottles: number, buyerCount: number): Promise<{ productId: number; waiting: readonly Buyer[] }> {
  const productId = await market.list(seller, { stockQuantity: bottles })
  shelves.set(productId, bottles)
  const waiting: Buyer[] = []
  for (const trader of buyers.slice(0, buyerCount)) {
    waiting.push({ trader, card: await seat.offer(trader.userId, productId) })
  }
  return { productId, waiting }
}

const buy = ({ trader, card }: Buyer) => market.confirm(trader, card)

const move = ({ transactionId }: Card, status: 'processing' | 'shipped' | 'delivered' | 'cancelled') =>
  market.call('PATCH', `/api/admin/orders/${transactionId}/status`, admin.token, { status, reason: 'As they agreed.' })

/** The card that follows a step that was taken. */
function nextCard(answer: Answer): { readonly messageId: number } {
  expect(answer).toMatchObject({ status: 200, body: { success: true } })
  return { messageId: answer.body.next.id }
}

const HolderRow = z.object({ id: z.number(), isSold: z.boolean() })
const ShelfRow = z.object({ left: z.number(), reserved: z.number() })

/** Every bottle is on the shelf, kept or sold; whoever has confirmed has one, whoever has paid has bought it, and nobody else. */
async function expectToAddUp(productId: number): Promise<void> {
  const { catalogue, messaging } = models.pools
  const shelf = await catalogue.one(sql.type(ShelfRow)`
    select stock_quantity as left, reserved_quantity as reserved from products where id = ${productId}`)
  const bottles = await catalogue.any(sql.type(HolderRow)`
    select transaction_id as id, state = 'sold' as "isSold" from bottles where product_id = ${productId} order by 1`)
  const deals = await messaging.any(sql.type(HolderRow)`
    select id, stage <> 'payment' as "isSold" from deals
     where product_id = ${productId} and stage not in ('purchase', 'cancelled') order by 1`)
  expect(bottles).toEqual(deals)
  const sold = bottles.filter(({ isSold }) => isSold).length
  expect(shelf).toEqual({ left: (shelves.get(productId) ?? 0) - sold, reserved: bottles.length - sold })
  expect(shelf.left).toBeGreaterThanOrEqual(shelf.reserved)
}

/** A consumer that asks for a log while its service dies waits 3 s for the answer, 6 s when that happens again, and then tries an event after 5 s at most. */
const HEARD_AGAIN = { timeoutMs: 20_000 } as const

type Mortal = 'catalogue' | 'messaging'

function serviceOf(name: Mortal): ServiceHandle {
  const service = system.services.get(name)
  if (service === undefined) throw new Error(`${name} runs`)
  return service
}

/** Has a service die around the commit of an event, see {@link Deaths}. */
const killAround = (
  { service, ...death }: { service: Mortal; moments: readonly Moment[]; type: string },
  press: () => unknown,
) => deaths.killAround({ service: serviceOf(service), ...death }, press)

/** Keeps an answer for the end. */
function noted(answer: Promise<Answer>): Promise<Answer> {
  pressed.push(answer)
  return answer
}

/** Presses until the services can be asked. */
const untilAnswered = (press: () => Promise<Answer>) =>
  eventually(async () => {
    const answer = await press()
    return answer.status < 500 && answer
  })

describe('buyers who press at once', () => {
  it.each([
    { bottles: 1, buyerCount: 2 },
    { bottles: 1, buyerCount: 2 },
    { bottles: 3, buyerCount: 5 },
    { bottles: 3, buyerCount: 5 },
  ])('have $bottles bottles between $buyerCount of them, and the others are told', async ({ bottles, buyerCount }) => {
    const { productId, waiting } = await offer(bottles, buyerCount)
    const answers = await Promise.all(waiting.map(buy))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(buyerCount - bottles)
    for (const { status, body } of refused) expect([status, body.code]).toEqual([409, 'product-reserved'])
    await expectToAddUp(productId)
    const winners = waiting.filter((_, index) => answers[index]?.status === 200)
    for (const winner of winners)
      expect(await market.confirm(seller, nextCard(await buy(winner)))).toMatchObject({ status: 200 })
    await eventually(() => expectToAddUp(productId))
    const losers = waiting.filter((_, index) => answers[index]?.status !== 200)
    for (const loser of losers) expect((await buy(loser)).body.code).toBe('product-sold')
  })
})

/** Which event of which service each step of a bottle's way appends; what a service hears of from another one it hears again. */
const points = [
  { step: 'purchase', service: 'catalogue', type: 'ListingReserved' },
  { step: 'purchase', service: 'messaging', type: 'TransactionStepConfirmed' },
  { step: 'payment', service: 'messaging', type: 'TransactionStepConfirmed' },
  { step: 'payment', service: 'catalogue', type: 'ListingSold', isHeard: true },
  { step: 'delivery', service: 'messaging', type: 'TransactionStepConfirmed' },
  { step: 'review', service: 'messaging', type: 'ReviewSubmitted' },
  { step: 'cancellation', service: 'messaging', type: 'TransactionCancelled' },
  { step: 'cancellation', service: 'catalogue', type: 'ListingReleased', isHeard: true },
  { step: "payment in an administrator's hands", service: 'messaging', type: 'TransactionStepConfirmed' },
  { step: 'shipment', service: 'messaging', type: 'OrderStatusChanged' },
  { step: "delivery in an administrator's hands", service: 'messaging', type: 'TransactionStepConfirmed' },
  { step: 'cancellation of a paid order', service: 'messaging', type: 'TransactionCancelled' },
  { step: 'cancellation of a paid order', service: 'catalogue', type: 'ListingReleased', isHeard: true },
] as const
type Step = (typeof points)[number]['step']

/** What is said to who presses again. */
function refusalOf(step: Step): string | null {
  // A review may say something else the second time, so it is no repetition; and an administrator is told what has been done.
  if (step === 'review') return 'review-exists'
  const isMove = step === 'shipment' || step === 'cancellation of a paid order' || step.includes('administrator')
  return isMove ? 'order-move' : null
}

/** Carries a deal on up to a step. @returns what takes that step */
async function goUpTo(step: Step, { trader, card }: Buyer): Promise<() => Promise<Answer>> {
  if (step === 'purchase') return () => market.confirm(trader, card)
  const payment = nextCard(await market.confirm(trader, card))
  if (step === 'cancellation') return () => market.callOff(seller, card)
  if (step === 'payment') return () => market.confirm(seller, payment)
  if (step === "payment in an administrator's hands") return () => move(card, 'processing')
  const delivery = nextCard(await market.confirm(seller, payment))
  if (step === 'delivery') return () => market.confirm(trader, delivery)
  if (step === 'shipment') return () => move(card, 'shipped')
  if (step === 'cancellation of a paid order') return () => move(card, 'cancelled')
  if (step === "delivery in an administrator's hands") {
    expect(await move(card, 'shipped')).toMatchObject({ status: 200 })
    return () => move(card, 'delivered')
  }
  const review = nextCard(await market.confirm(trader, delivery))
  return () => market.review(trader, review)
}

/**
 * An auction that somebody wins.
 * @param bidding how the bid is sent that wins it
 */
async function win(winner: Trader, bidding = async (bid: () => void) => bid()) {
  const { productId, auctionId } = await market.openAuction(seller, { endsInMs: 3000 })
  shelves.set(productId, 1)
  const winnersSeat = await market.sitDown(winner)
  await bidding(() => winnersSeat.bid(auctionId, 20))
  const lot = () =>
    models.pools.catalogue.any(sql.type(z.object({ buyerId: z.number() }))`
      select buyer_id as "buyerId" from bottles where product_id = ${productId} and auction_id = ${auctionId}`)
  await eventually(async () => expect(await lot()).toEqual([{ buyerId: winner.userId }]))
  winnersSeat.leave()
  return { productId, auctionId }
}

describe('a process that dies', () => {
  it.each(points)('in a $step, $service before and after it commits $type', async (point) => {
    const { step, service, type } = point
    const { productId, waiting } = await offer(1, 2)
    const [buyer, rival] = waiting as [Buyer, Buyer]
    const press = await goUpTo(step, buyer)
    const rounds: readonly (readonly Moment[])[] = 'isHeard' in point ? [moments] : moments.map((moment) => [moment])
    for (const round of rounds) await killAround({ service, moments: round, type }, () => noted(press()))
    const again = await untilAnswered(press)
    const refusal = refusalOf(step)
    expect(again).toMatchObject(refusal === null ? { status: 200 } : { status: 409, body: { code: refusal } })
    await eventually(() => expectToAddUp(productId), HEARD_AGAIN)
    const answer = await untilAnswered(() => buy(rival))
    if (step.startsWith('cancellation')) expect(answer).toMatchObject({ status: 200 })
    else {
      const code = step === 'purchase' ? 'product-reserved' : 'product-sold'
      expect(answer).toMatchObject({ status: 409, body: { code } })
    }
    await expectToAddUp(productId)
  })

  it('when an auction has ended: the bottle is kept for its winner, who buys it, and for nobody else', async () => {
    const [winner, rival] = buyers as readonly [Trader, Trader]
    const { productId } = await win(winner, (bid) =>
      killAround({ service: 'catalogue', moments, type: 'ListingReserved' }, bid),
    )
    await expect(seat.offer(rival.userId, productId)).rejects.toThrow('product-reserved')
    const lot = { trader: winner, card: await seat.offer(winner.userId, productId) }
    const taken = { service: 'catalogue', moments: ['after'], type: 'ListingReserved' } as const
    await killAround(taken, () => noted(buy(lot)))
    const payment = nextCard(await untilAnswered(() => buy(lot)))
    await expectToAddUp(productId)
    expect(await market.confirm(seller, payment)).toMatchObject({ status: 200 })
    await eventually(() => expectToAddUp(productId))
  })

  it('between the bottle and the purchase, whose buyer never comes back: the bottle is freed, whoever dies then', async () => {
    const { productId, waiting } = await offer(1, 2)
    const [buyer, rival] = waiting as [Buyer, Buyer]
    const died = { service: 'messaging', moments: ['before'], type: 'TransactionStepConfirmed' } as const
    await killAround(died, () => noted(buy(buyer)))
    expect(await untilAnswered(() => buy(rival))).toMatchObject({ status: 409, body: { code: 'product-reserved' } })
    // Some minutes go by. Catalogue looks for such bottles when it starts, too.
    await models.pools.catalogue.query(sql.unsafe`
      update bottles set reserved_at = reserved_at - interval '5 minutes' where product_id = ${productId}`)
    const catalogue = serviceOf('catalogue')
    await catalogue.stop()
    await killAround({ service: 'catalogue', moments: ['before', 'after'], type: 'ListingReleased' }, () => {
      catalogue.start().catch(() => {})
    })
    await eventually(() => expectToAddUp(productId))
    expect(await untilAnswered(() => buy(rival))).toMatchObject({ status: 200 })
    expect(await buy(buyer)).toMatchObject({ status: 409, body: { code: 'product-reserved' } })
    await expectToAddUp(productId)
  })
})

const calledOff = (['won lot', 'buy-now auction'] as const).flatMap((kind) =>
  (['purchase', 'payment'] as const).flatMap((step) =>
    (['seller', 'buyer'] as const).map((side) => ({ kind, step, side })),
  ),
)

describe('a deal that is called off', () => {
  it.each(calledOff)('about a $kind, before its $step is confirmed, by its $side', async ({ kind, step, side }) => {
    const [buyer, rival] = buyers as readonly [Trader, Trader]
    const isWon = kind === 'won lot'
    const { productId, auctionId } = isWon ? await win(buyer) : await market.openAuction(seller, { buyNowPrice: 120 })
    shelves.set(productId, 1)
    const card = await seat.offer(buyer.userId, productId)
    if (step === 'payment') nextCard(await market.confirm(buyer, card))
    for (const _ of ['once', 'twice'])
      expect(await market.callOff(side === 'seller' ? seller : buyer, card)).toMatchObject({ status: 200 })

    if (!isWon && step === 'purchase') {
      // Nothing was bought yet, so the auction goes on.
      expect(await market.succeed('GET', `/api/auctions/${auctionId}`)).toMatchObject({ status: 'active' })
      await expectToAddUp(productId)
      return
    }
    // A seller does not get rid of a winner in this way. Whatever else is called off, anybody may buy.
    const isStillWon = isWon && side === 'seller'
    const next = isStillWon ? buyer : rival
    if (isStillWon) await expect(seat.offer(rival.userId, productId)).rejects.toThrow('product-reserved')
    const again = { trader: next, card: await eventually(() => seat.offer(next.userId, productId)) }
    await eventually(async () => expect(await buy(again)).toMatchObject({ status: 200 }))
    await expectToAddUp(productId)
  })
})

describe('NATS that is away in the middle of a deal', () => {
  it('keeps nobody from confirming a payment, and the bottle is sold when it is back', async () => {
    const [paid, open] = [await offer(1, 1), await offer(1, 1)]
    const [payer, late] = [paid.waiting[0] as Buyer, open.waiting[0] as Buyer]
    const payment = nextCard(await buy(payer))
    await system.nats?.kill()
    await system.nats?.stop()
    const delivery = nextCard(await market.confirm(seller, payment))
    expect(await buy(late)).toMatchObject({ status: 503 })
    await system.nats?.start()
    await eventually(() => expectToAddUp(paid.productId), { timeoutMs: 20_000 })
    expect(await untilAnswered(() => buy(late))).toMatchObject({ status: 200 })
    await expectToAddUp(open.productId)
    const review = nextCard(await market.confirm(payer.trader, delivery))
    expect(await market.review(payer.trader, review)).toMatchObject({ status: 200 })
    await expectToAddUp(paid.productId)
  })
})

describe('after all of this', () => {
  it('every bottle is where its deal says, and every table is what the logs say', async () => {
    for (const { status } of await Promise.all(pressed)) expect([200, 502, 503]).toContain(status)
    await models.untilHeard()
    for (const productId of shelves.keys()) await eventually(() => expectToAddUp(productId))
    expect(await models.rebuildAll()).toEqual([])
  })
})
