import { OwnerAnswer } from '@wangian/contracts/auction-wire.ts'
import { auctionBidsSubject, auctionCommandSubject, auctionPartition } from '@wangian/contracts/subjects.ts'
import { isNoResponders } from '@wangian/kit/bus/nats.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendCommand } from '../api/send-command.ts'
import { type AuctionProcess, type RunningOwner, startAuctionProcess } from '../testing/auction-process.ts'
import { bidIdOf, seller, termsOf } from '../testing/fixtures.ts'

let service: AuctionProcess
let owner: RunningOwner
const startsAt = new Date(Date.now() - 1000).toISOString()
const endsAt = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString()

beforeAll(async () => {
  service = await startAuctionProcess()
  owner = await service.startOwner()
})
afterAll(() => service.stop())

async function open(auctionId: number): Promise<void> {
  const terms = termsOf({ auctionId, productId: auctionId, startsAt, endsAt })
  await sendCommand(service.nats, { kind: 'open', terms, actorId: seller, requestId: 'test' })
}

async function ask(auctionId: number, payload: string, subjectOf = auctionCommandSubject): Promise<unknown> {
  const message = await service.nats.request(subjectOf(auctionPartition(auctionId)), payload, { timeout: 30_000 })
  return message.json()
}

describe('a message of bids', () => {
  it('gets a verdict for each, in whatever parts', async () => {
    await open(5)
    await open(69)
    expect(
      await service.bid(
        [5, 21, 20_500, bidIdOf(1), 'amira'],
        [5, 22, 20_600, null, 'farid'],
        [69, 21, 20_500, bidIdOf(1), 'amira'],
        [5, 22, 21_000, null, 'farid'],
        [5, seller, 30_000, null, 'sarah'],
        [5, 21, -1, null, 'amira'],
        [133, 21, 20_500, null, 'amira'],
        [5, 21, 99_000, bidIdOf(1), 'amira'],
      ),
    ).toEqual([
      [0, 0, 1],
      [1, 'bid-too-low', 21_000],
      [2, 0, 1],
      [3, 0, 2],
      [4, 'own-listing', 0],
      [5, 'invalid-amount', 0],
      [6, 'auction-not-found', 0],
      [7, 0, 1, 20_500],
    ])
  })

  it.each([
    ['nothing', '[]'],
    ['no bid', '[1]'],
    ['a bid of more than any amount', '[[5,21,1000000000,null,"amira"]]'],
    ['a bid of nobody', '[[5,0,20500,null,"amira"]]'],
    ['a bid without an amount', '[[5,21,null,null,"amira"]]'],
    ['half a message', '[[5,21'],
    ['too many bids', JSON.stringify(Array.from({ length: 4097 }, () => [5, 21, 1, null, 'amira']))],
  ])('is refused as a whole when it is %s', async (_, payload) => {
    expect(OwnerAnswer.parse(await ask(5, payload))).toEqual({ ok: false, code: 'bad-request' })
  })
})

describe('a message with another command', () => {
  it('is refused when it is none', async () => {
    for (const payload of ['{}', '{', '', '{"kind":"open"}', '{"kind":"close","auctionId":5}']) {
      expect(OwnerAnswer.parse(await ask(5, payload))).toEqual({ ok: false, code: 'bad-request' })
    }
  })

  it.each([
    { startsAt: '0000-01-01T00:00:00Z' },
    { startsAt: '0001-01-01T00:00:00+23:59' },
    { startsAt: '1969-12-31T23:59:59Z' },
    { endsAt: '9999-12-31T23:59:59-23:59' },
    { startsAt: `2026-01-01T00:00:00.${'0'.repeat(100)}Z` },
    { startingPriceSen: 1e9 },
    { productId: 2 ** 53 },
  ])('is refused when it says what cannot be stored: %o', async (fault) => {
    const terms = { ...termsOf({ auctionId: 6, productId: 6 }), ...fault }
    const command = { kind: 'open', terms, actorId: seller, requestId: 'test' }
    expect(OwnerAnswer.parse(await ask(6, JSON.stringify(command)))).toEqual({ ok: false, code: 'bad-request' })
  })

  it('is refused where gateways send bids', async () => {
    await open(10)
    const payload = JSON.stringify({
      kind: 'cancel',
      auctionId: 10,
      reason: '',
      actorId: seller,
      requestId: 'x',
    })
    expect(OwnerAnswer.parse(await ask(10, payload, auctionBidsSubject))).toEqual({ ok: false, code: 'bad-request' })
    expect(await service.bid([10, 21, 20_500, null, 'amira'])).toEqual([[0, 0, 1]])
  })

  it('is answered with the reason of a refusal', async () => {
    const terms = termsOf({ auctionId: 6, productId: 6, startsAt, endsAt: startsAt })
    const command = { kind: 'open', terms, actorId: seller, requestId: 'test' }
    expect(await ask(6, JSON.stringify(command))).toEqual({
      ok: false,
      code: 'bad-request',
      message: 'End date must be in the future',
    })
  })
})

describe('a partition', () => {
  it('is listened to by its owner alone, and by nobody when he has left', async () => {
    await open(7)
    const other = await service.startOwner('auction-2')
    await eventually(() => {
      expect(owner.owner.epochs.size).toBe(32)
      expect(other.owner.epochs.size).toBe(32)
    })
    // Whoever owns it answers, and once. A partition is held a moment before its owner listens; senders wait for that, too.
    const bid = (amountSen: number) => eventually(() => service.bid([7, 21, amountSen, null, 'amira']))
    expect(await bid(20_500)).toEqual([[0, 0, 1]])
    await other.stop()
    await eventually(() => expect(owner.owner.epochs.size).toBe(64))
    expect(await bid(21_000)).toEqual([[0, 0, 2]])
    await owner.stop()
    await expect(ask(7, '[]')).rejects.toSatisfy(isNoResponders)
    owner = await service.startOwner()
    expect(await bid(21_500)).toEqual([[0, 0, 3]])
  })
})

describe('a command to an auction', () => {
  it('says in the log who gave it', async () => {
    await open(8)
    await sendCommand(service.nats, {
      kind: 'cancel',
      auctionId: 8,
      reason: 'Broken',
      actorId: seller,
      by: 'seller',
      requestId: 'test',
    })
    const actors = await service.database.pool.any(
      sql.unsafe`select type, metadata from events where stream = 'auction-8' order by version`,
    )
    expect(actors).toEqual([
      { type: 'AuctionOpened', metadata: { actorId: seller } },
      { type: 'AuctionCancelled', metadata: { actorId: seller } },
    ])
  })
})
