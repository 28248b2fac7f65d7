import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

const needed = {
  SERVICE_PORT: '3001',
  INSTANCE_ID: 'identity-1',
  NATS_URL: 'nats://127.0.0.1:4222',
  DATABASE_URL: 'postgres://identity@127.0.0.1/wangian',
}

describe('the configuration', () => {
  it('confirms accounts at once unless told otherwise', () => {
    expect(readConfig(needed).authMailerAutoconfirm).toBe(true)
    expect(readConfig({ ...needed, AUTH_MAILER_AUTOCONFIRM: 'false' }).authMailerAutoconfirm).toBe(false)
  })

  it('takes an administrator with both parts or none', () => {
    const administrator = { ADMIN_EMAIL: 'Boss@Example.com', ADMIN_PASSWORD: 'a long secret' }
    expect(readConfig({ ...needed, ...administrator }).adminEmail).toBe('boss@example.com')
    expect(readConfig(needed).adminEmail).toBeUndefined()
    expect(() => readConfig({ ...needed, ADMIN_EMAIL: 'boss@example.com' })).toThrow('ADMIN_PASSWORD is missing')
    expect(() => readConfig({ ...needed, ADMIN_PASSWORD: 'a long secret' })).toThrow('ADMIN_EMAIL is missing')
    expect(() => readConfig({ ...needed, ...administrator, ADMIN_PASSWORD: 'short' })).toThrow('at least 6 characters')
  })
})
