// npm run bench:scaling [-- --rounds 3] [--seconds 3] [--phase-seconds 8]
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { BiddingSession, ownersOf } from '../faults/bidding-session.ts'
import { interleave, type Turn } from './rounds.ts'
import { MANY_IN_FLIGHT, type Site, startSite } from './site.ts'
import { median, quantile, Samples } from './statistics.ts'

/*
 * What the auction service takes with one, two and three owners, and what people who bid feel while owners come and go. All of it runs on one machine:
 * that shows what one more owner costs, and not what one more machine brings.
 */

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    'phase-seconds': { type: 'string', default: '8' },
  },
})
const OWNERS = [1, 2, 3] as const
const OWNERS_MAX = 3
/** Enough that each owner has many. */
const LOTS = 600
const SEED = 517
const BIDDEN_ON = 12
const SHARED_WITHIN_MS = 30_000
const phaseMs = Number(flags['phase-seconds']) * 1000
const options = {
  rounds: Number(flags.rounds),
  measureMs: Number(flags.seconds) * 1000,
  log: (line: string) => console.log(line),
}

async function main(): Promise<void> {
  const site = await startSite({ log: () => {}, owners: OWNERS_MAX })
  try {
    await measureThroughput(site)
    await changeUnderLoad(site)
    for (const problem of site.problems) console.log(`PROBLEM: ${problem}`)
    if (site.problems.length > 0) process.exitCode = 1
  } finally {
    await site.close()
  }
}

async function measureThroughput(site: Site): Promise<void> {
  const samples = new Samples()
  const ids = await site.rig.opened.open(LOTS)
  const target = await site.socketsFor(MANY_IN_FLIGHT)
  const nameOf = (owners: number) => `${owners} owner${owners === 1 ? '' : 's'}`
  const turns = OWNERS.map(
    (owners): Turn =>
      async () => {
        await haveOwners(site, ids, owners)
        await site.rest()
        const result = await site.measure('ours', target, ids, { inFlight: MANY_IN_FLIGHT }, options.measureMs)
        samples.add(nameOf(owners), result.acceptedPerS)
      },
  )
  await interleave(turns, samples, options)
  console.log(`| ${LOTS} lots, ${MANY_IN_FLIGHT} bids in flight | accepted bids/s | from | to |\n|---|---|---|---|`)
  for (const owners of OWNERS) {
    const perS = samples.of(nameOf(owners))
    const shown = [median(perS), Math.min(...perS), Math.max(...perS)].map((each) => Math.round(each))
    console.log(`| ${nameOf(owners)} | ${shown.join(' | ')} |`)
  }
}

/** From one owner to three and back while people bid: the history checker goes over every request, answer, sighting and event. */
async function changeUnderLoad(site: Site): Promise<void> {
  const { rig } = site
  await haveOwners(site, [], 1)
  const session = await BiddingSession.start(rig, {
    seed: SEED,
    auctionsEndInMs: Array.from({ length: BIDDEN_ON }, () => null),
  })
  try {
    console.log('| owners | accepted | median, ms | p99, ms | longest, ms | other answers |\n|---|---|---|---|---|---|')
    for (const owners of [1, 3, 1]) {
      const first = session.recorder.operations.length
      const untilMs = performance.now() + phaseMs
      await haveOwners(site, session.auctionIds, owners)
      await wait(Math.max(0, untilMs - performance.now()))
      const accepted = session.recorder.operations
        .slice(first)
        .flatMap(({ outcome, sentAtMs, answeredAtMs }) =>
          outcome.kind === 'accepted' && answeredAtMs !== null ? [answeredAtMs - sentAtMs] : [],
        )
      const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => quantile(accepted, share).toFixed(1))
      console.log(`| ${owners} | ${accepted.length} | ${p50} | ${p99} | ${longest} | ${session.summary(first)} |`)
    }
    await session.settle({ hasRestarts: true })
    console.log('No acknowledged bid was lost, doubled or out of order.')
  } finally {
    await session.close()
  }
}

/** Resolves when so many run, and share these auctions. */
async function haveOwners({ rig }: Site, auctionIds: readonly number[], count: number): Promise<void> {
  await Promise.all(rig.auctions.map((owner, index) => (index < count ? owner.start() : owner.stop())))
  await eventually(
    async () => {
      const owners = await ownersOf(rig, auctionIds)
      if (owners.size < auctionIds.length) throw new Error('some auctions have no owner')
      if (auctionIds.length > 0 && new Set(owners.values()).size < count) throw new Error('some owner has no auction')
    },
    { timeoutMs: SHARED_WITHIN_MS },
  )
}

await main()
