import type { ErrorCode } from '@wangian/contracts/errors.ts'
import type { clientFrames } from '@wangian/contracts/frames.ts'
import { counter, DURATION_BUCKETS_S, distribution, gauge, tally } from '@wangian/kit/service/metrics.ts'

const MS_PER_S = 1000

type FrameFate = keyof typeof clientFrames | 'bad' | 'too many'

const bids = tally<'accepted' | ErrorCode>({
  name: 'wangian_gateway_bids_total',
  help: 'Bids that were answered to the bidder: accepted, or why not',
  label: 'outcome',
})
const answers = distribution({
  name: 'wangian_gateway_bid_answer_seconds',
  help: 'From the arrival of a bid at the gateway to its answer',
  buckets: DURATION_BUCKETS_S,
})
const frames = tally<FrameFate>({
  name: 'wangian_gateway_frames_received_total',
  help: 'Frames that sockets sent, by type; those that are none as bad, and those beyond the limit as too many',
  label: 'type',
})
const fanOuts = distribution({
  name: 'wangian_gateway_fanout_seconds',
  help: 'How long it took to write what gathered in a room to all its sockets',
  buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25],
})
const written = counter({
  name: 'wangian_gateway_fanout_writes_total',
  help: 'Writes of what gathered in a room to one socket each',
})
const behind = tally<'lagging' | 'stalled'>({
  name: 'wangian_gateway_slow_sockets_total',
  help: 'Sockets that did not read what rooms say: skipped to the latest state, or closed',
  label: 'fate',
})
// Said from the start: that there are none is what an operator wants to see.
for (const fate of ['lagging', 'stalled'] as const) behind.add(fate, 0)

/** A bid was answered to its bidder. */
export function countBidAnswer(outcome: 'accepted' | ErrorCode, waitedMs: number): void {
  bids.add(outcome)
  answers.observe(waitedMs / MS_PER_S)
}

export function countFrame(type: FrameFate): void {
  frames.add(type)
}

/** What gathered in a room went out to so many sockets. */
export function countFanOut(sockets: number, durationMs: number): void {
  fanOuts.observe(durationMs / MS_PER_S)
  written.inc(sockets)
}

export function countSlowSocket(fate: 'lagging' | 'stalled'): void {
  behind.add(fate)
}

/** What an operator watches of a gateway. */
export function watchGateway(gateway: {
  readonly sockets: () => number
  readonly rooms: () => number
  readonly people: () => number
}): void {
  const watched = {
    sockets: ['Open WebSockets', gateway.sockets],
    rooms: ['Auctions that somebody watches', gateway.rooms],
    people: ['People who are signed in on a socket', gateway.people],
  } as const
  for (const [name, [help, read]] of Object.entries(watched)) {
    gauge({
      name: `wangian_gateway_${name}`,
      help,
      collect() {
        this.set(read())
      },
    })
  }
}
