import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPool, sql } from '@wangian/kit/database/postgres.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { type PostgresServer, startPostgres } from '../local/servers/postgres.ts'
import { unprivilegedUser } from '../local/servers/unprivileged-user.ts'
import { makeCertificate } from '../production/certificate.ts'
import { query } from './testing/query.ts'

let root: string
let certificate: string
let server: PostgresServer
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'wangian-tls-'))
  const files = makeCertificate(root, 'localhost', 1)
  certificate = files.certificate
  const user = unprivilegedUser()
  if (user) for (const path of [root, files.key, certificate]) chownSync(path, user.uid, user.gid)
  chmodSync(files.key, 0o600)
  const settings = { shared_buffers: '16MB', ssl: 'on', ssl_cert_file: certificate, ssl_key_file: files.key }
  server = await startPostgres({ dataDir: join(root, 'data'), settings })
})
afterAll(async () => {
  await server?.stop('immediate')
  rmSync(root, { recursive: true, force: true })
})

const isEncrypted = sql.type(z.object({ ssl: z.boolean() }))`
  select ssl from pg_stat_ssl where pid = pg_backend_pid()`

async function poolSays(url: string): Promise<boolean> {
  const pool = await openPool({ url, applicationName: 'tls' })
  try {
    return await pool.oneFirst(isEncrypted)
  } finally {
    await pool.end()
  }
}

it.each([
  ['sslmode=verify-full&sslrootcert=', true],
  ['sslmode=require&sslrootcert=', true],
  ['sslrootcert=', true],
  ['sslmode=no-verify', true],
  ['sslmode=disable', false],
])('a pool has the TLS that the address asks for with ?%s, as any other connection', async (search, expected) => {
  const url = `${server.url}?${search.replace('sslrootcert=', `sslrootcert=${certificate}`)}`
  expect(await query(url, isEncrypted.sql)).toEqual([{ ssl: expected }])
  expect(await poolSays(url)).toBe(expected)
})

it('a pool believes no certificate that nobody it knows has signed', async () => {
  await expect(poolSays(`${server.url}?sslmode=verify-full`)).rejects.toThrow('self-signed certificate')
})
