import { spawnSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compareSync } from 'bcryptjs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeSecrets } from './secrets.ts'

let parent: string
let directory: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'wangian-secrets-'))
  directory = join(parent, 'secrets')
})
afterEach(() => rmSync(parent, { recursive: true }))

const secret = (name: string) => readFileSync(join(directory, name), 'utf8').trim()
const filesOf = (folder: string) => readdirSync(join(directory, folder)).sort()

describe('the secrets of a first start', () => {
  it('are a folder for each container, which others of the machine cannot enter', () => {
    makeSecrets(directory, 'localhost')
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    expect(statSync(join(directory, 'auction')).mode & 0o777).toBe(0o755)
    expect(statSync(join(directory, 'auction/nats-url')).mode & 0o777).toBe(0o644)
    expect(filesOf('auction')).toEqual(['database-url', 'nats-url'])
    expect(filesOf('gateway')).toEqual(['nats-url'])
    expect(filesOf('load-balancer')).toEqual(['tls.pem'])
    expect(filesOf('nats')).toEqual(['nats-server.conf'])
  })

  it('let each service in as itself, with a password of its own', () => {
    makeSecrets(directory, 'localhost')
    const urls = ['identity', 'auction', 'admin'].map((service) => new URL(secret(`${service}/database-url`)))
    expect(urls.map(({ username, host, pathname }) => `${username} ${host}${pathname}`)).toEqual([
      'identity postgres:5432/wangian',
      'auction postgres:5432/wangian',
      'admin postgres:5432/wangian',
    ])
    expect(new Set(urls.map(({ password }) => password)).size).toBe(3)
    expect(new URL(secret('prepare/database-url')).password).toBe(secret('postgres/password'))
    expect(secret('catalogue/s3-secret-access-key')).toBe(secret('storage/secret-access-key'))
  })

  it('tell NATS who may come in by hashes only, and to write before it acknowledges', () => {
    makeSecrets(directory, 'localhost')
    const config = secret('nats/nats-server.conf')
    const { password } = new URL(secret('auction/nats-url'))
    expect(config).toMatch(/^ {2}sync_interval: always$/m)
    expect(config).not.toContain(password)
    expect(compareSync(password, /user: auction, password: "([^"]+)"/.exec(config)?.[1] ?? '')).toBe(true)
  })

  it('have a certificate for the host, with its key', () => {
    makeSecrets(directory, 'shop.example.com')
    const pem = secret('load-balancer/tls.pem')
    const certificate = new X509Certificate(pem)
    expect(certificate.checkHost('shop.example.com')).toBe('shop.example.com')
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(certificate.checkPrivateKey(createPrivateKey(pem))).toBe(true)
  })
})

describe('secrets that are there', () => {
  it('stay as they are, and what is missing is made', () => {
    const made = makeSecrets(directory, 'localhost')
    expect(made).toContain('auction/database-url')
    writeFileSync(join(directory, 'identity/smtp-url'), 'smtps://mails:ours@mail.example.com\n')
    rmSync(join(directory, 'boost/nats-url'))
    const before = secret('auction/database-url')
    expect(makeSecrets(directory, 'localhost')).toEqual(['boost/nats-url'])
    expect(secret('identity/smtp-url')).toBe('smtps://mails:ours@mail.example.com')
    expect(secret('auction/database-url')).toBe(before)
    const { password } = new URL(secret('boost/nats-url'))
    const hash = /user: boost, password: "([^"]+)"/.exec(secret('nats/nats-server.conf'))?.[1] ?? ''
    expect(compareSync(password, hash)).toBe(true)
  })

  it('are whole, though the disk was full when they were made', () => {
    const script = join(import.meta.dirname, 'make-secrets.ts')
    const env = { PATH: process.env['PATH'], SECRETS_DIR: directory }
    // Files are made, and nothing can be written into them.
    const { stderr } = spawnSync('sh', ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, script], {
      env,
      encoding: 'utf8',
    })
    expect(stderr).toContain('EFBIG')
    makeSecrets(directory, 'localhost')
    expect(new URL(secret('prepare/database-url')).password).toMatch(/^.{32}$/)
    expect(filesOf('postgres')).toEqual(['password'])
  })
})
