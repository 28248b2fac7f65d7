// npm run chaos -- --minutes 10 [--seed S] [--owners 2] [--faults F2,F8]

import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { AUCTION_PARTITIONS } from '@wangian/contracts/subjects.ts'
import { BiddingSession } from '../faults/bidding-session.ts'
import { seededRandom } from '../faults/random.ts'
import { expectRowsToFollowTheLog, startFollower } from '../faults/reconciliation.ts'
import { type FaultName, faults, isPossible, type Site } from './faults.ts'
import { type Round, rounds } from './schedule.ts'
import { startChaosRig } from './site.ts'

/*
 * Sixteen people bid while one thing after the other breaks, round after round. Each round ends with the proof that nothing of what was promised was
 * broken: the history checker over every request, answer, sighting and event (P1 to P4, P6 to P8), a follower that has every event once (P11, P12),
 * and rows that are what the log says. Which faults come follows from the seed; what people get to do meanwhile does not.
 */

const USAGE = 'Usage: npm run chaos -- --minutes N [--seed S] [--owners N] [--faults F2,F8]'
const MINUTE_MS = 60_000
/** After a fault is over, somebody's bid has to be accepted within this. */
const ACCEPTED_WITHIN_MS = 20_000
/** The ends of the auctions that end during a round. */
const ENDS_IN_MS = [8_000, 20_000] as const

const { minutes, seed, owners, names } = readOptions()
const chaosRig = await startChaosRig(owners)
const { rig } = chaosRig
try {
  await run()
} catch (error) {
  console.error(error)
  console.error(`what the processes wrote last:\n${rig.recentOutput()}`)
  console.error(`it was seed ${seed}`)
  process.exitCode = 1
} finally {
  await chaosRig.stop()
}

async function run(): Promise<void> {
  const follower = await startFollower(rig, 'chaos')
  const startedAtMs = performance.now()
  const happened = new Map<FaultName, number>()
  let [roundCount, bids] = [0, 0]
  try {
    const possible = names.filter((name) => isPossible(name, chaosRig))
    for (const name of names) if (!possible.includes(name)) console.log(`NOT POSSIBLE here: ${name}`)
    for (const round of rounds(possible, seed)) {
      if (performance.now() - startedAtMs > minutes * MINUTE_MS) break
      const { slowestMs, accepted } = await play(round)
      for (const { fault } of round.steps) happened.set(fault, (happened.get(fault) ?? 0) + 1)
      await follower.hasEverything()
      await expectRowsToFollowTheLog(rig)
      roundCount += 1
      bids += accepted
      console.log(`round ${roundCount}: ${accepted} bids accepted, the longest without one ${slowestMs} ms`)
    }
  } finally {
    await follower.stop()
  }
  console.log(`${roundCount} rounds from seed ${seed}, ${bids} bids: nothing that was promised was broken`)
  for (const [fault, count] of happened) console.log(`  ${count} times: ${fault}`)
}

/** @returns how many bids were accepted, and the longest time after a fault until one was, ms */
async function play(round: Round<FaultName>): Promise<{ readonly slowestMs: number; readonly accepted: number }> {
  const auctionsEndInMs = [null, ...ENDS_IN_MS, null]
  // So far apart that each owner has some of them.
  const apart = AUCTION_PARTITIONS / auctionsEndInMs.length
  const session = await BiddingSession.start(rig, { seed: round.seed, auctionsEndInMs, apart })
  let slowestMs = 0
  try {
    const site: Site = { ...chaosRig, auctionIds: session.auctionIds }
    for (const { quietMs, fault, seed } of round.steps) {
      await wait(quietMs)
      console.log(`  ${fault}`)
      await faults[fault](site, seededRandom(seed))
      const overAtMs = performance.now()
      const running = session.auctionIds.filter((_, index) => index === 0 || index === 3)
      slowestMs = Math.max(slowestMs, await session.nextAcceptedMs(overAtMs, running, ACCEPTED_WITHIN_MS))
    }
    const { operations } = await session.settle({ hasRestarts: true })
    const accepted = operations.filter(({ outcome }) => outcome.kind === 'accepted').length
    return { slowestMs: Math.round(slowestMs), accepted }
  } finally {
    console.log(`  ${session.summary()}`)
    await session.close()
  }
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string' },
        seed: { type: 'string', default: String(Math.floor(Math.random() * 100_000)) },
        owners: { type: 'string', default: '2' },
        faults: { type: 'string', default: 'F' },
      },
    })
    const [minutes = 0, seed = -1, owners = 0] = [values.minutes, values.seed, values.owners].map(Number)
    const names = (Object.keys(faults) as FaultName[]).filter((name) =>
      values.faults.split(',').some((wanted) => name.startsWith(wanted)),
    )
    if (
      names.length > 0 &&
      minutes > 0 &&
      Number.isSafeInteger(seed) &&
      seed >= 0 &&
      Number.isSafeInteger(owners) &&
      owners > 0
    )
      return { minutes, seed, owners, names }
  } catch {
    // The usage says it.
  }
  console.error(USAGE)
  process.exit(2)
}
