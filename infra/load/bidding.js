// Bidders who bid at a steady pace, and guests who only look.
import exec from 'k6/execution'
import { timeOrderedId } from '../../packages/contracts/src/time-ordered-id.ts'
import { Following } from './following.ts'
import {
  ANSWER_WITHIN_MS,
  arrivalMs,
  bidders,
  counters,
  durationMs,
  GRACE_MS,
  noteRefusal,
  openSocket,
  part,
  prepared,
  runAt,
  SETTLE_MS,
  shape,
  stayingSignedIn,
  Tally,
  tell,
  WATCHERS_PER_USER,
} from './wangian.js'

/** A bidder follows and bids on at most so many auctions. */
const ROOMS_MAX = 5
/** People do not all bid the minimum. */
const RAISES_MAX = 4
const SERVER_TIME = '"serverTime":"'
const INSTANT_LENGTH = '2026-01-01T00:00:00.000Z'.length
const SEQ = '"seq":'
/** How soon somebody whose socket was lost comes back. */
const BACK_AFTER_MS = 1000

/**
 * Bids at its share of the rate, whatever becomes of the earlier bids, and counts each time from when the bid was due. Where the system is
 * disturbed, a bidder whose socket is lost comes back and sends the bids that had no answer again, with their own ids.
 */
export function bid({ offsetMs, startAtMs }) {
  const at = exec.scenario.iterationInTest
  const index = part.firstBidder + at
  const bidder = stayingSignedIn(bidders[at], (token) => channel.send({ type: 'auth', token }))
  const tally = new Tally()
  const periodMs = (1000 * shape.bidders) / shape.ratePerS
  // A little earlier, so that no rounding makes it one bid more.
  const endAtMs = startAtMs + durationMs - 0.5
  const pending = new Map()
  let dueAtMs = startAtMs + (periodMs * index) / shape.bidders
  let bids = 0
  let isDone = false
  let stopWaiting = () => {}
  let stopBidding = () => {}
  let channel = connect()

  function connect() {
    return openChannel({
      token: bidder.token,
      auctionIds: auctionsOf(index),
      onReady() {
        // Whoever came late begins late.
        while (dueAtMs < Date.now() && dueAtMs < endAtMs) dueAtMs += periodMs
        for (const { frame } of pending.values()) channel.send(frame)
        bidWhenDue()
      },
      onFrame: (frame) => tally.time('frame_lag', Date.now() + offsetMs - Date.parse(frame.serverTime)),
      onAnswer(frame) {
        const bid = pending.get(frame.bidId)
        if (bid === undefined) return
        pending.delete(frame.bidId)
        const tookMs = Date.now() - bid.dueAtMs
        if (frame.type === 'bidAccepted') {
          counters.bids_accepted.add(1)
          tally.time('bid_accept_time', tookMs)
          tell('ack', { auctionId: frame.auctionId, seq: frame.seq, bidId: frame.bidId })
        } else tally.time('bid_refusal_time', tookMs)
        finishWhenAnswered()
      },
      onLost: shape.isDisturbed ? comeBack : finish,
    })
  }

  function comeBack() {
    stopBidding()
    if (Date.now() >= endAtMs && pending.size === 0) return finish()
    runAt(Date.now() + BACK_AFTER_MS, () => {
      if (!isDone) channel = connect()
    })
  }

  function bidWhenDue() {
    if (isDone) return
    for (; dueAtMs <= Date.now() && dueAtMs < endAtMs; dueAtMs += periodMs) placeBid()
    if (dueAtMs < endAtMs) stopBidding = runAt(dueAtMs, bidWhenDue)
    else {
      stopWaiting()
      stopWaiting = runAt(Date.now() + ANSWER_WITHIN_MS, finish)
      finishWhenAnswered()
    }
  }

  function placeBid() {
    const followings = [...channel.followings]
    const [auctionId, following] = followings[bids++ % followings.length]
    const raises = Math.floor(Math.random() * (RAISES_MAX + 1))
    const amount = (following.minimumSen + raises * prepared.incrementSen) / 100
    const bidId = timeOrderedId()
    const frame = {
      type: 'placeBid',
      auctionId,
      userId: bidder.userId,
      amount,
      timestamp: new Date().toISOString(),
      bidId,
    }
    pending.set(bidId, { auctionId, dueAtMs: Math.floor(dueAtMs), frame })
    counters.bids_sent.add(1)
    // Only this process can make a bid late, so this says whether it keeps up.
    tally.time('bid_lateness', Date.now() - dueAtMs)
    channel.send(frame)
  }

  function finishWhenAnswered() {
    if (dueAtMs >= endAtMs && pending.size === 0) finish()
  }

  function finish() {
    if (isDone) return
    isDone = true
    stopWaiting()
    counters.bids_unanswered.add(pending.size)
    for (const [bidId, { auctionId }] of pending) console.error(`no answer to bid ${bidId} on auction ${auctionId}`)
    channel.close()
    bidder.goHome()
    tally.print()
  }
}

/** Guests who follow one auction each until the end, and then ask whether anything is missing. */
export function watch({ offsetMs, startAtMs }) {
  const first = exec.scenario.iterationInTest * WATCHERS_PER_USER
  const count = Math.min(WATCHERS_PER_USER, part.watchers - first)
  const tally = new Tally()
  let [watching, frames] = [count, 0]
  for (let at = 0; at < count; at++) {
    const auctionId = prepared.auctionIds[(part.firstWatcher + first + at) % shape.auctions]
    const watcher = { auctionId, askAtMs: startAtMs + durationMs + SETTLE_MS, onFrame, onEnd }
    // One after the other, over all users of k6.
    runAt(Date.now() + (first + at) * arrivalMs, () => openWatcher(watcher))
  }

  /** k6 keeps every time that it is told, so for its own summary the first one speaks for all. */
  function onFrame(serverTimeMs) {
    const lagMs = Date.now() + offsetMs - serverTimeMs
    if (frames++ % count === 0) tally.time('frame_lag', lagMs)
    else tally.note('frame_lag', lagMs)
  }

  function onEnd() {
    watching -= 1
    if (watching === 0) tally.print()
  }
}

/** What a guest reads of a frame is cut out of it: thousands of them would have most of a core busy with parsing. */
function openWatcher({ auctionId, askAtMs, onFrame, onEnd }) {
  let frames = 0
  let isAsked = false
  let isDone = false
  let stopWaiting = () => {}
  const following = new Following()
  const socket = openSocket({
    onOpen: () => socket.send({ type: 'joinAuction', auctionId }),
    onText(text) {
      if (text.startsWith('{"type":"newBid",') || text.startsWith('{"type":"auctionState",')) {
        const type = text.startsWith('{"type":"newBid",') ? 'newBid' : 'auctionState'
        return follow(
          { type, seq: Number.parseInt(cut(text, SEQ, INSTANT_LENGTH), 10), auction: { minimumBid: 0 } },
          text,
        )
      }
      const frame = JSON.parse(text)
      if (frame.type === 'newBids') follow(frame, text)
      // It comes behind all frames before it, so a client that is slow to read them misses nothing.
      else if (frame.type === 'auctionJoined' && isAsked) finish(frame.seq === following.seq)
      else if (frame.type === 'auctionJoined' && !following.hasJoined) join(frame)
      else if (frame.type === 'auctionJoined') following.take(frame)
      else if (frame.type === 'error') noteRefusal(frame)
    },
    // It is counted as lost.
    onLost: () => finish(true),
  })

  function join(frame) {
    following.take(frame)
    socket.ready()
    runAt(askAtMs, () => {
      isAsked = true
      socket.send({ type: 'joinAuction', auctionId })
    })
    stopWaiting = runAt(askAtMs + GRACE_MS, () => finish(false))
  }

  function follow(frame, text) {
    if (!following.hasJoined) return
    noteStep(following.take(frame))
    frames += 1
    onFrame(Date.parse(cut(text, SERVER_TIME, INSTANT_LENGTH)))
  }

  function finish(hasEverything) {
    if (isDone) return
    isDone = true
    stopWaiting()
    counters.frames_seen.add(frames)
    if (!hasEverything) counters.watchers_behind.add(1)
    socket.close()
    onEnd()
  }
}

/** What stands behind the last of these words. */
function cut(text, words, length) {
  const start = text.lastIndexOf(words) + words.length
  return text.slice(start, start + length)
}

function noteStep({ missed, conflated }) {
  if (missed > 0) counters.bids_missed.add(missed)
  if (conflated > 0) counters.bids_conflated.add(conflated)
}

function auctionsOf(index) {
  const count = Math.min(ROOMS_MAX, shape.auctions)
  return Array.from({ length: count }, (_, at) => prepared.auctionIds[(index * count + at) % shape.auctions])
}

/** Opens a bidder's socket, joins, and follows the auctions. Answers are passed on, live frames once it has joined all. */
function openChannel({ token, auctionIds, onReady, onFrame, onAnswer, onLost }) {
  const followings = new Map(auctionIds.map((auctionId) => [auctionId, new Following()]))
  let isReady = false
  const socket = openSocket({
    token,
    onOpen() {
      for (const auctionId of auctionIds) socket.send({ type: 'joinAuction', auctionId })
    },
    onText(text) {
      const frame = JSON.parse(text)
      const following = followings.get(frame.auctionId)
      switch (frame.type) {
        case 'auctionJoined':
          following.take(frame)
          if (isReady || ![...followings.values()].every(({ hasJoined }) => hasJoined)) return
          isReady = true
          socket.ready()
          return onReady()
        case 'newBid':
        case 'newBids':
        case 'auctionState': {
          const step = following.take(frame)
          if (!isReady) return
          counters.frames_seen.add(1)
          noteStep(step)
          return onFrame(frame)
        }
        case 'error':
          following?.take(frame)
          noteRefusal(frame)
          return onAnswer(frame)
        case 'bidAccepted':
          return onAnswer(frame)
      }
    },
    onLost,
  })
  return { followings, send: socket.send, close: socket.close }
}
