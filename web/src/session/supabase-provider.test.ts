import { identityRoutes } from '@wangian/contracts/identity.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { tokenFor } from '../testing/fixtures.ts'
import { loadSupabaseProvider } from './supabase-provider.ts'

const key = 'the-anon-key'
const url = 'https://project.test/auth/v1'
const bala = { email: 'bala@wangian.test', currentPassword: 'demo-buyer' }
const user = { id: 'a-person', aud: 'authenticated', email: bala.email, identities: [] }

let requests: { readonly call: string; readonly body: unknown; readonly token: string | null }[]
let isPasswordRight: boolean
let mock: ReturnType<typeof vi.spyOn>

beforeEach(() => {
  localStorage.clear()
  requests = []
  isPasswordRight = true
  mock = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const address = new URL(String(input), location.origin)
    if (address.pathname === identityRoutes.provider.path) return Response.json({ kind: 'hosted', url, key })
    const token = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '') ?? null
    requests.push({
      call: `${init?.method} ${address.pathname}${address.search}`,
      body: JSON.parse(String(init?.body)),
      token,
    })
    if (address.pathname.endsWith('/user')) return Response.json(user)
    if (isPasswordRight) {
      const access_token = tokenFor({ id: 10, username: 'bala' }, Date.now() + 900_000)
      return Response.json({ access_token, refresh_token: 'r', expires_in: 900, token_type: 'bearer', user })
    }
    const refusal = { code: 'invalid_credentials', message: 'Invalid login credentials' }
    return Response.json(refusal, { status: 400, headers: { 'x-supabase-api-version': '2024-01-01' } })
  })
})
afterEach(() => mock.mockRestore())

describe('the client of a hosted provider', () => {
  const newest = () => requests.at(-1)

  it('changes the password with a sign-in of just now', async () => {
    const provider = await loadSupabaseProvider('https://wangian.test')
    const token = await provider.changePassword({ ...bala, newPassword: 'amber and oud' })
    expect(requests.map(({ call }) => call)).toEqual(['POST /auth/v1/token?grant_type=password', 'PUT /auth/v1/user'])
    expect(requests[0]?.body).toMatchObject({ email: bala.email, password: 'demo-buyer' })
    expect(newest()).toMatchObject({
      token,
      body: { password: 'amber and oud', current_password: 'demo-buyer' },
    })
    expect(await provider.currentToken()).toBe(token)
  })

  it('changes the address likewise, and leads back to us', async () => {
    const provider = await loadSupabaseProvider('https://wangian.test')
    const token = await provider.changeEmail({ ...bala, newEmail: 'new@wangian.test' })
    const back = encodeURIComponent('https://wangian.test/verify-email')
    expect(newest()).toMatchObject({
      call: `PUT /auth/v1/user?redirect_to=${back}`,
      token,
      body: { email: 'new@wangian.test' },
    })
  })

  it('changes nothing with a wrong password', async () => {
    isPasswordRight = false
    const provider = await loadSupabaseProvider('https://wangian.test')
    const wrong = { code: 'invalid_credentials' }
    await expect(provider.changePassword({ ...bala, newPassword: 'amber and oud' })).rejects.toMatchObject(wrong)
    await expect(provider.changeEmail({ ...bala, newEmail: 'new@wangian.test' })).rejects.toMatchObject(wrong)
    expect(requests.map(({ call }) => call)).not.toContain('PUT /auth/v1/user')
  })
})
