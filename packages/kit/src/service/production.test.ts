import { describe, expect, it } from 'vitest'
import { isOnThisMachine, productionProblems } from './production.ts'

const good = {
  PUBLIC_URL: 'https://wangian.example.com',
  SMTP_URL: 'smtps://mails:one-of-our-own@mail.example.com',
  NATS_URL: 'nats://identity:one-of-our-own@10.0.0.5:4222',
  DATABASE_URL: 'postgres://identity:one-of-our-own@10.0.0.6/wangian',
  S3_SECRET_ACCESS_KEY: 'one-of-our-own',
}
const needed = ['PUBLIC_URL', 'SMTP_URL'] as const

describe('an environment for production', () => {
  it('may be right', () => {
    expect(productionProblems(good, needed)).toEqual([])
    expect(productionProblems({ ...good, RATE_LIMIT_FACTOR: '1', SEED: 'none' }, needed)).toEqual([])
    expect(productionProblems({ ...good, DATABASE_URL: 'postgres://identity:50%@h/w' }, needed)).toEqual([])
    expect(productionProblems({}, [])).toEqual([])
  })

  it.each([
    ['an address', { PUBLIC_URL: undefined }, 'PUBLIC_URL is missing: set it to the address that people use'],
    [
      'one that nobody can listen to',
      { PUBLIC_URL: 'http://wangian.example.com' },
      'PUBLIC_URL: must begin with https',
    ],
    ['a mail server', { SMTP_URL: undefined }, 'SMTP_URL is missing: set it to your mail server'],
    ['no demo accounts', { SEED: 'demo' }, 'SEED: must not be demo'],
    ['limits as they are', { RATE_LIMIT_FACTOR: '20' }, 'RATE_LIMIT_FACTOR: must be 1'],
    ['a bus with a lock', { NATS_URL: 'nats://10.0.0.5:4222' }, 'NATS_URL: needs a user and a password'],
    [
      'a password of its own',
      { DATABASE_URL: 'postgres://identity:postgres@h/w' },
      'DATABASE_URL: has a password that',
    ],
    [
      'a password of its own for each server',
      { NATS_URL: 'nats://identity:one-of-our-own@a:4222,nats://identity:nats@b:4222' },
      'NATS_URL: has a password that',
    ],
    ['a secret of its own', { S3_SECRET_ACCESS_KEY: 'minioadmin' }, 'S3_SECRET_ACCESS_KEY: has a password that'],
    ['an administrator of its own', { ADMIN_PASSWORD: 'Demo-Admin' }, 'ADMIN_PASSWORD: has a password that'],
  ])('needs %s', (_what, change, problem) => {
    const problems = productionProblems({ ...good, ...change }, needed)
    expect(problems).toEqual([expect.stringContaining(problem)])
    for (const value of Object.values(change)) expect(problems.join()).not.toContain(`${value}@`)
  })
})

it.each([
  ['localhost', true],
  ['http://localhost:8080', true],
  ['127.0.0.1', true],
  ['http://[::1]:80', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['https://localhost.example.com', false],
  ['10.0.0.5', false],
])('%s is on this machine: %s', (address, expected) => {
  expect(isOnThisMachine(address)).toBe(expected)
})
