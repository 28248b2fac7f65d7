import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nowMs, tokenFor } from '../testing/fixtures.ts'
import { appToken } from './app-token.ts'

beforeEach(() => {
  localStorage.clear()
  vi.useFakeTimers({ now: nowMs })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a stored token', () => {
  it('takes the place of what earlier versions stored', () => {
    localStorage.setItem('auth_token', 'old')
    localStorage.setItem('supabase_token', 'older')
    appToken.store('token')
    expect({ ...localStorage }).toEqual({ app_token: 'token' })
    localStorage.setItem('auth_token', 'old')
    appToken.clear()
    expect(localStorage).toHaveLength(0)
  })

  it('says who holds it', () => {
    expect(appToken.readHolder()).toBeNull()
    appToken.store(tokenFor({ id: 3, username: 'sarah', isSeller: true }, nowMs))
    expect(appToken.readHolder()).toEqual({ id: 3, username: 'sarah', isSeller: true, isAdmin: false })
    for (const broken of ['', 'a.b.c', 'a.e30.c']) {
      appToken.store(broken)
      expect(appToken.readHolder()).toBeNull()
    }
  })

  it('lives as long as its lifetime, also on a device whose clock is wrong', () => {
    const issuedByAClockAnHourAhead = tokenFor({ id: 3, username: 'sarah' }, nowMs + 3_600_000 + 900_000)
    appToken.store(issuedByAClockAnHourAhead)
    expect(appToken.lifeLeftMs(issuedByAClockAnHourAhead)).toBe(900_000)
    vi.advanceTimersByTime(900_000)
    expect(appToken.lifeLeftMs(issuedByAClockAnHourAhead)).toBe(0)
    expect(appToken.lifeLeftMs(tokenFor({ id: 4, username: 'mei' }, nowMs))).toBe(-900_000)
  })

  it('lives as long when another tab gets it', () => {
    const stop = appToken.subscribe(() => {})
    const issuedByAClockAnHourBehind = tokenFor({ id: 3, username: 'sarah' }, nowMs - 3_600_000 + 900_000)
    window.dispatchEvent(new StorageEvent('storage', { key: 'app_token', newValue: issuedByAClockAnHourBehind }))
    expect(appToken.lifeLeftMs(issuedByAClockAnHourBehind)).toBe(900_000)
    stop()
  })

  it('tells its listeners about changes here and in other tabs', () => {
    const listener = vi.fn()
    const stop = appToken.subscribe(listener)
    appToken.store('token')
    appToken.store('token')
    expect(listener).toHaveBeenCalledTimes(1)
    window.dispatchEvent(new StorageEvent('storage', { key: 'app_token' }))
    window.dispatchEvent(new StorageEvent('storage', { key: 'something-else' }))
    expect(listener).toHaveBeenCalledTimes(2)
    stop()
    appToken.clear()
    expect(listener).toHaveBeenCalledTimes(2)
  })
})
