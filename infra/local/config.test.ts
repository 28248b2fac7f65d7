import { describe, expect, it } from 'vitest'
import { inheritedEnvironment, loadConfig, repositoryRoot } from './config.ts'

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

  it('is refused with every wrong value named', () => {
    const wrong = { PORT: '80800', SEED: 'yes', DATABASE_URL: 'localhost', AUCTION_INSTANCES: '0' }
    expect(() => loadConfig(wrong)).toThrow(
      /PORT=80800.*\n.*DATABASE_URL=localhost.*\n.*SEED=yes.*\n.*AUCTION_INSTANCES=0/,
    )
  })

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
})
