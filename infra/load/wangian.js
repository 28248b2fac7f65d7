// What the k6 scripts share: what was prepared, what is measured, sockets, and when everybody begins.
// `npm run load` writes the file that PREPARED names: where to go, as whom, and how hard.
import { SharedArray } from 'k6/data'
import http from 'k6/http'
import { Counter, Trend } from 'k6/metrics'
import { WebSocket } from 'k6/websockets'
import { record } from './histogram.ts'
import { counted, countsOf, describeDigest, expectedRefusals, k6TimesOf, refusalTag, timed } from './summary.ts'
import { k6Thresholds, thresholdsOf } from './thresholds.ts'

/** All sockets should be open before the first bid is due. */
const LEAD_MS = 2000
/** The gateway answers every bid within 5 s. */
export const ANSWER_WITHIN_MS = 6000
/** From the last bid to the question whether all watchers have got it. */
export const SETTLE_MS = 3000
const READY_WITHIN_MS = 20_000
/** What is begun last may take so long: k6 itself may be far behind with what its sockets have got. */
export const GRACE_MS = 20_000
const CLOCK_SAMPLES = 5
/** A user of k6 is a whole JavaScript engine; so many watchers, who do next to nothing, share one. */
export const WATCHERS_PER_USER = 50
/** A token is good for a quarter of an hour, of which preparing has taken some; people do not all sign in again at the same time. */
const SIGN_IN_AFTER_MS = [5 * 60_000, 10 * 60_000]
/** Several processes wait for each other before they begin. */
const START_WITHIN = '170s'
const SETUP_TIMEOUT = '180s'

if (!__ENV.PREPARED) throw new Error('PREPARED names no file; start with npm run load, or see infra/load/README.md')
/** A list that all users of k6 share: thousands of copies of it would take more memory than all else. */
const shared = (name, listOf) => new SharedArray(name, () => listOf(JSON.parse(open(__ENV.PREPARED))))
const lists = ['bidders', 'visitors', 'pairs']
export const [prepared] = shared('prepared', (all) => [
  Object.fromEntries(Object.entries(all).filter(([name]) => !lists.includes(name))),
])
export const bidders = shared('bidders', (all) => all.bidders)
export const visitors = shared('visitors', (all) => all.visitors)
export const pairs = shared('pairs', (all) => all.pairs)
/** Of all processes together; `part` says what this one does of it. */
export const shape = {
  ...prepared.shape,
  ratePerS: Number(__ENV.RATE || prepared.shape.ratePerS),
  durationS: Number(__ENV.DURATION_S || prepared.shape.durationS),
}
export const part = prepared.part
export const durationMs = shape.durationS * 1000
const limits = Object.fromEntries(
  Object.entries(prepared.limits).map(([name, limitMs]) => [name, Number(__ENV[name] || limitMs)]),
)
export const socketUrl = `${prepared.baseUrl.replace(/^http/, 'ws').replace(/\/+$/, '')}/ws`
/** Those who watch arrive one after the other, at most so many a second. */
const ARRIVALS_PER_S = 200
const leadMs = LEAD_MS + (1000 * part.watchers) / ARRIVALS_PER_S
export const readyWithinMs = READY_WITHIN_MS + leadMs
export const arrivalMs = 1000 / ARRIVALS_PER_S

export const counters = Object.fromEntries(counted.map((name) => [name, new Counter(name)]))
const trends = Object.fromEntries(Object.keys(timed).map((name) => [name, new Trend(name, true)]))

/** The times of one user of k6, who prints them in the end: k6's own summaries of several processes cannot be added up. */
export class Tally {
  #histograms = {}

  time(name, ms) {
    this.note(name, ms)
    trends[name].add(Math.max(0, ms))
  }

  /** Counts without telling k6, which keeps every single time. */
  note(name, ms) {
    this.#histograms[name] ??= {}
    record(this.#histograms[name], ms)
  }

  print() {
    if (__ENV.PRINTS) console.log(`tally ${JSON.stringify(this.#histograms)}`)
  }
}

/** Says something that the runner compares with what is stored. */
export function tell(what, facts) {
  if (__ENV.PRINTS) console.log(`${what} ${JSON.stringify(facts)}`)
}

/** One user of k6 is one person, or some who only watch. */
export function optionsOf() {
  const once = (vus, run) => ({
    executor: 'per-vu-iterations',
    vus,
    iterations: 1,
    exec: run,
    maxDuration: `${Math.ceil((readyWithinMs + durationMs + ANSWER_WITHIN_MS + SETTLE_MS + 2 * GRACE_MS) / 1000)}s`,
    gracefulStop: '0s',
  })
  const users = {
    bid: bidders.length,
    watch: Math.ceil(part.watchers / WATCHERS_PER_USER),
    browse: visitors.length,
    deal: pairs.length,
    boost: part.hasBoosts ? 1 : 0,
  }
  const wanted = Object.entries(users).filter(([, vus]) => vus > 0)
  return {
    scenarios: Object.fromEntries(wanted.map(([run, vus]) => [run, once(vus, run)])),
    thresholds: k6Thresholds(thresholdsOf(shape, limits)),
    summaryTrendStats: ['med', 'p(95)', 'p(99)', 'max', 'count'],
    setupTimeout: SETUP_TIMEOUT,
    // Nobody reads most of them; who does asks for text.
    discardResponseBodies: true,
  }
}

/** Compares the clocks, and says when everybody begins. */
export async function prepare() {
  const offsetMs = prepared.auctionIds.length > 0 ? await measureClockOffset() : 0
  if (!__ENV.START_LINE) return { offsetMs, startAtMs: Date.now() + leadMs }
  const query = `offsetMs=${offsetMs}&leadMs=${Math.ceil(leadMs)}`
  const answer = http.get(`${__ENV.START_LINE}?${query}`, { responseType: 'text', timeout: START_WITHIN })
  if (answer.status !== 200) throw new Error(`nobody says when to start: ${answer.error}`)
  return { offsetMs, startAtMs: answer.json('startAtMs') }
}

/**
 * Calls back at that time, unless what it returns is called before. k6 1.8 runs a timer too early now and then: one that comes due
 * while a callback runs is run twice, the second time in place of the next one.
 */
export function runAt(timeMs, callback) {
  let timer
  const arm = () => {
    timer = setTimeout(() => (Date.now() < timeMs ? arm() : callback()), Math.max(0, timeMs - Date.now()))
  }
  arm()
  return () => clearTimeout(timer)
}

export const until = (timeMs) => new Promise((resolve) => runAt(timeMs, resolve))

/**
 * Somebody with a token that is always good.
 * @param onSignedIn told of each further token
 */
export function stayingSignedIn({ userId, token, email, password }, onSignedIn = () => {}) {
  const [soonestMs, latestMs] = SIGN_IN_AFTER_MS
  const person = { userId, token }
  let isGone = false
  let stopWaiting = () => {}
  const again = () => {
    stopWaiting = runAt(Date.now() + soonestMs + Math.random() * (latestMs - soonestMs), async () => {
      try {
        person.token = await signIn(email, password)
        onSignedIn(person.token)
      } catch (error) {
        // Whatever is refused from now on counts.
        console.error(`could not sign in again: ${error.message ?? error}`)
      }
      if (!isGone) again()
    })
  }
  again()
  return Object.assign(person, {
    goHome() {
      isGone = true
      stopWaiting()
    },
  })
}

async function signIn(email, password) {
  const granted = await call('POST', '/auth/v1/token?grant_type=password', { body: { email, password } })
  const body = { supabaseToken: granted.access_token }
  return (await call('POST', '/api/v1/auth/session', { body })).token
}

/** Asks over HTTP. @returns the body of the answer */
export async function call(method, path, { token, body }) {
  const answer = await http.asyncRequest(method, `${prepared.baseUrl}${path}`, body ? JSON.stringify(body) : null, {
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    responseType: 'text',
    tags: { name: path.replace(/[0-9a-f]{8}-[0-9a-f-]+|\d+/g, ':id') },
  })
  if (answer.status < 200 || answer.status > 201) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`)
  return answer.json()
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

/**
 * Opens a socket and signs in when there is a token.
 * @param onOpen it is open, and signed in
 * @param onText every frame after that, as it came
 * @param onLost it ended before `close`, or was not ready in time; `ready` says that it is
 */
export function openSocket({ token, onOpen, onText, onLost }) {
  const socket = new WebSocket(socketUrl)
  let isClosing = false
  let isOpen = false
  const stop = () => {
    isClosing = true
    stopWaiting()
    socket.close()
  }
  const lose = (reason) => {
    if (isClosing) return
    stop()
    counters.sockets_lost.add(1)
    console.error(`a socket was lost: ${reason}`)
    onLost()
  }
  const stopWaiting = runAt(Date.now() + readyWithinMs, () => lose('it could not sign in and join in time'))
  const open = () => {
    isOpen = true
    onOpen()
  }
  socket.onmessage = ({ data }) => {
    if (isOpen) return onText(data)
    const { type, message } = JSON.parse(data)
    if (type === 'connected') {
      if (token === undefined) open()
      else socket.send(JSON.stringify({ type: 'auth', token }))
    } else if (type === 'auth_success') open()
    else if (type === 'error') lose(message)
  }
  socket.onerror = (event) => lose(event.error)
  socket.onclose = (event) => lose(`closed with ${event.code} ${event.reason}`)
  return { send: (frame) => socket.send(JSON.stringify(frame)), ready: stopWaiting, close: stop }
}

/** Counts a refusal by its code. */
export function noteRefusal({ code, message }) {
  counters.error_frames.add(1, { code: refusalTag(code) })
  if (!expectedRefusals.includes(code)) console.error(`${code}: ${message}`)
}

/** The counts as JSON where SUMMARY_FILE says, for the runner; by hand a few lines for whoever looks. */
export function summarise(data) {
  const counts = countsOf(data)
  const file = __ENV.SUMMARY_FILE
  if (file) return { [file]: JSON.stringify({ counts }) }
  return { stdout: describeDigest({ ...shape, counts, times: k6TimesOf(data) }) }
}
