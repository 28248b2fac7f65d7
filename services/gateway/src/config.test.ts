import { expect, it } from 'vitest'
import { readConfig } from './config.ts'

const needed = {
  NODE_ENV: 'development',
  INSTANCE_ID: 'gateway',
  NATS_URL: 'nats://127.0.0.1:4222',
  IDENTITY_URL: 'http://127.0.0.1:3001',
  CATALOGUE_URL: 'http://127.0.0.1:3002',
  MESSAGING_URL: 'http://127.0.0.1:3005',
  BOOST_URL: 'http://127.0.0.1:3006',
  ADMIN_URL: 'http://127.0.0.1:3007',
  AUCTION_URLS: 'http://127.0.0.1:3003',
  MAIL_INBOX_URL: 'http://127.0.0.1:3004',
}

it('shows caught mails, but never in production', () => {
  expect(readConfig(needed).mailInboxUrl).toBe('http://127.0.0.1:3004')
  const safe = { PUBLIC_URL: 'https://wangian.example.com', NATS_URL: 'nats://gateway:of-our-own@bus:4222' }
  expect(readConfig({ ...needed, ...safe, NODE_ENV: 'production' }).mailInboxUrl).toBeUndefined()
  expect(readConfig({ ...needed, MAIL_INBOX_URL: '' }).mailInboxUrl).toBeUndefined()
})

it('counts visits only in an account that can be one', () => {
  expect(readConfig(needed).analyticsId).toBeUndefined()
  expect(readConfig({ ...needed, ANALYTICS_ID: '' }).analyticsId).toBeUndefined()
  expect(readConfig({ ...needed, ANALYTICS_ID: 'G-AB12CD34EF' }).analyticsId).toBe('G-AB12CD34EF')
  for (const wrong of ['UA-1234-1', 'G-AB"><script>', 'g-ab12cd34ef'])
    expect(() => readConfig({ ...needed, ANALYTICS_ID: wrong })).toThrow(/ANALYTICS_ID|analyticsId/)
})
