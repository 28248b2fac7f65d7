import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { eventStreamName, loggingServices } from '@wangian/contracts/subjects.ts'
import { connectNats, type NatsConnection } from '@wangian/kit/bus/nats.ts'
import { ensureEventStream } from '@wangian/kit/log/event-stream.ts'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type NatsServer, startNats } from '../local/servers/nats.ts'

let dataDir: string
let server: NatsServer
let nats: NatsConnection
let manager: JetStreamManager
/** Bytes that the server gives to all streams together. */
let room: number

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-streams-'))
  server = await startNats({ dataDir })
  nats = await connectNats({ url: server.url, name: 'streams' })
  manager = await jetstreamManager(nats)
  const answer = await fetch(`http://127.0.0.1:${server.monitoringPort}/jsz`)
  const { config } = (await answer.json()) as { config: { max_storage: number } }
  room = config.max_storage
})
afterEach(async () => {
  for await (const { config } of manager.streams.list()) await manager.streams.delete(config.name)
})
afterAll(async () => {
  await nats.close()
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const bytesMaxOf = async (stream: string) => (await manager.streams.info(stream)).config.max_bytes

it('the streams of all services let go of what is old before a server of ours takes nothing more', async () => {
  for (const service of loggingServices) await ensureEventStream(nats, manager, service)
  const bounds = await Promise.all(loggingServices.map((service) => bytesMaxOf(eventStreamName(service))))
  for (const bytesMax of bounds) expect(bytesMax).toBeGreaterThan(0)
  expect(bounds.reduce((sum, bytesMax) => sum + bytesMax, 0)).toBeLessThan(room)
})

it('a stream is made without such a bound where the server has not as much to promise', async () => {
  await manager.streams.add({ name: 'TAKEN', subjects: ['taken'], max_bytes: room - 1024 })
  await ensureEventStream(nats, manager, 'auction')
  expect(await bytesMaxOf(eventStreamName('auction'))).toBe(-1)
})
