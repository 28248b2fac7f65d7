// npm run bench:deals [-- --conversations 10000] [--messages 100] [--seconds 20] [--rates 50,200] [--only delivery]
import { cpus, loadavg } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openPool, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { type AuctionRig, startAuctionRig } from '../rig/auction-rig.ts'
import { buyerOf, emptyTables, expectAsProjected, fillConversations, sellerOf } from './conversations.ts'
import { tellFigure } from './figures.ts'
import { requestLoop, type Signed } from './request-loop.ts'
import { quantile } from './statistics.ts'

/*
 * How long messaging takes to answer with very many conversations and deals, and how long a message is on its way from one socket to the other.
 */

const { values: flags } = parseArgs({
  options: {
    conversations: { type: 'string', default: '10000' },
    messages: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '20' },
    rates: { type: 'string', default: '50,200' },
    only: { type: 'string', default: '' },
  },
})
const amounts = { conversations: Number(flags.conversations), messagesEach: Number(flags.messages) }
const durationMs = Number(flags.seconds) * 1000
/** Of this size what was filled in is compared with what the projection makes of the log. */
const proven = { conversations: 200, messagesEach: 20 }
const IN_PARALLEL = 4
const WARM_UP_MS = 2000
const STATEMENT_TIMEOUT_MS = 30 * 60 * 1000
/** Conversations whose people ask, and write. */
const ASKING = 100
/** Messages a second, one after the other; the goal is for the last one. */
const rates = flags.rates.split(',').map(Number)
const isWanted = (part: 'pages' | 'delivery') => flags.only === '' || flags.only === part
const goalsMs = { page: 30, delivery: 50 }

async function main(): Promise<void> {
  const rig = await startAuctionRig({ hasMessaging: true })
  try {
    const { messaging } = rig
    if (messaging === null) throw new Error('the rig was asked for messaging')
    await messaging.process.stop()
    await fill(messaging.databaseUrl)
    await messaging.process.start()
    await untilRead(messaging.databaseUrl)
    console.log(`${amounts.conversations} conversations of ${amounts.messagesEach} messages, ${loadOfMachine()}`)
    console.log('| ms | asked | p50 | p99 | goal of the p99 |\n|---|---|---|---|---|')
    if (isWanted('pages')) await measurePages(rig, messaging.url)
    if (isWanted('delivery')) for (const ratePerS of rates) await measureDelivery(rig, ratePerS)
    console.log(`afterwards ${loadOfMachine()}`)
  } finally {
    await rig.stop()
  }
}

/** What else runs makes all of this slower. */
const loadOfMachine = () => `${cpus().length} cores at a load of ${loadavg()[0]?.toFixed(1)}`

async function fill(url: string): Promise<void> {
  const pool = await openPool({
    url,
    applicationName: 'bench',
    connectionsMax: 5,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  })
  try {
    await fillConversations(pool, proven)
    await expectAsProjected(pool)
    await emptyTables(pool)
    const startedAtMs = performance.now()
    await fillConversations(pool, amounts)
    console.log(`filled in ${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`)
  } finally {
    await pool.end()
  }
}

/** What was filled in at once the service's own consumers must read, which in peace they have long done. */
async function untilRead(url: string): Promise<void> {
  const pool = await openPool({
    url,
    applicationName: 'bench',
    connectionsMax: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  })
  const startedAtMs = performance.now()
  try {
    while (!(await pool.oneFirst(areAllRead))) await wait(500)
    console.log(`the log was read ${((performance.now() - startedAtMs) / 1000).toFixed(0)} s after the start`)
  } finally {
    await pool.end()
  }
}

const areAllRead = sql.type(z.object({ areAllRead: z.boolean() }))`
  select count(*) = 2 as "areAllRead" from consumer_positions read
   where consumer in ('messaging-live', 'messaging-notices') and type = 'MessageSent'
     and (tx, position) >= (select tx::text::bigint, position from events where type = 'MessageSent' order by events.tx desc, position desc limit 1)`

const asking = Array.from(
  { length: ASKING },
  (_, index) => Math.floor((index * amounts.conversations) / ASKING) + index,
)

async function measurePages(rig: AuctionRig, url: string): Promise<void> {
  const people = await Promise.all(
    asking.map(async (index) => {
      const [seller, buyer] = [sellerOf(index), buyerOf(index)]
      return { seller, buyer, sellers: await rig.tokenFor(seller), buyers: await rig.tokenFor(buyer) }
    }),
  )
  const pages: Readonly<Record<string, (person: (typeof people)[number]) => Signed[]>> = {
    'messages, 50 of them': ({ sellers, buyers }) => both('/api/messages?limit=50', sellers, buyers),
    'what came since, 50 of it': ({ sellers }) => [
      {
        url: `${url}/api/messages?limit=50&after=${amounts.conversations * (amounts.messagesEach - 1)}`,
        token: sellers,
      },
    ],
    'list of conversations, 50': ({ sellers, buyers }) => both('/api/messages/conversations?limit=50', sellers, buyers),
    'a conversation, 50 of it': ({ seller, buyer, sellers, buyers }) => [
      { url: `${url}/api/messages/conversation/${buyer}?limit=50`, token: sellers },
      { url: `${url}/api/messages/conversation/${seller}?limit=50`, token: buyers },
    ],
    'unread count': ({ sellers, buyers }) => both('/api/messages/unread-count', sellers, buyers),
    'orders, 50 of them': ({ buyers }) => [{ url: `${url}/api/orders/user?limit=50`, token: buyers }],
    'sales, 50 of them': ({ sellers }) => [{ url: `${url}/api/orders/sales?limit=50`, token: sellers }],
    'what waits for somebody': ({ sellers, buyers }) => both('/api/orders/waiting?limit=50', sellers, buyers),
  }
  function both(path: string, sellers: string, buyers: string): Signed[] {
    return [
      { url: `${url}${path}`, token: sellers },
      { url: `${url}${path}`, token: buyers },
    ]
  }
  for (const [name, addressesOf] of Object.entries(pages)) {
    const addresses = people.flatMap(addressesOf)
    await requestLoop(addresses, { inParallel: IN_PARALLEL, durationMs: WARM_UP_MS })
    report(name, await requestLoop(addresses, { inParallel: IN_PARALLEL, durationMs: durationMs / 2 }), goalsMs.page)
  }
}

/**
 * An open loop: each message is due at its time, whatever became of the ones before, and its time counts from then. As for pages the first
 * ones warm up, and are told beside the others.
 */
async function measureDelivery(rig: AuctionRig, ratePerS: number): Promise<void> {
  const dueAtMs = new Map<string, number>()
  const [warmUpMs, tookMs]: [number[], number[]] = [[], []]
  let startsAtMs = Infinity
  const pairs = await Promise.all(
    asking.map(async (index) => {
      const receiverId = sellerOf(index)
      const receiver = await connect(rig, receiverId, ({ type, message }) => {
        const due = type === 'new_message' ? dueAtMs.get(message?.content ?? '') : undefined
        if (due !== undefined) (due < startsAtMs + WARM_UP_MS ? warmUpMs : tookMs).push(performance.now() - due)
        dueAtMs.delete(message?.content ?? '')
      })
      return { sender: await connect(rig, buyerOf(index), () => {}), receiver, receiverId }
    }),
  )
  const count = ((WARM_UP_MS + durationMs) / 1000) * ratePerS
  startsAtMs = performance.now() + 100
  for (let number = 0; number < count; number++) {
    const due = startsAtMs + (number * 1000) / ratePerS
    const waitMs = due - performance.now()
    if (waitMs > 0) await wait(waitMs)
    const content = `${ratePerS} a second, number ${number}`
    const { sender, receiverId } = pairs[number % pairs.length] as (typeof pairs)[number]
    dueAtMs.set(content, due)
    const clientMessageId = crypto.randomUUID()
    sender.send(JSON.stringify({ type: 'send_message', receiverId, content, clientMessageId }))
  }
  for (const endsAtMs = performance.now() + 10_000; dueAtMs.size > 0 && performance.now() < endsAtMs; ) await wait(50)
  for (const { sender, receiver } of pairs) for (const socket of [sender, receiver]) socket.close()
  report(`a message, at ${ratePerS} a second`, tookMs, goalsMs.delivery)
  report(`the first ${WARM_UP_MS / 1000} s of them`, warmUpMs, goalsMs.delivery)
  if (dueAtMs.size > 0)
    console.log(`${dueAtMs.size} of ${count} messages were refused, or not delivered after 10 s more`)
}

interface Frame {
  readonly type: string
  readonly message?: { readonly content: string }
}

async function connect(rig: AuctionRig, userId: number, onFrame: (frame: Frame) => void): Promise<WebSocket> {
  // First: nothing may come between the socket and those who listen to it.
  const token = await rig.tokenFor(userId)
  const socket = new WebSocket(rig.socketUrl)
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('close', () => reject(new Error('a socket was closed')))
    socket.addEventListener('message', ({ data }) => {
      const frame: Frame = JSON.parse(String(data))
      if (frame.type === 'connected') socket.send(JSON.stringify({ type: 'auth', token }))
      if (frame.type === 'auth_success') resolve()
      onFrame(frame)
    })
  })
  return socket
}

function report(name: string, tookMs: readonly number[], goalMs: number): void {
  const [p50, p99] = [quantile(tookMs, 0.5), quantile(tookMs, 0.99)]
  tellFigure({ name: `deals: ${name}, p99`, value: p99, unit: 'ms', isMore: false })
  const verdict = p99 < goalMs ? 'reached' : 'missed'
  console.log(`| ${name} | ${tookMs.length} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${goalMs}, ${verdict} |`)
}

await main()
