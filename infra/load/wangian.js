// What the k6 scripts share: bidders and watchers on `/ws`, what is measured of them, and what must be true of it.
// `npm run load` writes the file that PREPARED names: where to go, as whom, and how hard.
import exec from 'k6/execution'
import { Counter, Trend } from 'k6/metrics'
import { WebSocket } from 'k6/websockets'
import { Following } from './following.ts'
import { describeDigest, digest, expectedRefusals, refusalTag, trendStats, unexpectedRefusals } from './summary.ts'

/** All sockets should be open before the first bid is due. */
const LEAD_MS = 2000
/** The gateway answers every bid within 5 s. */
const ANSWER_WITHIN_MS = 6000
/** From the last bid to the question whether all watchers have got it. */
const SETTLE_MS = 3000
const READY_WITHIN_MS = 10_000
/** A bidder follows and bids on at most so many auctions. */
const ROOMS_MAX = 5
/** People do not all bid the minimum. */
const RAISES_MAX = 4
const CLOCK_SAMPLES = 5

if (!__ENV.PREPARED) throw new Error('PREPARED names no file; start with npm run load, or see infra/load/README.md')
const prepared = JSON.parse(open(__ENV.PREPARED))
const shape = {
  script: prepared.script,
  bidders: prepared.bidders.length,
  auctions: prepared.auctionIds.length,
  watchers: Number(__ENV.WATCHERS || prepared.watchers),
  ratePerS: Number(__ENV.RATE || prepared.ratePerS),
  durationS: Number(__ENV.DURATION_S || prepared.durationS),
}
const durationMs = shape.durationS * 1000
const socketUrl = `${prepared.baseUrl.replace(/^http/, 'ws').replace(/\/+$/, '')}/ws`

const bidsSent = new Counter('bids_sent')
const bidsAccepted = new Counter('bids_accepted')
const bidsUnanswered = new Counter('bids_unanswered')
const bidAcceptTime = new Trend('bid_accept_time', true)
const bidRefusalTime = new Trend('bid_refusal_time', true)
const errorFrames = new Counter('error_frames')
const framesSeen = new Counter('frames_seen')
const frameLag = new Trend('frame_lag', true)
const bidsMissed = new Counter('bids_missed')
const bidsConflated = new Counter('bids_conflated')
const socketsLost = new Counter('sockets_lost')
const watchersBehind = new Counter('watchers_behind')

/** One user of k6 is one person: a bidder who bids at a steady pace, or a watcher who only looks. */
export function optionsOf() {
  const once = (vus, run) => ({
    executor: 'per-vu-iterations',
    vus,
    iterations: 1,
    exec: run,
    maxDuration: `${Math.ceil((READY_WITHIN_MS + durationMs + ANSWER_WITHIN_MS + SETTLE_MS) / 1000)}s`,
    gracefulStop: '0s',
  })
  const scenarios = { bidders: once(shape.bidders, 'bid') }
  if (shape.watchers > 0) scenarios.watchers = once(shape.watchers, 'watch')
  return { scenarios, thresholds: thresholdsOf(), summaryTrendStats: [...trendStats] }
}

function thresholdsOf() {
  const none = ['count==0']
  const thresholds = {
    // Without this the times below would hold of nothing.
    bids_accepted: ['count>0'],
    bid_accept_time: [`p(95)<${__ENV.ACCEPT_P95_MS || prepared.acceptP95Ms}`, 'p(99)<1000'],
    frame_lag: [`p(95)<${__ENV.LAG_P95_MS || prepared.lagP95Ms}`, 'p(99)<1000'],
    bids_unanswered: none,
    bids_missed: none,
    sockets_lost: none,
    watchers_behind: none,
  }
  for (const code of unexpectedRefusals) thresholds[`error_frames{code:${code}}`] = none
  for (const code of expectedRefusals) thresholds[`error_frames{code:${code}}`] = ['count>=0']
  return thresholds
}

/** Compares the clocks, and says when everybody begins. */
export async function prepare() {
  const offsetMs = await measureClockOffset()
  return { offsetMs, startAtMs: Date.now() + LEAD_MS }
}

/**
 * Calls back at that time, unless what it returns is called before. k6 1.8 runs a timer too early now and then: one that comes due
 * while a callback runs is run twice, the second time in place of the next one.
 */
function runAt(timeMs, callback) {
  let timer
  const arm = () => {
    timer = setTimeout(() => (Date.now() < timeMs ? arm() : callback()), Math.max(0, timeMs - Date.now()))
  }
  arm()
  return () => clearTimeout(timer)
}

/** What to add to our time to get the server's, from the quickest of several snapshots. */
function measureClockOffset() {
  return new Promise((resolve, reject) => {
    const stopWaiting = runAt(Date.now() + READY_WITHIN_MS, () => reject(new Error(`${socketUrl} does not answer`)))
    const auctionId = prepared.auctionIds[0]
    const samples = []
    let askedAtMs = 0
    const socket = new WebSocket(socketUrl)
    const ask = () => {
      askedAtMs = Date.now()
      socket.send(JSON.stringify({ type: 'joinAuction', auctionId }))
    }
    socket.onopen = ask
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(data)
      if (frame.type === 'error') reject(new Error(`${socketUrl} answers: ${frame.message}`))
      if (frame.type !== 'auctionJoined') return
      const nowMs = Date.now()
      samples.push({ roundTripMs: nowMs - askedAtMs, offsetMs: Date.parse(frame.serverTime) - (askedAtMs + nowMs) / 2 })
      if (samples.length < CLOCK_SAMPLES) return ask()
      stopWaiting()
      socket.close()
      samples.sort((one, other) => one.roundTripMs - other.roundTripMs)
      resolve(samples[0].offsetMs)
    }
    socket.onerror = (event) => {
      stopWaiting()
      reject(new Error(`${socketUrl}: ${event.error}`))
    }
  })
}

/** Bids at its share of the rate, whatever becomes of the earlier bids, and counts each time from when the bid was due. */
export function bid({ offsetMs, startAtMs }) {
  const index = exec.scenario.iterationInTest
  const { userId, token } = prepared.bidders[index]
  const periodMs = (1000 * shape.bidders) / shape.ratePerS
  // A little earlier, so that no rounding makes it one bid more.
  const endAtMs = startAtMs + durationMs - 0.5
  const pending = new Map()
  let dueAtMs = startAtMs + (periodMs * index) / shape.bidders
  let bids = 0
  let isDone = false
  let stopWaiting = () => {}

  const channel = openChannel({
    token,
    auctionIds: auctionsOf(index),
    offsetMs,
    onReady() {
      // Whoever came late begins late.
      while (dueAtMs < Date.now()) dueAtMs += periodMs
      bidWhenDue()
    },
    onAnswer(frame) {
      const bid = pending.get(frame.bidId)
      if (bid === undefined) return
      pending.delete(frame.bidId)
      const tookMs = Math.max(0, Date.now() - bid.dueAtMs)
      if (frame.type === 'bidAccepted') {
        bidsAccepted.add(1)
        bidAcceptTime.add(tookMs)
        if (__ENV.ACKNOWLEDGEMENTS) {
          console.log(`ack ${JSON.stringify({ auctionId: frame.auctionId, seq: frame.seq, bidId: frame.bidId })}`)
        }
      } else bidRefusalTime.add(tookMs)
      finishWhenAnswered()
    },
    onLost: finish,
  })

  function bidWhenDue() {
    if (isDone) return
    for (; dueAtMs <= Date.now() && dueAtMs < endAtMs; dueAtMs += periodMs) placeBid()
    if (dueAtMs < endAtMs) runAt(dueAtMs, bidWhenDue)
    else {
      stopWaiting = runAt(Date.now() + ANSWER_WITHIN_MS, finish)
      finishWhenAnswered()
    }
  }

  function placeBid() {
    const followings = [...channel.followings]
    const [auctionId, following] = followings[bids++ % followings.length]
    const raises = Math.floor(Math.random() * (RAISES_MAX + 1))
    const amount = (following.minimumSen + raises * prepared.incrementSen) / 100
    const bidId = crypto.randomUUID()
    pending.set(bidId, { auctionId, dueAtMs: Math.floor(dueAtMs) })
    bidsSent.add(1)
    channel.send({ type: 'placeBid', auctionId, userId, amount, timestamp: new Date().toISOString(), bidId })
  }

  function finishWhenAnswered() {
    if (dueAtMs >= endAtMs && pending.size === 0) finish()
  }

  function finish() {
    if (isDone) return
    isDone = true
    stopWaiting()
    bidsUnanswered.add(pending.size)
    for (const [bidId, { auctionId }] of pending) console.error(`no answer to bid ${bidId} on auction ${auctionId}`)
    channel.close()
  }
}

/** A guest who follows one auction until the end, and then asks whether anything is missing. */
export function watch({ offsetMs, startAtMs }) {
  const auctionId = prepared.auctionIds[exec.scenario.iterationInTest % shape.auctions]
  const askAtMs = startAtMs + durationMs + SETTLE_MS
  let seenSeq = null
  let isDone = false
  let stopWaiting = () => {}
  const channel = openChannel({
    auctionIds: [auctionId],
    offsetMs,
    onReady() {
      runAt(askAtMs, () => {
        seenSeq = channel.followings.get(auctionId).seq
        channel.send({ type: 'joinAuction', auctionId })
      })
      stopWaiting = runAt(askAtMs + ANSWER_WITHIN_MS, () => finish(-1))
    },
    onAnswer(frame) {
      if (frame.type === 'auctionJoined' && seenSeq !== null) finish(frame.seq)
    },
    onLost() {},
  })
  function finish(seq) {
    if (isDone) return
    isDone = true
    stopWaiting()
    if (seq !== seenSeq) watchersBehind.add(1)
    channel.close()
  }
}

function auctionsOf(index) {
  const count = Math.min(ROOMS_MAX, shape.auctions)
  return Array.from({ length: count }, (_, at) => prepared.auctionIds[(index * count + at) % shape.auctions])
}

/** Opens a socket, signs in when there is a token, joins, and follows the auctions. Answers are passed on. */
function openChannel({ token, auctionIds, offsetMs, onReady, onAnswer, onLost }) {
  const followings = new Map(auctionIds.map((auctionId) => [auctionId, new Following()]))
  const socket = new WebSocket(socketUrl)
  let isClosing = false
  let isReady = false

  const send = (frame) => socket.send(JSON.stringify(frame))
  const join = () => {
    for (const auctionId of auctionIds) send({ type: 'joinAuction', auctionId })
  }
  const lose = (reason) => {
    if (isClosing) return
    isClosing = true
    stopWaiting()
    socketsLost.add(1)
    console.error(`a socket was lost: ${reason}`)
    onLost()
    socket.close()
  }
  const stopWaiting = runAt(Date.now() + READY_WITHIN_MS, () => lose('it could not sign in and join in time'))

  socket.onmessage = ({ data }) => {
    const nowMs = Date.now()
    const frame = JSON.parse(data)
    const following = followings.get(frame.auctionId)
    switch (frame.type) {
      case 'connected':
        if (token === undefined) join()
        else send({ type: 'auth', token })
        return
      case 'auth_success':
        return join()
      case 'auctionJoined':
        following.take(frame)
        if (isReady) return onAnswer(frame)
        if (![...followings.values()].every(({ hasJoined }) => hasJoined)) return
        isReady = true
        stopWaiting()
        return onReady()
      case 'newBid':
      case 'newBids':
      case 'auctionState': {
        const { missed, conflated } = following.take(frame)
        if (!isReady) return
        framesSeen.add(1)
        frameLag.add(Math.max(0, nowMs + offsetMs - Date.parse(frame.serverTime)))
        if (missed > 0) bidsMissed.add(missed)
        if (conflated > 0) bidsConflated.add(conflated)
        return
      }
      case 'error':
        following?.take(frame)
        errorFrames.add(1, { code: refusalTag(frame.code) })
        if (!expectedRefusals.includes(frame.code)) console.error(`${frame.code}: ${frame.message}`)
        return onAnswer(frame)
      case 'bidAccepted':
        return onAnswer(frame)
    }
  }
  socket.onerror = (event) => lose(event.error)
  socket.onclose = (event) => lose(`closed with ${event.code} ${event.reason}`)

  return {
    followings,
    send,
    close() {
      isClosing = true
      stopWaiting()
      socket.close()
    },
  }
}

/** A few lines for whoever looks, and all of it as JSON where SUMMARY_FILE says. */
export function summarise(data) {
  const result = digest(shape, data)
  const file = __ENV.SUMMARY_FILE
  return { stdout: describeDigest(result), ...(file && { [file]: JSON.stringify(result, null, 2) }) }
}
