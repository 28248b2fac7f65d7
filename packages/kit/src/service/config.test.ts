import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  addresses,
  ConfigError,
  databaseAddress,
  EXIT_CODE_CONFIG,
  flag,
  loadConfig,
  serviceEnvironment,
  variableName,
} from './config.ts'

const complete = {
  NODE_ENV: 'development',
  SERVICE_PORT: '4001',
  INSTANCE_ID: 'auction-1',
  NATS_URL: 'nats://127.0.0.1:4222',
  IDENTITY_URL: 'http://127.0.0.1:4002/',
  DATABASE_URL: 'postgres://auction:secret@127.0.0.1:5432/wangian',
}
const shape = serviceEnvironment.extend({ databaseUrl: databaseAddress })

describe('a complete environment', () => {
  it('becomes values with names of ours', () => {
    expect(loadConfig(shape, complete)).toEqual({
      serviceHost: '127.0.0.1',
      servicePort: 4001,
      instanceId: 'auction-1',
      natsUrl: 'nats://127.0.0.1:4222',
      logLevel: 'info',
      nodeEnv: 'development',
      drainMs: 1500,
      dataDir: '.data',
      publicUrl: 'http://localhost:8080',
      identityUrl: ['http://127.0.0.1:4002'],
      rateLimitFactor: 1,
      seed: 'none',
      otelTracesSamplerArg: 1,
      trustedProxies: [],
      databaseUrl: complete.DATABASE_URL,
    })
  })

  it('may leave variables empty that have a default', () => {
    expect(loadConfig(shape, { ...complete, LOG_LEVEL: '', RATE_LIMIT_FACTOR: '' })).toMatchObject({
      logLevel: 'info',
      rateLimitFactor: 1,
    })
  })

  it('may say which proxies are trusted', () => {
    const read = (TRUSTED_PROXIES: string) => loadConfig(shape, { ...complete, TRUSTED_PROXIES }).trustedProxies
    expect(read('10.0.0.5, 10.1.0.0/16,fd00::/8')).toEqual(['10.0.0.5', '10.1.0.0/16', 'fd00::/8'])
    for (const wrong of ['true', '10.0.0.5/33', '10.0.0.0/0', 'proxy', '10.0.0.5/8/8', '::1/129', '0.0.0.0/x']) {
      expect(() => read(wrong)).toThrow('TRUSTED_PROXIES: must be addresses or networks')
    }
  })

  it('says where people find the site, and nothing behind its host', () => {
    const read = (PUBLIC_URL: string) => loadConfig(shape, { ...complete, PUBLIC_URL }).publicUrl
    expect(read('https://Shop.example.com:443/')).toBe('https://shop.example.com')
    expect(read('http://localhost:9300//')).toBe('http://localhost:9300')
    for (const wrong of [
      'shop.example.com/shop',
      'shop.example.com/?a=b',
      'shop.example.com/#/home',
      'me:it@shop.example.com',
    ]) {
      expect(() => read(`https://${wrong}`)).toThrow('PUBLIC_URL: must end with the host, or with its port')
    }
  })

  it('may hold lists and switches', () => {
    const own = z.object({ auctionUrls: addresses('http:'), isOpen: flag.default(false) })
    expect(loadConfig(own, { AUCTION_URLS: 'http://a:1, http://b:2/', IS_OPEN: '1' })).toEqual({
      auctionUrls: ['http://a:1', 'http://b:2'],
      isOpen: true,
    })
    expect(() => loadConfig(own, { AUCTION_URLS: 'http://a:1,ftp://b' })).toThrow(ConfigError)
  })
})

describe('secrets in files', () => {
  let directory: string
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'wangian-config-'))
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  it('are read from where <NAME>_FILE says, without the end of the line', () => {
    const { DATABASE_URL, ...others } = complete
    const given = { ...others, DATABASE_URL_FILE: file('database-url', `${DATABASE_URL}\n`) }
    expect(loadConfig(shape, given).databaseUrl).toBe(DATABASE_URL)
  })

  it('are absent when the file is empty', () => {
    const own = z.object({ smtpUrl: z.string().optional() })
    expect(loadConfig(own, { SMTP_URL_FILE: file('smtp-url', '\n') })).toEqual({})
  })

  it('are judged like any other value', () => {
    const { DATABASE_URL: _, NODE_ENV: __, ...others } = complete
    const given = { ...others, DATABASE_URL_FILE: file('known', 'postgres://auction:postgres@db/wangian') }
    expect(() => loadConfig(shape, given)).toThrow('DATABASE_URL: has a password that everybody knows')
  })

  it('must be there, and be given once', () => {
    const { DATABASE_URL: _, ...others } = complete
    const attempt = (more: Record<string, string>) => () => loadConfig(shape, { ...others, ...more })
    expect(attempt({ DATABASE_URL_FILE: '/nowhere/secret' })).toThrow(
      'DATABASE_URL_FILE: /nowhere/secret cannot be read (ENOENT)',
    )
    const both = { DATABASE_URL: complete.DATABASE_URL, DATABASE_URL_FILE: file('twice', complete.DATABASE_URL) }
    expect(attempt(both)).toThrow('DATABASE_URL and DATABASE_URL_FILE are both set: use one of them')
  })
})

describe('the name of one of many copies', () => {
  it('may be made of the name of its machine', () => {
    const { instanceId } = loadConfig(shape, { ...complete, INSTANCE_ID: 'auction-{hostname}' })
    expect(instanceId).toBe(
      `auction-${hostname()
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')}`,
    )
  })
})

describe('an environment with mistakes', () => {
  const broken = {
    ...complete,
    SERVICE_PORT: '70000',
    INSTANCE_ID: undefined,
    NATS_URL: 'localhost',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'mysql://root:secret@db',
  }

  it('is told about all of them at once, without the values', () => {
    const attempt = () => loadConfig(shape, broken)
    expect(attempt).toThrow(ConfigError)
    try {
      attempt()
    } catch (error) {
      expect((error as ConfigError).problems).toEqual([
        'SERVICE_PORT: must be at most 65535',
        'INSTANCE_ID is missing',
        'NATS_URL: must be one or more addresses such as nats://127.0.0.1:4222',
        expect.stringMatching(/^LOG_LEVEL: /),
        'DATABASE_URL: must be an address that starts with postgres:// or postgresql://',
      ])
      expect((error as ConfigError).message).not.toContain('secret')
    }
  })

  it('is told what is not safe, when nobody says that it is not production', () => {
    const { NODE_ENV: _, ...careful } = complete
    expect(() => loadConfig(shape, careful)).toThrow(
      /PUBLIC_URL is missing: set it.*\n.*NATS_URL: needs a user.*\n.*DATABASE_URL: has a password that everybody knows/,
    )
    const address = { PUBLIC_URL: 'https://wangian.example.com', NATS_URL: 'nats://auction:of-our-own@bus:4222' }
    const database = { DATABASE_URL: 'postgres://auction:of-our-own@db/wangian' }
    expect(loadConfig(shape, { ...careful, ...address, ...database }).nodeEnv).toBe('production')
  })

  it('ends a process with its own exit code', () => {
    const script = `import { loadConfig, serviceEnvironment } from ${JSON.stringify(import.meta.resolve('./config.ts'))}
      loadConfig(serviceEnvironment)
      console.log('still here')`
    const run = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      env: { PATH: process.env['PATH'], SERVICE_PORT: 'x' },
      encoding: 'utf8',
    })
    expect(run.status).toBe(EXIT_CODE_CONFIG)
    expect(run.stdout).toBe('')
    expect(run.stderr).toMatch(
      /SERVICE_PORT: must be a whole number\n {2}INSTANCE_ID is missing\n {2}NATS_URL is missing/,
    )
  })
})

describe('the name of a variable', () => {
  it.each([
    ['port', 'PORT'],
    ['databaseUrl', 'DATABASE_URL'],
    ['rateLimitFactor', 'RATE_LIMIT_FACTOR'],
  ])('of %s is %s', (name, variable) => {
    expect(variableName(name)).toBe(variable)
  })
})
