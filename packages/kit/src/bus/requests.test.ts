import { requestSubject } from '@wangian/contracts/subjects.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Failure, isUnavailability, Rejection } from '../errors.ts'
import { testServers } from '../testing/config.ts'
import { closeNats, connectNats, isNoResponders, isRequestTimeout, type NatsConnection } from './nats.ts'
import { request, serveRequests } from './requests.ts'

let asker: NatsConnection
let answerer: NatsConnection
beforeAll(async () => {
  asker = await connectNats({ url: testServers().natsUrl, name: 'asker' })
  answerer = await connectNats({ url: testServers().natsUrl, name: 'answerer' })
})
afterAll(async () => {
  await closeNats(asker)
  await closeNats(answerer)
})

let serving: { stop(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(serving.map((one) => one.stop()))
  serving = []
})

const double = {
  // Files run side by side on one server: the name belongs to this one.
  name: 'kit-bus-test-double',
  body: z.object({ value: z.coerce.number(), note: z.string().optional() }),
  answer: z.object({ doubled: z.number() }),
}

async function serve(handler: Parameters<typeof serveRequests<typeof double.body, typeof double.answer>>[3]) {
  const one = serveRequests(answerer, 'catalogue', double, handler)
  serving.push(one)
  await answerer.flush()
  return one
}

const ask = (value: unknown, timeoutMs = 2000) => request(asker, 'catalogue', double, { value }, { timeoutMs })

describe('a request over the bus', () => {
  it('is parsed and answered', async () => {
    await serve(({ value }) => ({ doubled: value * 2 }))
    expect(await ask('21')).toEqual({ doubled: 42 })
  })

  it('loses what the contract does not name, both ways', async () => {
    const seen: unknown[] = []
    await serve((body) => {
      seen.push(body)
      const answer = { doubled: 2, secret: true }
      return answer
    })
    const body = { value: 1, isAdmin: true }
    expect(await request(asker, 'catalogue', double, body)).toEqual({ doubled: 2 })
    expect(seen).toEqual([{ value: 1 }])
  })

  it('is shared by instances, not answered twice', async () => {
    let answered = 0
    const count = () => {
      answered += 1
      return { doubled: 0 }
    }
    await serve(count)
    await serve(count)
    for (let index = 0; index < 20; index += 1) await ask(index)
    expect(answered).toBe(20)
  })

  it('carries a rejection as it is', async () => {
    await serve(() => {
      throw new Rejection('bid-too-low', 'Too low', { minimum: 5 })
    })
    await expect(ask(1)).rejects.toMatchObject({
      name: 'Rejection',
      code: 'bid-too-low',
      message: 'Too low',
      details: { minimum: 5 },
    })
  })

  it('turns a bug and an outage of the other side into a failure, without its words', async () => {
    await serve(({ value }) => {
      throw value === 1 ? new Error('secret') : new Failure('secret')
    })
    for (const value of [1, 2]) {
      const error = await ask(value).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Failure)
      expect(String(error)).not.toContain('secret')
    }
  })

  it('fails when the answer is against the contract', async () => {
    await serve(() => ({ doubled: 'two' }) as never)
    await expect(ask(1)).rejects.toBeInstanceOf(Failure)
  })

  it('is a bug when the question is against the contract', async () => {
    await serve(() => ({ doubled: 2 }))
    await expect(ask('x')).rejects.toBeInstanceOf(z.ZodError)
  })

  it('is refused when somebody sends what is no question', async () => {
    await serve(() => ({ doubled: 2 }))
    for (const payload of ['', '{"value"', '{"value":"x"}', '[]']) {
      const reply = await asker.request(requestSubject('catalogue', double.name), payload)
      expect(reply.json()).toMatchObject({ error: { code: 'bad-request' } })
    }
  })

  it('fails at once when nobody is there', async () => {
    // It would take longer than this test may.
    const error = await ask(1, 600_000).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Failure)
    expect(isNoResponders((error as Failure).cause)).toBe(true)
  })

  it('fails when no answer comes in time', async () => {
    const never = Promise.withResolvers<{ doubled: number }>()
    await serve(() => never.promise)
    const error = await ask(1, 100).catch((reason: unknown) => reason)
    never.resolve({ doubled: 0 })
    expect(error).toBeInstanceOf(Failure)
    expect(isRequestTimeout((error as Failure).cause)).toBe(true)
    expect(isNoResponders((error as Failure).cause)).toBe(false)
    expect(isUnavailability(error)).toBe(true)
  })

  it('is still answered when it was under way as serving stopped', async () => {
    const running = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<{ doubled: number }>()
    const one = await serve(() => {
      running.resolve()
      return finish.promise
    })
    const answer = ask(1)
    await running.promise
    const stopped = one.stop()
    finish.resolve({ doubled: 2 })
    expect(await answer).toEqual({ doubled: 2 })
    await stopped
    await expect(ask(1)).rejects.toBeInstanceOf(Failure)
  })

  it('fails on a closed connection', async () => {
    const closed = await connectNats({ url: testServers().natsUrl, name: 'closed' })
    await closeNats(closed)
    await closeNats(closed)
    await expect(request(closed, 'catalogue', double, { value: 1 })).rejects.toBeInstanceOf(Failure)
  })
})
