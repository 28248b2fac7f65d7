import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isAlive } from '../processes/predecessor.ts'
import { launchNats, type NatsServer, startNats } from './nats.ts'

let dataDir: string
let nats: NatsServer

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-nats-'))
  nats = await startNats({ dataDir })
})

afterAll(async () => {
  await nats.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

describe('the embedded NATS', () => {
  it('keeps its streams when it is killed and started again on the same port', async () => {
    const connection = await connect({ servers: nats.url })
    const manager = await jetstreamManager(connection)
    await manager.streams.add({ name: 'PROBE', subjects: ['probe.>'] })
    await jetstream(connection).publish('probe.one', 'a fact')
    await connection.close()

    nats.kill()
    await nats.exited
    nats = await startNats({ dataDir, port: nats.port, monitoringPort: nats.monitoringPort })

    const again = await connect({ servers: nats.url })
    const info = await (await jetstreamManager(again)).streams.info('PROBE')
    expect(info.state.messages).toBe(1)
    await again.close()
    expect(existsSync(nats.storeDirectory)).toBe(true)
  })

  it('ends one that a dead start has left behind, before it works with the same store', async () => {
    const left = nats
    try {
      nats = await launchNats({ dataDir })
      expect(isAlive(left.pid)).toBe(false)
      await nats.ready
    } finally {
      await left.stop()
    }
  })
})
