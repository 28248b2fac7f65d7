import { jetstreamManager } from '@nats-io/jetstream'
import type { Msg } from '@nats-io/transport-node'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../errors.ts'
import { eventually } from '../testing/eventually.ts'
import { startTestNats, type TestNats } from '../testing/test-nats.ts'
import { createPublisher, type Outgoing, type Publisher } from './publisher.ts'

let nats: TestNats
let publisher: Publisher
beforeAll(async () => {
  nats = await startTestNats()
  publisher = createPublisher(nats.connection)
})
afterAll(() => nats.stop())
// A stream for each test: a server that still clears the folder of a deleted one may refuse another of its name.
let streams = 0
let streamName: string
beforeEach(async () => {
  streams += 1
  streamName = `TALES-${streams}`
  const manager = await jetstreamManager(nats.connection)
  await manager.streams.add({ name: streamName, subjects: [subject()], max_msg_size: 500 })
})

const subject = (): string => `tales.${streams}`
const tale = (payload: string): Outgoing => ({ subject: subject(), payload })

async function stored(): Promise<string[]> {
  const manager = await jetstreamManager(nats.connection)
  const { state } = await manager.streams.info(streamName)
  const payloads: string[] = []
  for (let seq = 1; seq <= state.last_seq; seq += 1) {
    payloads.push((await manager.streams.getMessage(streamName, { seq }))?.string() ?? '')
  }
  return payloads
}

describe('a publisher', () => {
  it('stores a batch in its order', async () => {
    const batch = Array.from({ length: 200 }, (_, n) => tale(`tale-${n}`))
    await publisher.publish(batch, 5_000)
    expect(await stored()).toEqual(batch.map(({ payload }) => payload))
  })

  it('fails when a message is refused, and can be asked again', async () => {
    const batch = [tale('a'), tale('far too long '.repeat(100))]
    await expect(publisher.publish(batch, 5_000)).rejects.toThrow(Failure)
    await publisher.publish([tale('b')], 5_000)
    expect(await stored()).toEqual(['a', 'b'])
  })

  it('says at once that there is no stream', async () => {
    const lost = { ...tale('a'), subject: 'nowhere' }
    await expect(publisher.publish([lost], 5_000)).rejects.toThrow('there is no stream')
  })

  it('gives up after the time it is given, and works again', async () => {
    await nats.kill()
    await expect(publisher.publish([tale('a')], 50)).rejects.toThrow(Failure)
    await nats.restart()
    await eventually(() => publisher.publish([tale('b')], 500))
    expect(await stored()).toContain('b')
  })

  it('takes no answer that comes late for one to the next batch', async () => {
    const asked: Msg[] = []
    const slow = { subject: `slow.${streams}`, payload: 'a' }
    nats.connection.subscribe(slow.subject, { callback: (_error, message) => void asked.push(message) })
    await nats.connection.flush()
    await expect(publisher.publish([slow], 50)).rejects.toThrow(Failure)
    const next = publisher.publish([slow], 200)
    asked[0]?.respond(JSON.stringify({ stream: streamName, seq: 1 }))
    await expect(next).rejects.toThrow(Failure)
  })

  it('has nothing to do for an empty batch', async () => {
    await publisher.publish([], 5_000)
  })
})
