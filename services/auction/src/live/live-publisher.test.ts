import { decodeLive } from '@wangian/contracts/auction-wire.ts'
import { auctionLiveSubject } from '@wangian/contracts/subjects.ts'
import { subscribe } from '@wangian/kit/bus/nats.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendCommand } from '../api/send-command.ts'
import { type AuctionProcess, startAuctionProcess } from '../testing/auction-process.ts'
import { seller, termsOf } from '../testing/fixtures.ts'
import { livePublisher } from './live-publisher.ts'

let service: AuctionProcess
beforeAll(async () => {
  service = await startAuctionProcess()
})
afterAll(() => service.stop())

/** The seqs of the messages that somebody who watches gets from now on. */
async function watch(auctionId: number): Promise<{ readonly seqs: number[]; leave(): void }> {
  const seqs: number[] = []
  const { connection } = service.bus
  const subscription = subscribe(connection, auctionLiveSubject(auctionId), (message) => {
    seqs.push(JSON.parse(decodeLive(auctionId, message.string()).frame).seq)
  })
  await connection.flush()
  return { seqs, leave: () => subscription.unsubscribe() }
}

describe('a live message', () => {
  it('is known to be heard by nobody, whichever auction it is of', async () => {
    const unheard: number[] = []
    const { nats } = service
    const publish = livePublisher({ nats, log: silentLogger, onUnheard: (auctionId) => unheard.push(auctionId) })
    const watched = await watch(7)
    for (const auctionId of [6, 7, 8]) publish(auctionId, 's\n"seq":1}')
    await eventually(() => expect(unheard).toEqual([6, 8]))
    expect(watched.seqs).toEqual([1])
    watched.leave()
    await service.bus.connection.flush()
    publish(7, 's\n"seq":2}')
    await eventually(() => expect(unheard).toEqual([6, 8, 7]))
  })

  it('reaches whoever comes to watch an auction that nobody watched', async () => {
    await service.startOwner()
    const startsAt = new Date(Date.now() - 1000).toISOString()
    const endsAt = new Date(Date.now() + 86_400_000).toISOString()
    const terms = termsOf({ auctionId: 5, productId: 5, startsAt, endsAt })
    await sendCommand(service.nats, { kind: 'open', terms, actorId: seller, requestId: 'test' })
    const bid = (amountSen: number) => service.bid([5, 21, amountSen, null, 'amira'])
    // The first is heard by nobody; of the others the owner knows that.
    for (const amountSen of [20_500, 21_000, 21_500]) await bid(amountSen)
    const watched = await watch(5)
    expect(await bid(22_000)).toEqual([[0, 0, 4]])
    await eventually(() => expect(watched.seqs.at(-1)).toBe(4))
    await bid(22_500)
    await eventually(() => expect(watched.seqs.at(-1)).toBe(5))
    watched.leave()
  })
})
