import { describe, expect, it } from 'vitest'
import { environmentOf, type Instance, idsOf, type Surroundings } from './services.ts'

const instances: Instance[] = [
  { id: 'identity', service: 'identity', port: 20_001 },
  { id: 'auction-1', service: 'auction', port: 20_002, auctionRole: 'owner' },
  { id: 'auction-2', service: 'auction', port: 20_003, auctionRole: 'owner' },
  { id: 'auction-pages', service: 'auction', port: 20_005, auctionRole: 'pages' },
  { id: 'gateway', service: 'gateway', port: 8080 },
]
const [identity, auction1, auction2, auctionPages, gateway] = instances as [
  Instance,
  Instance,
  Instance,
  Instance,
  Instance,
]

const surroundings: Surroundings = {
  inherited: { PATH: '/bin', MAIL_FROM: 'Wangian <hello@wangian.test>' },
  instances,
  databaseUrls: new Map([
    ['identity', 'postgres://identity@db'],
    ['auction', 'postgres://auction@db'],
  ]),
  natsUrlOf: (user) => `nats://${user}:its-own@127.0.0.1:20004`,
  smtpUrl: 'smtp://127.0.0.1:20005',
  mailInboxUrl: 'http://127.0.0.1:20006',
  dataDir: '/data',
  publicUrl: 'http://localhost:8080',
  publicHost: 'localhost',
  webDist: '/web/dist',
  rateLimitFactor: 20,
  hasCopies: false,
  logLevel: 'warn',
  seed: 'none',
  overrides: { '*': { A: 'all' }, auction: { A: 'auction', B: 'auction' }, 'auction-2': { B: 'second' } },
}

describe('the environment of a service', () => {
  it('has its own database and nobody else has it', () => {
    expect(environmentOf(identity, surroundings).DATABASE_URL).toBe('postgres://identity@db')
    expect(environmentOf(auction2, surroundings).DATABASE_URL).toBe('postgres://auction@db')
    expect(environmentOf(gateway, surroundings)).not.toHaveProperty('DATABASE_URL')
  })

  it('names every service by its address', () => {
    expect(environmentOf(gateway, surroundings)).toMatchObject({
      IDENTITY_URL: 'http://127.0.0.1:20001',
      AUCTION_URLS: 'http://127.0.0.1:20005',
      PORT: '8080',
      WEB_DIST: '/web/dist',
      MAIL_FROM: 'Wangian <hello@wangian.test>',
    })
  })

  it('names every copy', () => {
    const second: Instance = { id: 'identity-2', service: 'identity', port: 20_007 }
    expect(idsOf('identity', 2)).toEqual(['identity', second.id])
    const both = { ...surroundings, instances: [...instances, second] }
    expect(environmentOf(gateway, both).IDENTITY_URL).toBe('http://127.0.0.1:20001,http://127.0.0.1:20007')
    expect(environmentOf(second, both)).toMatchObject({ INSTANCE_ID: 'identity-2', SERVICE_PORT: '20007' })
  })

  it('says who judges bids and who answers readers', () => {
    expect(environmentOf(auction1, surroundings).AUCTION_ROLE).toBe('owner')
    expect(environmentOf(auctionPages, surroundings).AUCTION_ROLE).toBe('pages')
    expect(environmentOf(gateway, surroundings)).not.toHaveProperty('AUCTION_ROLE')
  })

  it('has the mail server, and the gateway the inbox', () => {
    expect(environmentOf(identity, surroundings)).toMatchObject({ SMTP_URL: 'smtp://127.0.0.1:20005' })
    expect(environmentOf(identity, surroundings)).not.toHaveProperty('MAIL_INBOX_URL')
    expect(environmentOf(gateway, surroundings)).toMatchObject({ MAIL_INBOX_URL: 'http://127.0.0.1:20006' })
    expect(environmentOf(gateway, surroundings)).not.toHaveProperty('SMTP_URL')
    const { smtpUrl, mailInboxUrl, ...without } = surroundings
    expect(environmentOf(identity, without)).not.toHaveProperty('SMTP_URL')
    expect(environmentOf(gateway, without)).not.toHaveProperty('MAIL_INBOX_URL')
  })

  it('keeps all but the public port of the gateway on this machine', () => {
    const open = { ...surroundings, publicHost: '0.0.0.0' }
    expect(environmentOf(gateway, open)).toMatchObject({ HOST: '0.0.0.0', SERVICE_HOST: '127.0.0.1' })
    expect(environmentOf(auction1, open)).toMatchObject({ SERVICE_HOST: '127.0.0.1' })
    expect(environmentOf(auction1, open)).not.toHaveProperty('HOST')
  })

  it('takes additions, the closest winning', () => {
    expect(environmentOf(identity, surroundings)).toMatchObject({ A: 'all' })
    expect(environmentOf(auction1, surroundings)).toMatchObject({ A: 'auction', B: 'auction' })
    expect(environmentOf(auction2, surroundings)).toMatchObject({ A: 'auction', B: 'second' })
  })
})
