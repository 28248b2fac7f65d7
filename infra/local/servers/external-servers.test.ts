import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testServers } from '@wangian/kit/testing/config.ts'
import { expect, it } from 'vitest'
import { checkNats, checkPostgres } from './external-servers.ts'
import { loadNatsPasswords, locateNatsServer, natsUrlFor, startNats } from './nats.ts'

it('says of a Postgres what is wrong with DATABASE_URL, and no password', async () => {
  const url = new URL(testServers().databaseUrl)
  const at = ({ password = url.password, search = '' }) => Object.assign(new URL(url), { password, search }).href
  await expect(checkPostgres(at({ password: 'wrong' }), 1)).rejects.toThrow('(DATABASE_URL) cannot be used: password')
  await expect(checkPostgres(at({ password: '' }), 1)).rejects.toThrow(/\(DATABASE_URL\) .*it has no password\.$/)
  await expect(checkPostgres(at({ search: '?sslmode=verify-full&sslrootcert=/nowhere.pem' }), 1)).rejects.toThrow(
    /\(DATABASE_URL\) cannot be used: .*\/nowhere\.pem/,
  )
  const hidden = checkPostgres(at({ search: '?password=hidden' }), 1)
  await expect(hidden).rejects.toThrow('(DATABASE_URL)')
  await expect(hidden).rejects.not.toThrow('hidden')
})

it('says of a pooler that takes no settings of connections that it is one', async () => {
  const refusal = 'SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0'
  const length = Buffer.alloc(4)
  length.writeInt32BE(length.length + refusal.length)
  const pooler = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      socket.end(
        data.includes('statement_timeout') ? Buffer.concat([Buffer.from('E'), length, Buffer.from(refusal)]) : '',
      )
    })
  })
  await once(pooler.listen(0, '127.0.0.1'), 'listening')
  const { port } = pooler.address() as AddressInfo
  try {
    await expect(checkPostgres(`postgres://wangian:secret@127.0.0.1:${port}/wangian`, 1)).rejects.toThrow(
      /cannot be used: unsupported startup parameter: statement_timeout; PgBouncer .*name the Postgres behind it\.$/,
    )
  } finally {
    pooler.close()
  }
})

it('takes a NATS that is new enough and has JetStream', async () => {
  await checkNats(testServers().natsUrl)
})

it('takes a NATS that wants a user, and says when it does not know this one', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'wangian-nats-'))
  const passwords = loadNatsPasswords(dataDir)
  const nats = await startNats({ dataDir, passwords, binary: await locateNatsServer() })
  try {
    const url = natsUrlFor('operator', passwords, nats.port)
    await checkNats(url)
    const nobody = url.replace(/:\d+$/, ':1')
    await checkNats(`${nobody}, ${url}`)
    await expect(checkNats(`${nobody},${nobody}`)).rejects.toThrow(
      /^NATS at nats:\/\/operator@127\.0\.0\.1:1, nats:\/\/operator@127\.0\.0\.1:1 \(NATS_URL\) cannot be used/,
    )
    await expect(checkNats(url.replace(passwords.operator, 'wrong'))).rejects.toThrow(
      `NATS at nats://operator@127.0.0.1:${nats.port} does not take the user and password of NATS_URL.`,
    )
  } finally {
    await nats.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})

it('says which NATS is needed when it finds an older one', async () => {
  const info = { server_id: 'OLD', version: '2.9.9', proto: 1, host: '127.0.0.1', headers: true, max_payload: 1024 }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write(`INFO ${JSON.stringify(info)}\r\n`)
    socket.on('data', (data) => data.includes('PING') && socket.write('PONG\r\n'))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  try {
    await expect(checkNats(`nats://127.0.0.1:${port}`)).rejects.toThrow(
      /\(NATS_URL\) cannot be used: it is version 2\.9\.9\. It has to be 2\.9\.10 or newer/,
    )
  } finally {
    server.close()
  }
})
