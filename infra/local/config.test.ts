import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inheritedEnvironment, isProduction, loadConfig, repositoryRoot } from './config.ts'

describe('the environment of a start', () => {
  it('needs nothing', () => {
    expect(loadConfig({ PORT: '' })).toMatchObject({
      port: 8080,
      dataDir: `${repositoryRoot}/.data`,
      databaseUrl: undefined,
      natsUrl: undefined,
      smtpUrl: undefined,
      seed: 'demo',
      auctionInstances: 1,
      rateLimitFactor: 20,
    })
  })

  it('starts empty with a hosted auth provider', () => {
    const hosted = { AUTH_URL: 'https://ref.supabase.co/auth/v1' }
    expect(loadConfig(hosted).seed).toBe('none')
    expect(() => loadConfig({ ...hosted, SEED: 'demo' })).toThrow('SEED=demo')
    expect(inheritedEnvironment(hosted)).toEqual(hosted)
  })

  const production = {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://wangian.example.com/',
    SMTP_URL: 'smtps://mails:one-of-our-own@mail.example.com',
  }

  it('is careful in production', () => {
    expect(loadConfig({ ...production, HOST: '0.0.0.0' })).toMatchObject({
      publicUrl: 'https://wangian.example.com',
      seed: 'none',
      rateLimitFactor: 1,
    })
    expect(() => loadConfig({ NODE_ENV: 'production', SEED: 'demo', RATE_LIMIT_FACTOR: '20' })).toThrow(
      /not safe:\n {2}PUBLIC_URL is missing.*\n {2}SMTP_URL is missing.*\n {2}SEED: .*\n {2}RATE_LIMIT_FACTOR: /,
    )
    const servers = { DATABASE_URL: 'postgres://postgres:postgres@db/wangian', NATS_URL: 'nats://bus:4222' }
    expect(() => loadConfig({ ...production, ...servers })).toThrow(/NATS_URL: needs a user.*\n {2}DATABASE_URL: has a/)
  })

  it.each([{ HOST: '0.0.0.0' }, { PUBLIC_URL: 'https://wangian.example.com' }])(
    'opens nothing to others because nobody said what it is: %o',
    (open) => {
      expect(() => loadConfig(open)).toThrow('opens this system to others: set NODE_ENV=production')
      expect(() => loadConfig({ ...production, ...open })).not.toThrow()
      expect(loadConfig({ ...open, NODE_ENV: 'development' }).seed).toBe('demo')
      const [name = ''] = Object.keys(open)
      expect(() => loadConfig({ [name]: name === 'HOST' ? '127.0.0.1' : 'http://localhost:8080' })).not.toThrow()
    },
  )

  it('takes the addresses of a cluster, each of which is one', () => {
    const cluster = 'nats://one:4222, nats://two:4222'
    expect(loadConfig({ NATS_URL: cluster }).natsUrl).toBe(cluster)
    expect(() => loadConfig({ NATS_URL: 'nats://one:4222,two' })).toThrow('several with commas')
  })

  it('is refused with every wrong variable named, and without a password', () => {
    const wrong = { PORT: '80800', SEED: 'yes', DATABASE_URL: 'postgress://wangian:hunter2@db', AUCTION_INSTANCES: '0' }
    expect(() => loadConfig(wrong)).toThrow(
      /PORT: .*\n {2}DATABASE_URL: must be an address such as .*\n {2}SEED: .*\n {2}AUCTION_INSTANCES: /,
    )
    expect(() => loadConfig(wrong)).not.toThrow('hunter2')
  })

  it('is refused with a site below which no page would be found', () => {
    const at = (PUBLIC_URL: string) => loadConfig({ ...production, PUBLIC_URL }).publicUrl
    for (const wrong of ['/shop', '/index.html', '?lang=ms', '#/', ':8443/login/']) {
      expect(() => at(`https://wangian.example.com${wrong}`)).toThrow('PUBLIC_URL: must end with the host')
    }
    expect(() => at('wangian.example.com/shop')).toThrow('PUBLIC_URL: must be an address')
    expect(at('https://Wangian.example.com:443//')).toBe('https://wangian.example.com')
  })

  it.each(['/wangian/', '/shop/wangian', '/shop%2Fwangian', '/%', `/${'long'.repeat(14)}`])(
    'is refused with a database that cannot be named like that: %s',
    (path) => {
      const at = (name: string) => loadConfig({ DATABASE_URL: `postgres://wangian@db${name}?sslmode=verify-full` })
      expect(() => at(path)).toThrow('DATABASE_URL: must name one database')
      for (const good of ['', '/', '/wangian', '/My%20Shop']) expect(at(good).databaseUrl).toContain(good)
    },
  )

  it('is handed on without what would lead a service to a database not its own', () => {
    const handedOn = inheritedEnvironment({
      MAIL_FROM: 'Wangian <hello@wangian.test>',
      SMTP_URL: 'smtp://mail',
      DATABASE_URL: 'x',
      PORT: '1',
      npm_command: 'start',
    })
    expect(handedOn).toEqual({ MAIL_FROM: 'Wangian <hello@wangian.test>' })
  })

  it('may be given as files, also what each process is told by the start', () => {
    const directory = mkdtempSync(join(tmpdir(), 'wangian-variables-'))
    const fileOf = (value: string) => {
      const file = join(directory, value)
      writeFileSync(file, `${value}\n`)
      return file
    }
    try {
      const given = {
        NODE_ENV_FILE: fileOf('production'),
        RATE_LIMIT_FACTOR_FILE: fileOf('1'),
        LOG_LEVEL_FILE: fileOf('info'),
      }
      const { PUBLIC_URL, SMTP_URL } = production
      expect(loadConfig({ ...given, PUBLIC_URL, SMTP_URL })).toMatchObject({
        seed: 'none',
        rateLimitFactor: 1,
        logLevel: 'info',
      })
      expect(isProduction(given)).toBe(true)
      expect(inheritedEnvironment(given)).toEqual({ NODE_ENV: 'production', RATE_LIMIT_FACTOR: '1', LOG_LEVEL: 'info' })
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
