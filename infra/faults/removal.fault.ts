import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type System, startSystem } from '../local/system.ts'
import { type Market, marketAt, type Trader } from '../rig/market.ts'

/** Real processes: what an administrator takes away or moves concerns all of them. */

const REASON = 'The bottle is a copy.'
const PATIENT = { timeoutMs: 30_000 }

let dataDir: string
let system: System
let market: Market
let admin: Trader
let seller: Trader

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-removal-'))
  system = await startSystem({
    dataDir,
    buildsWeb: false,
    auctionInstances: 2,
    rateLimitFactor: 1_000_000,
    // Administrators need no second factor where the accounts are those of the demo.
    environment: { identity: { AUTH_MAILER_AUTOCONFIRM: 'true', SEED: 'demo' } },
  })
  market = marketAt(system.url)
  admin = await market.signIn('admin@wangian.test', 'demo-admin')
  seller = await market.register('remover.seller')
}, 120_000)

afterAll(async () => {
  await system?.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

const remove = (productId: number) =>
  market.call('POST', `/api/admin/products/${productId}/remove`, admin.token, { reason: REASON })
const move = (orderId: number, status: string) =>
  market.call('PATCH', `/api/admin/orders/${orderId}/status`, admin.token, { status, reason: 'Shown the receipt.' })
const conversation = async (reader: Trader, otherId: number) =>
  (await market.succeed('GET', `/api/messages/conversation/${otherId}`, reader.token)) as {
    content: string
    author?: { id: number }
  }[]
const subjects = async ({ username }: Trader) => {
  const mails = await market.succeed('GET', `/dev/inbox/messages?to=${username}@example.com`)
  return mails.map(({ subject }: { subject: string }) => subject) as string[]
}

describe('a listing that an administrator removes', () => {
  it('while it is bid on: the auction is cancelled, and bidders and seller are told', async () => {
    const { productId, auctionId } = await market.openAuction(seller, { name: 'Portrait' })
    const bidders = await Promise.all(['one', 'two'].map((name) => market.register(`remover.${name}`)))
    const seats = await Promise.all(bidders.map((bidder) => market.sitDown(bidder)))
    for (const [index, seat] of seats.entries()) {
      seat.send({ type: 'joinAuction', auctionId })
      seat.bid(auctionId, 20 + index * 10)
      await seat.heard('bidAccepted')
    }
    const answers = await Promise.all([remove(productId), remove(productId)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
    expect((await remove(productId)).status).toBe(404)
    for (const seat of seats) {
      await seat.heard('auctionCancelled')
      seat.leave()
    }
    const auction = await market.succeed('GET', `/api/auctions/${auctionId}`)
    expect(auction).toMatchObject({ status: 'cancelled', currentBidderId: expect.anything() })
    expect((await market.call('GET', `/api/products/${productId}`)).status).toBe(404)
    await eventually(async () => {
      expect((await conversation(seller, admin.userId)).map(({ content }) => content)).toEqual([
        `I have removed your listing Portrait. Reason: ${REASON}`,
      ])
      expect(await subjects(seller)).toContain('Your listing Portrait was removed')
      for (const bidder of bidders) expect(await subjects(bidder)).toContain('The auction of Portrait is void')
    }, PATIENT)
    await eventually(async () => {
      const [entry] = await market.succeed('GET', '/api/admin/activity?action=remove-listing', admin.token)
      expect(entry).toMatchObject({
        actor: { id: admin.userId },
        target: { kind: 'listing', id: String(productId) },
        reason: REASON,
      })
    }, PATIENT)
  })

  it('while it is dealt about: what is not paid is cancelled with a note, what is paid goes on', async () => {
    const productId = await market.list(seller, { stockQuantity: 2 })
    const seat = await market.sitDown(seller)
    const buyers = await Promise.all(['unpaid', 'paid'].map((name) => market.register(`remover.${name}`)))
    const deals = []
    for (const buyer of buyers) {
      const card = await seat.offer(buyer.userId, productId)
      const { body } = await market.confirm(buyer, card)
      deals.push({ buyer, card, next: { messageId: body.next.id as number } })
    }
    const [unpaid, paid] = deals
    if (unpaid === undefined || paid === undefined) throw new Error('two deals')
    expect((await market.confirm(seller, paid.next)).status).toBe(200)
    expect((await remove(productId)).status).toBe(200)
    await eventually(async () => {
      const order = await market.succeed('GET', `/api/orders/${unpaid.card.transactionId}`, unpaid.buyer.token)
      expect(order).toMatchObject({ status: 'cancelled', transactionStatus: 'CANCELLED' })
    }, PATIENT)
    const notes = (await conversation(unpaid.buyer, seller.userId)).filter(({ author }) => author !== undefined)
    expect(notes).toMatchObject([{ author: { id: admin.userId } }])
    const orderId = paid.card.transactionId
    await eventually(async () => expect((await move(orderId, 'shipped')).status).toBe(200), PATIENT)
    expect(await move(orderId, 'shipped')).toMatchObject({
      status: 409,
      body: { message: 'Cannot move from shipped to shipped' },
    })
    const order = await market.succeed('GET', `/api/orders/${orderId}`, paid.buyer.token)
    expect(order).toMatchObject({ status: 'shipped', transactionStatus: 'WAITING_DELIVERY' })
    expect((await move(orderId, 'delivered')).status).toBe(200)
    seat.leave()
  })
})
