import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

const needed = {
  NODE_ENV: 'development',
  SERVICE_PORT: '3001',
  INSTANCE_ID: 'identity-1',
  NATS_URL: 'nats://127.0.0.1:4222',
  DATABASE_URL: 'postgres://identity@127.0.0.1/wangian',
}

describe('the configuration', () => {
  it('confirms accounts by mail unless told otherwise', () => {
    expect(readConfig(needed).authMailerAutoconfirm).toBe(false)
    expect(readConfig({ ...needed, AUTH_MAILER_AUTOCONFIRM: 'true' }).authMailerAutoconfirm).toBe(true)
  })

  it('takes an administrator with both parts or none', () => {
    const administrator = { ADMIN_EMAIL: 'Boss@Example.com', ADMIN_PASSWORD: 'a long secret' }
    expect(readConfig({ ...needed, ...administrator }).adminEmail).toBe('boss@example.com')
    expect(readConfig(needed).adminEmail).toBeUndefined()
    expect(() => readConfig({ ...needed, ADMIN_EMAIL: 'boss@example.com' })).toThrow('ADMIN_PASSWORD is missing')
    expect(() => readConfig({ ...needed, ADMIN_PASSWORD: 'a long secret' })).toThrow('ADMIN_EMAIL is missing')
    expect(() => readConfig({ ...needed, ...administrator, ADMIN_PASSWORD: 'short' })).toThrow('at least 6 characters')
  })

  it('needs a mail server in production, and says so', () => {
    const NATS_URL = 'nats://identity:of-our-own@bus:4222'
    const production = { ...needed, NODE_ENV: 'production', PUBLIC_URL: 'https://wangian.example.com', NATS_URL }
    expect(readConfig(needed)).toMatchObject({ mailFrom: 'Wangian <no-reply@wangian.test>' })
    expect(() => readConfig(production)).toThrow('SMTP_URL is missing: set it to your mail server, such as smtps://')
    expect(readConfig({ ...production, SMTP_URL: 'smtp://mail:25' }).smtpUrl).toBe('smtp://mail:25')
  })

  it.each([
    ['SMTP_URL', 'mail.example.com'],
    ['SMTP_URL', 'http://mail.example.com'],
    ['MAIL_FROM', 'Wangian'],
    ['MAIL_FROM', 'Wangian <a@b>\nBcc: <c@d>'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => readConfig({ ...needed, [name]: value })).toThrow(`${name}: must be`)
  })

  it('takes redirects as a list', () => {
    expect(readConfig(needed).uriAllowList).toEqual([])
    const URI_ALLOW_LIST = ' https://a.test/**, https://b.test ,'
    expect(readConfig({ ...needed, URI_ALLOW_LIST }).uriAllowList).toEqual(['https://a.test/**', 'https://b.test'])
  })

  const facebook = { FACEBOOK_APP_ID: '1234567890', FACEBOOK_APP_SECRET: 'secret' }
  const hosted = { AUTH_URL: 'https://ref.supabase.co/auth/v1/', AUTH_ANON_KEY: 'anon' }
  const jwks = { AUTH_JWKS_URL: 'https://ref.supabase.co/auth/v1/.well-known/jwks.json' }
  const secret = { AUTH_JWT_SECRET: 'x'.repeat(32) }

  it.each([
    ['Facebook', facebook],
    ['a hosted provider', hosted],
    ['a hosted provider with keys elsewhere', { ...hosted, ...jwks }],
    ['a hosted provider with a secret', { ...hosted, ...secret }],
    ['a hosted provider with an administrator', { ...hosted, ADMIN_EMAIL: 'boss@example.com' }],
  ])('takes %s', (_name, variables) => {
    expect(() => readConfig({ ...needed, ...variables })).not.toThrow()
  })

  it.each([
    ['an app without its secret', { FACEBOOK_APP_ID: '1' }, 'FACEBOOK_APP_SECRET is missing'],
    ['a secret without its app', { FACEBOOK_APP_SECRET: 'x' }, 'FACEBOOK_APP_SECRET: is needed together with'],
    ['an app that is a name', { ...facebook, FACEBOOK_APP_ID: 'wangian' }, 'FACEBOOK_APP_ID: must be a number'],
    ['a hosted provider without its key', { AUTH_URL: hosted.AUTH_URL }, 'AUTH_ANON_KEY is missing'],
    ['a key without its provider', { AUTH_ANON_KEY: 'anon' }, 'AUTH_ANON_KEY: is needed together with AUTH_URL'],
    ['keys without their provider', jwks, 'AUTH_URL is missing'],
    ['a secret without its provider', secret, 'AUTH_URL is missing'],
    ['keys and a secret', { ...hosted, ...jwks, ...secret }, 'AUTH_JWT_SECRET: cannot be used together'],
    ['a short secret', { ...hosted, AUTH_JWT_SECRET: 'short' }, 'AUTH_JWT_SECRET: must be at least 32'],
  ])('refuses %s', (_name, variables, message) => {
    expect(() => readConfig({ ...needed, ...variables })).toThrow(message)
  })
})
