import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Message } from '@wangian/contracts/messaging.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ServiceHandle, type System, startSystem } from '../local/system.ts'
import { type Market, marketAt, type Trader } from '../rig/market.ts'
import { moments, prepareDeaths } from './deaths.ts'
import { startWriting } from './writing.ts'

const WRITERS = 5
const POLLED_AT_ONCE = 7
const POLL_EVERY_MS = 20
const PATIENT = { timeoutMs: 30_000 }

let system: System
let dataDir: string
let market: Market
let deaths: ReturnType<typeof prepareDeaths>

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-messages-'))
  deaths = prepareDeaths(dataDir)
  const environment = { identity: { AUTH_MAILER_AUTOCONFIRM: 'true' }, messaging: deaths.environment }
  system = await startSystem({ dataDir, buildsWeb: false, rateLimitFactor: 1_000_000, environment })
  market = marketAt(system.url)
})

afterAll(async () => {
  await system?.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

function serviceOf(name: 'messaging' | 'gateway'): ServiceHandle {
  const service = system.services.get(name)
  if (service === undefined) throw new Error(`${name} runs`)
  return service
}

/** Somebody who asks for what came since the last message that they have. */
function startPolling(reader: Trader, afterId: number) {
  const got: Message[] = []
  let isOver = false
  async function poll(): Promise<void> {
    for (;;) {
      const after = got.at(-1)?.id ?? afterId
      const { status, body } = await market
        .call('GET', `/api/messages?after=${after}&limit=${POLLED_AT_ONCE}`, reader.token)
        .catch(() => ({ status: 503, body: [] }))
      if (status === 200) got.push(...body)
      else expect([502, 503]).toContain(status)
      if (isOver && status === 200 && body.length === 0) return
      await wait(POLL_EVERY_MS)
    }
  }
  const polling = poll()
  return {
    async stop() {
      isOver = true
      await polling
      return got
    },
  }
}

it('every message that is shown as sent is there once, and who asks for what came since misses none, whatever is killed', async () => {
  const reader = await market.register('reader')
  const traders = await Promise.all(Array.from({ length: WRITERS }, (_, index) => market.register(`writer${index}`)))
  const [first] = traders as [Trader]
  const opening = await market.sitDown(first)
  await eventually(async () => {
    opening.write(reader.userId, 'Hello')
    await opening.heard('message_sent')
  }, PATIENT)
  opening.leave()
  const [hello] = (await market.succeed('GET', '/api/messages', reader.token)) as [Message]
  const writers = traders.map((trader) => startWriting(market, trader, reader.userId))
  const polling = startPolling(reader, hello.id)
  const goOn = async () => {
    const counts = writers.map(({ shown }) => shown.length)
    await eventually(() => writers.every(({ shown }, index) => shown.length > (counts[index] ?? 0) + 1), PATIENT)
  }

  await goOn()
  for (const moment of moments) {
    await deaths.killAround({ service: serviceOf('messaging'), moments: [moment], type: 'MessageSent' }, () => {})
    await goOn()
  }
  await serviceOf('gateway').stop()
  await serviceOf('gateway').start()
  await goOn()
  const refusals = writers.map(({ refusedCount }) => refusedCount())
  await system.nats?.kill()
  await system.nats?.stop()
  await eventually(() => writers.every(({ refusedCount }, index) => refusedCount() > (refusals[index] ?? 0)), PATIENT)
  await system.nats?.start()
  await goOn()

  for (const writer of writers) await writer.stop()
  const polled = await polling.stop()
  const all = (await market.succeed('GET', `/api/messages?after=${hello.id}`, reader.token)) as Message[]
  expect(polled.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
  expect(all.map(({ content }) => content).toSorted()).toEqual(writers.flatMap(({ shown }) => shown).toSorted())
})
