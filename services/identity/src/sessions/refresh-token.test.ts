import { describe, expect, it } from 'vitest'
import { isSignedBy, readRefreshToken, refreshToken } from './refresh-token.ts'

const session = {
  id: '0193d2a0-0000-4000-8000-0123456789ab',
  refreshKey: Buffer.alloc(32, 7).toString('base64url'),
  refreshNumber: 3,
}

describe('a refresh token', () => {
  it('is the same whenever it is made', () => {
    expect(refreshToken(session)).toBe(refreshToken({ ...session }))
    expect(refreshToken({ ...session, refreshNumber: 4 })).not.toBe(refreshToken(session))
  })

  it('says whose it is and which one', () => {
    const token = readRefreshToken(refreshToken(session))
    expect(token).toMatchObject({ sessionId: session.id, number: 3 })
    expect(token && isSignedBy(token, session)).toBe(true)
  })

  it('of another session or key is not signed by this one', () => {
    const token = readRefreshToken(refreshToken(session))
    const otherKey = Buffer.alloc(32, 8).toString('base64url')
    expect(token && isSignedBy(token, { ...session, refreshKey: otherKey })).toBe(false)
    expect(token && isSignedBy({ ...token, number: 4 }, session)).toBe(false)
    expect(token && isSignedBy(token, { ...session, id: '0193d2a0-0000-4000-8000-0123456789ac' })).toBe(false)
  })

  it.each(['', 'x', 'a'.repeat(69), 'a'.repeat(71), `${'a'.repeat(69)}!`, `${'a'.repeat(69)}=`])(
    'is not %j',
    (text) => {
      expect(readRefreshToken(text)).toBeNull()
    },
  )
})
