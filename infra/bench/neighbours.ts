import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { OwnerCommand } from '@wangian/contracts/auction-wire.ts'
import { auctionCommandSubject, auctionPartition } from '@wangian/contracts/subjects.ts'
import { connectNats } from '@wangian/kit/bus/nats.ts'
import type { BidOperation } from '../faults/history.ts'
import { Recorder } from '../faults/recorder.ts'
import { RecordingBidder } from '../faults/recording-bidder.ts'
import { LeanSocket } from '../load/lean-socket.ts'
import { startAuctionRig } from '../rig/auction-rig.ts'
import { openingTerms, SELLER_ID } from '../rig/opened-auctions.ts'
import { statusOf } from './answer-status.ts'
import { tellFigure } from './figures.ts'
import { generateProducts } from './generated-products.ts'
import { fillHistory } from './history.ts'
import { median, quantile } from './statistics.ts'

/**
 * What people who bid feel of somebody who means harm (promise P26), on real processes with the limits of production: bid latency before, during
 * and after each attack. Each bid is due at a fixed time and its latency counts from then. A phase has 640 bids, so that one stall of the machine makes
 * its p99: there are several rounds, and the middle one of their quotients counts.
 */

const OPEN_AUCTIONS = 20_000
const OLD_BIDS = 300_000
const PRODUCTS = 20_000
const BIDDERS = 20
const BID_EVERY_MS = 250
const PHASE_MS = 8_000
const ROUNDS = 5
/** How many times the p99 of before the others may feel. */
const FELT_MAX = 2
/** The next phase is not to measure what is left of the one before. */
const PAUSE_MS = 3_000

/** Orders that each of four attackers sends at most: what the gateway lets one address begin in the long run. */
const ORDER_EVERY_MS = 20

/** Whom the attackers reach, and as what. */
interface Target {
  readonly natsUrl: string
  readonly gatewayUrl: string
  readonly socketUrl: string
  /** Of `readers` only. */
  readonly oldAuctionId: number
}

const attacks = {
  /** Orders that Postgres refuses: a second auction of a product, past the route that would see it, and as often as four addresses may ask. */
  poison: async ({ natsUrl }: Target, isOver: () => boolean) => {
    const nats = await connectNats({ url: natsUrl, name: 'attacker' })
    let answers = 0
    const orderFrom = async (first: number) => {
      for (let auctionId = first; !isOver(); auctionId += 4) {
        const [startsAt = '', endsAt = ''] = [0, 60_000].map((ms) => new Date(Date.now() + ms).toISOString())
        const facts = { auctionId, productId: 1, sellerId: SELLER_ID, reserveSen: null, buyNowSen: null }
        const terms = { ...openingTerms, ...facts, startsAt, endsAt }
        const command: OwnerCommand = { kind: 'open', terms, actorId: SELLER_ID, requestId: 'neighbours' }
        const payload = JSON.stringify(command)
        const subject = auctionCommandSubject(auctionPartition(auctionId))
        const order = nats.request(subject, payload, { timeout: 5000 }).then(
          () => (answers += 1),
          () => {},
        )
        await Promise.all([order, wait(ORDER_EVERY_MS)])
      }
    }
    await Promise.all([1, 2, 3, 4].map((number) => orderFrom(80_000_000 + number)))
    await nats.close()
    return answers
  },
  /** Pages from the beginning of an old auction, 300 at a time, as fast as a guest gets answers. */
  readers: async ({ gatewayUrl, oldAuctionId }: Target, isOver: () => boolean) => {
    const url = `${gatewayUrl}/api/auctions/${oldAuctionId}/bids?limit=50&cursor=60`
    return asGuest(300, isOver, () => url)
  },
  /** Rooms of auctions that there are not. */
  joins: async ({ socketUrl }: Target, isOver: () => boolean) => {
    let answers = 0
    const join = async (number: number) => {
      const socket = await LeanSocket.open(socketUrl, { onText: () => (answers += 1), onClose: () => {} })
      for (let auctionId = 90_000_000 + number; !isOver() && socket.isOpen; auctionId += 100) {
        socket.send(JSON.stringify({ type: 'joinAuction', auctionId }))
        socket.flush()
        // As fast as frames are taken.
        await wait(51)
      }
      await socket.close()
    }
    await Promise.all(Array.from({ length: 100 }, (_, number) => join(number)))
    return answers
  },
  /** A guest's questions about what is for sale, each another one, a hundred at a time. */
  questions: async ({ gatewayUrl }: Target, isOver: () => boolean) => {
    const brands = ['dior', 'chanel', 'creed', 'amouage', 'lattafa', 'byredo', 'chanle oud', 'rose vanilla']
    return asGuest(100, isOver, (number) => {
      const words = `${brands[number % brands.length]} ${number % 97}`
      const search = number % 2 === 0 ? `&search=${encodeURIComponent(words)}` : ''
      return `${gatewayUrl}/api/products?minPrice=1&maxPrice=${1000 + number}${search}`
    })
  },
}

/** So many requests at a time, each as soon as the one before is answered. @returns how many were */
async function asGuest(inParallel: number, isOver: () => boolean, urlOf: (number: number) => string): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  let answers = 0
  const ask = async (first: number) => {
    for (let number = first; !isOver(); number += inParallel) {
      await statusOf(urlOf(number), { agent }).then(
        () => (answers += 1),
        () => wait(50),
      )
    }
  }
  // Who waits for an answer goes without it.
  const leaving = setInterval(() => isOver() && agent.destroy(), 100)
  await Promise.all(Array.from({ length: inParallel }, (_, first) => ask(first)))
  clearInterval(leaving)
  return answers
}

type Attack = keyof typeof attacks
/** Those that are named, or all. */
const chosen = (Object.keys(attacks) as Attack[]).filter(
  (name) => process.argv.length < 3 || process.argv.includes(name),
)

/** A thread of its own, which is ready before anything is measured: to load it takes a processor for most of a second. */
class Attacker {
  readonly #worker: Worker

  private constructor(worker: Worker) {
    this.#worker = worker
  }

  static async ready(name: Attack, target: Target): Promise<Attacker> {
    const worker = new Worker(new URL(import.meta.url), { workerData: { name, target } })
    await once(worker, 'message')
    return new Attacker(worker)
  }

  /** @returns how many answers it got */
  async attack(durationMs: number): Promise<number> {
    this.#worker.postMessage(Date.now() + durationMs)
    const [answers] = await once(this.#worker, 'message')
    return answers
  }
}

async function attackWhenTold(): Promise<void> {
  if (parentPort === null) throw new Error('attacks are made by a thread of their own')
  const { name, target } = workerData as { name: Attack; target: Target }
  const told = once(parentPort, 'message')
  parentPort.postMessage('ready')
  const [untilMs] = await told
  parentPort.postMessage(await attacks[name](target, () => Date.now() >= untilMs))
}

async function measure(): Promise<void> {
  let exits = 0
  const rig = await startAuctionRig({
    auctionInstances: 2,
    rateLimitFactor: 1,
    hasCatalogue: chosen.includes('questions'),
    log: (source, line) => {
      if (source === 'rig' && line.includes('starting again')) exits += 1
    },
  })
  try {
    console.log(`${OPEN_AUCTIONS} auctions, one with ${OLD_BIDS} bids for readers, ${PRODUCTS} products for questions`)
    const auctionIds = await rig.opened.open(OPEN_AUCTIONS)
    const target: Target = {
      natsUrl: rig.natsUrl,
      gatewayUrl: rig.gatewayUrl,
      socketUrl: rig.socketUrl,
      oldAuctionId: chosen.includes('readers') ? await fillHistory(rig, OLD_BIDS) : 0,
    }
    if (rig.catalogue !== null) await generateProducts(rig.catalogue.databaseUrl, rig.natsUrl, PRODUCTS)
    const memory = () =>
      rig.catalogue === null ? '' : `, the catalogue has ${megabytesOf(rig.catalogue.process.pid)} MB`

    const recorder = new Recorder()
    const bidders = await Promise.all(
      auctionIds.slice(0, BIDDERS).map(async (auctionId, index) => {
        const userId = 1000 + index
        const token = await rig.tokenFor(userId)
        return { auctionId, steps: 1, bidder: new RecordingBidder({ url: rig.socketUrl, token, userId, recorder }) }
      }),
    )
    const bidFor = async (durationMs: number, phase?: string): Promise<number> => {
      const startedAtMs = performance.now()
      const bids: Promise<{ latencyMs: number; operation: BidOperation }>[] = []
      for (let turn = 0; turn * (BID_EVERY_MS / BIDDERS) < durationMs; turn += 1) {
        const dueAtMs = startedAtMs + turn * (BID_EVERY_MS / BIDDERS)
        await wait(Math.max(0, dueAtMs - performance.now()))
        const one = bidders[turn % BIDDERS]
        if (one === undefined) continue
        const amountSen = openingTerms.startingPriceSen + one.steps * openingTerms.incrementSen
        one.steps += 1
        bids.push(
          one.bidder.bid(one.auctionId, amountSen, randomUUID()).then((operation) => ({
            latencyMs: (operation.answeredAtMs ?? performance.now()) - dueAtMs,
            operation,
          })),
        )
      }
      const all = await Promise.all(bids)
      const accepted = all.filter(({ operation }) => operation.outcome.kind === 'accepted').length
      const of = (share: number) =>
        quantile(
          all.map(({ latencyMs }) => latencyMs),
          share,
        )
      const [p50, p99, longest] = [of(0.5), of(0.99), of(1)].map((ms) => ms.toFixed(1))
      if (phase !== undefined) {
        console.log(
          `${phase} p50 ${p50} p99 ${p99} max ${longest} ms (${accepted} of ${all.length} accepted)${memory()}`,
        )
      }
      return of(0.99)
    }
    await bidFor(PAUSE_MS)
    for (const name of chosen) {
      const exitsBefore = exits
      const felt: number[] = []
      for (let round = 1; round <= ROUNDS; round += 1) {
        const attacker = await Attacker.ready(name, target)
        const before = await bidFor(PHASE_MS, `${name}, before:`)
        const answers = attacker.attack(PHASE_MS + 1000)
        await wait(1000)
        felt.push((await bidFor(PHASE_MS, `${name}, during:`)) / before)
        console.log(`${name}: ${await answers} answers to the attacker`)
        await bidFor(PAUSE_MS)
      }
      await bidFor(PHASE_MS, `${name}, after: `)
      const times = median(felt)
      tellFigure({ name: `neighbours: ${name}, felt by the others`, value: times, unit: 'x', isMore: false })
      console.log(
        `${name}: the others' p99 is ${times.toFixed(1)} times that of before, ${FELT_MAX} allowed: ${times <= FELT_MAX ? 'kept' : 'missed'}; ${exits - exitsBefore} processes ended`,
      )
    }
    await Promise.all(bidders.map(({ bidder }) => bidder.close()))
  } finally {
    await rig.stop()
  }
}

/** What the machine holds for a process, in MB. */
function megabytesOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}

await (isMainThread ? measure() : attackWhenTold())
