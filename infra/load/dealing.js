// Sellers and buyers who write to each other and make deals, and sellers who boost.
import exec from 'k6/execution'
import http from 'k6/http'
import {
  call,
  counters,
  durationMs,
  noteRefusal,
  openSocket,
  pairs,
  part,
  prepared,
  runAt,
  shape,
  stayingSignedIn,
  Tally,
  tell,
  until,
} from './wangian.js'

/** Whoever waits longer has lost it. */
const HEARD_WITHIN_MS = 10_000
const LOOK_EVERY_MS = 100

/** A seller and a buyer: a question, an answer, and a deal from its offer to its review, again and again at their share of the rate. */
export async function deal({ startAtMs }) {
  const at = exec.scenario.iterationInTest
  const { productId } = pairs[at]
  const tally = new Tally()
  const [seller, buyer] = [pairs[at].seller, pairs[at].buyer].map(sitDown)
  try {
    await Promise.all([seller.ready, buyer.ready])
    const periodMs = (60_000 * shape.pairs) / shape.dealsPerMinute
    let dueAtMs = startAtMs + (periodMs * (part.firstPair + at)) / shape.pairs
    for (; dueAtMs < startAtMs + durationMs - 0.5; dueAtMs += periodMs) {
      await until(dueAtMs)
      try {
        const transactionId = await makeDeal({ seller, buyer, productId, tally })
        tell('deal', { transactionId, buyer: part.firstPair + at })
        counters.deals_done.add(1)
      } catch (error) {
        counters.deals_failed.add(1)
        console.error(`a deal failed: ${error.message ?? error}`)
      }
    }
  } finally {
    seller.leave()
    buyer.leave()
    tally.print()
  }
}

/** @returns the id of the transaction */
async function makeDeal({ seller, buyer, productId, tally }) {
  const text = (content) => ({ type: 'send_message', content: `${content} (${crypto.randomUUID()})` })
  await send(text('Is it still there?'), buyer, seller, productId, tally)
  await send(text('It is, and unopened.'), seller, buyer, productId, tally)
  const offer = { type: 'send_action_message', actionType: 'INITIATE' }
  const { id, transaction } = await send(offer, seller, buyer, productId, tally)
  const payment = await confirm(buyer, id, tally)
  const delivery = await confirm(seller, payment, tally)
  const review = await confirm(buyer, delivery, tally)
  await step(buyer, `submit-review/${review}`, { rating: 4.5, comment: 'Well packed.' }, tally)
  return transaction.id
}

/** Sends it, and waits until it is stored and the other one has it. */
async function send(frame, from, to, productId, tally) {
  const clientMessageId = crypto.randomUUID()
  const sentAtMs = Date.now()
  const stored = from.next((heard) => heard.type === 'message_sent' && heard.clientMessageId === clientMessageId)
  const isThis = (message) =>
    frame.content ? message.content === frame.content : message.actionType === frame.actionType
  const there = to.next((heard) => heard.type === 'new_message' && isThis(heard.message))
  from.send({ ...frame, receiverId: to.person.userId, productId, clientMessageId })
  const [{ message }] = await Promise.all([stored, there])
  tally.time('message_time', Date.now() - sentAtMs)
  counters.messages_sent.add(1)
  return message
}

/** @returns the id of the card that follows */
async function confirm(seat, messageId, tally) {
  return (await step(seat, 'action/confirm', { messageId }, tally)).next.id
}

async function step({ person }, path, body, tally) {
  const sentAtMs = Date.now()
  const answer = await call('POST', `/api/messages/${path}`, { token: person.token, body })
  tally.time('deal_step_time', Date.now() - sentAtMs)
  return answer
}

/** Somebody with a socket, and a promise for what is yet to be heard. */
function sitDown(somebody) {
  const person = stayingSignedIn(somebody, (token) => socket.send({ type: 'auth', token }))
  let waiting = []
  const failAll = (error) => {
    for (const { reject } of waiting.splice(0)) reject(error)
  }
  let becomeReady
  let becomeLost
  const ready = new Promise((resolve, reject) => {
    becomeReady = resolve
    becomeLost = reject
  })
  const socket = openSocket({
    token: person.token,
    onOpen() {
      socket.ready()
      becomeReady()
    },
    onText(text) {
      const frame = JSON.parse(text)
      if (frame.type === 'error') {
        noteRefusal(frame)
        return failAll(new Error(`${frame.code}: ${frame.message}`))
      }
      const heard = waiting.find(({ isIt }) => isIt(frame))
      waiting = waiting.filter((one) => one !== heard)
      heard?.resolve(frame)
    },
    onLost() {
      becomeLost(new Error('the socket was lost'))
      failAll(new Error('the socket was lost'))
    },
  })
  const next = (isIt) =>
    new Promise((resolve, reject) => {
      const settling = (settle) => (value) => {
        stopWaiting()
        settle(value)
      }
      const one = { isIt, resolve: settling(resolve), reject: settling(reject) }
      const stopWaiting = runAt(Date.now() + HEARD_WITHIN_MS, () => {
        waiting = waiting.filter((other) => other !== one)
        reject(new Error('a message did not come'))
      })
      waiting.push(one)
    })
  const leave = () => {
    socket.close()
    person.goHome()
  }
  return { person, ready, next, send: socket.send, leave }
}

/** A seller after the other orders a boost, pays for it in the sandbox, and waits until it is known. */
export async function boost({ startAtMs }) {
  const tally = new Tally()
  const periodMs = 60_000 / shape.boostsPerMinute
  const sellers = Array.from(pairs, ({ seller, productId }) => ({ seller: stayingSignedIn(seller), productId }))
  let number = 0
  for (let dueAtMs = startAtMs; dueAtMs < startAtMs + durationMs - 0.5; dueAtMs += periodMs) {
    await until(dueAtMs)
    const { seller, productId } = sellers[number++ % sellers.length]
    const orderedAtMs = Date.now()
    try {
      await buyBoost(seller, productId)
      tally.time('boost_time', Date.now() - orderedAtMs)
      counters.boosts_paid.add(1)
    } catch (error) {
      counters.boosts_failed.add(1)
      console.error(`a boost failed: ${error.message ?? error}`)
    }
  }
  for (const { seller } of sellers) seller.goHome()
  tally.print()
}

async function buyBoost({ token }, productId) {
  const form = { boostPackageId: prepared.boostPackageId, productIds: [productId], requestKey: crypto.randomUUID() }
  const { orderId, paymentUrl } = await call('POST', '/api/boost/create-order', { token, body: form })
  const paid = await http.asyncRequest('POST', `${paymentUrl}/pay`, null, { redirects: 0 })
  if (paid.status !== 303) throw new Error(`the sandbox answered ${paid.status}`)
  const giveUpAtMs = Date.now() + HEARD_WITHIN_MS
  for (;;) {
    const { status, products } = await call('GET', `/api/boost/payments/${orderId}`, { token })
    if (status === 'paid' && products.every(({ state }) => state === 'boosted')) return
    if (Date.now() > giveUpAtMs) throw new Error(`order ${orderId} is ${status}, its product ${products[0]?.state}`)
    await until(Date.now() + LOOK_EVERY_MS)
  }
}
