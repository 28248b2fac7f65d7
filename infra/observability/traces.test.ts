import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type System, startSystem } from '../local/system.ts'
import { type Market, marketAt, type Trader } from '../rig/market.ts'
import { type ReceivedSpan, startTraceReceiver } from './testing/trace-receiver.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'wangian-traces-'))
let receiver: Awaited<ReturnType<typeof startTraceReceiver>>
let system: System
let market: Market
let seller: Trader
let buyer: Trader

beforeAll(async () => {
  receiver = await startTraceReceiver()
  system = await startSystem({
    dataDir,
    buildsWeb: false,
    rateLimitFactor: 1_000_000,
    environment: {
      identity: { AUTH_MAILER_AUTOCONFIRM: 'true' },
      '*': { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    },
  })
  market = marketAt(system.url)
  seller = await market.register('seller')
  buyer = await market.register('buyer')
}, 120_000)

afterAll(async () => {
  await system?.stop()
  await receiver?.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

const nameOf = ({ service, name }: ReceivedSpan) => `${service} ${name.replace(/\/\*?$/, '')}`

/** The trace that begins with a span of this name, once it has all of these: `service name`. */
function traceOf(root: string, wanted: readonly string[]): Promise<readonly ReceivedSpan[]> {
  return eventually(() => {
    const begun = receiver.spans.filter((span) => nameOf(span) === root)
    const traces = begun.map(({ traceId }) => receiver.spans.filter((span) => span.traceId === traceId))
    const found = traces.find((trace) => wanted.every((each) => trace.map(nameOf).includes(each)))
    if (found !== undefined) return found
    throw new Error(`no trace of ${root} has ${wanted}: ${JSON.stringify(traces.map((trace) => trace.map(nameOf)))}`)
  })
}

describe('a trace', () => {
  it('goes from the gateway to the service and on to who hears of it', async () => {
    const productId = await market.list(seller)
    const spans = await traceOf('gateway POST /api/products', [
      'catalogue POST /api/products',
      'catalogue command catalogue',
      'auction handle catalogue-listings',
    ])
    expect(productId).toBeGreaterThan(0)
    const ids = new Set(spans.map(({ spanId }) => spanId))
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined || !ids.has(parentSpanId))
    expect(roots.map(({ service }) => service)).toEqual(['gateway'])
  })

  it('goes over the bus to the owner of an auction, and to the commit', async () => {
    const { auctionId } = await market.openAuction(seller)
    await traceOf('gateway POST /api/auctions', [
      'auction POST /api/auctions',
      'auction judge open',
      'auction commit a batch',
    ])
    const seat = await market.sitDown(buyer)
    seat.bid(auctionId, 12)
    await seat.heard('bidAccepted')
    await traceOf('gateway bids', ['auction judge bids', 'auction commit a batch'])
    seat.write(seller.userId, 'Is it still there?')
    await seat.heard('message_sent')
    await traceOf('gateway a socket writes', [
      'gateway ask messaging/send-message',
      'messaging answer messaging/send-message',
      'messaging handle messaging-live',
    ])
    seat.leave()
  })

  it('is not what a client says, and says nobody', async () => {
    const traceId = '0123456789abcdef0123456789abcdef'
    // Long enough that no number of a span has it by chance.
    const productId = '1147110815'
    await fetch(`${system.url}/api/products/${productId}?q=secret-words`, {
      headers: { traceparent: `00-${traceId}-0123456789abcdef-01`, authorization: 'Bearer secret-token' },
    })
    await traceOf('gateway GET /api/products', ['catalogue GET /api/products/:productId'])
    const all = JSON.stringify(receiver.spans)
    expect(all).not.toContain(traceId)
    for (const secret of [productId, 'secret-words', 'secret-token', 'seller@example.com', seller.token])
      expect(all).not.toContain(secret)
  })
})
