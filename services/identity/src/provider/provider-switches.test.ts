import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { createFacebook } from '../oauth/oauth-facebook.ts'
import { oauthProviders } from '../oauth/oauth-providers.ts'
import { providerUrl } from '../sessions/tokens.ts'
import { type FakeFacebook, startFakeFacebook } from '../testing/fake-facebook.ts'
import { createTestBrowser } from '../testing/test-browser.ts'
import { createTestIdentity, PUBLIC_URL, type TestIdentity } from '../testing/test-identity.ts'
import { createUser, PASSWORD } from '../testing/test-people.ts'
import { everythingOn } from './provider-settings.ts'

let facebook: FakeFacebook
let identity: TestIdentity
let serviceUrl: string

/** The provider with something turned off, and somebody who has an account there. */
function withSwitches(switches: Partial<typeof everythingOn>) {
  beforeAll(async () => {
    facebook = await startFakeFacebook()
    const site = createFacebook({ ...facebook, callbackUrl: `${providerUrl(PUBLIC_URL)}/callback` })
    identity = await createTestIdentity({
      oauthProviders: new Map([[site.name, site]]),
      switches: { ...everythingOn, ...switches },
    })
    await identity.app.listen({ host: '127.0.0.1', port: 0 })
    serviceUrl = `http://127.0.0.1:${(identity.app.server.address() as AddressInfo).port}`
    await createUser(identity, 'resident')
  })
  afterAll(async () => {
    await identity.stop()
    await facebook.stop()
  })
}

const email = 'resident@example.com'
const client = () => createTestBrowser(serviceUrl).client
const settings = async () => (await identity.app.inject('/auth/v1/settings')).json()
async function byFacebook(person: NonNullable<FakeFacebook['person']>) {
  facebook.person = person
  const tab = createTestBrowser(serviceUrl)
  const { url } = await tab.visit(await tab.facebookUrl())
  return url.searchParams.get('error_code') ?? (url.searchParams.has('code') ? 'signed in' : null)
}

describe('a provider that takes nobody new', () => {
  withSwitches({ isSignUpDisabled: true })

  it('says so', async () => {
    expect(await settings()).toMatchObject({ disable_signup: true, external: { email: true, facebook: true } })
  })

  it('refuses a sign-up, and another mail for one', async () => {
    const refused = { status: 422, code: 'signup_disabled', message: 'Signups not allowed for this instance' }
    expect((await client().signUp({ email: 'new@example.com', password: PASSWORD })).error).toMatchObject(refused)
    expect((await client().resend({ type: 'signup', email: 'new@example.com' })).error).toMatchObject(refused)
  })

  it('refuses somebody new who comes by Facebook, and nobody else', async () => {
    expect(await byFacebook({ id: '1', email: 'new@example.com', name: 'New' })).toBe('signup_disabled')
    expect(await byFacebook({ id: '2', email, name: 'Resident' })).toBe('signed in')
  })

  it('lets in who has an account', async () => {
    expect((await client().signInWithPassword({ email, password: PASSWORD })).error).toBeNull()
  })
})

describe('a provider without addresses and passwords', () => {
  withSwitches({ isEmailDisabled: true })

  it('says so', async () => {
    expect(await settings()).toMatchObject({ disable_signup: false, external: { email: false, facebook: true } })
  })

  it('refuses them', async () => {
    const refused = { status: 400, code: 'email_provider_disabled' }
    expect((await client().signUp({ email: 'new@example.com', password: PASSWORD })).error).toMatchObject({
      ...refused,
      message: 'Email signups are disabled',
    })
    expect((await client().signInWithPassword({ email, password: PASSWORD })).error).toMatchObject({
      ...refused,
      message: 'Email logins are disabled',
    })
  })

  it('takes everybody who comes by Facebook', async () => {
    expect(await byFacebook({ id: '3', email: 'newer@example.com', name: 'Newer' })).toBe('signed in')
  })
})

describe('the environment', () => {
  const needed = {
    NODE_ENV: 'development',
    SERVICE_PORT: '3001',
    NATS_URL: 'nats://x:1',
    DATABASE_URL: 'postgres://x/y',
    INSTANCE_ID: 'identity-1',
  }
  const read = (variables: Record<string, string>) => readConfig({ ...needed, ...variables })

  it('turns nothing off by default', () => {
    const config = read({})
    expect(config).toMatchObject({ authDisableSignup: false, authExternalEmailEnabled: true })
    expect([...oauthProviders(config).keys()]).toEqual(['facebook'])
  })

  it('turns things off', () => {
    const config = read({
      AUTH_DISABLE_SIGNUP: 'true',
      AUTH_EXTERNAL_EMAIL_ENABLED: 'false',
      AUTH_EXTERNAL_FACEBOOK_ENABLED: 'false',
    })
    expect(config).toMatchObject({ authDisableSignup: true, authExternalEmailEnabled: false })
    expect([...oauthProviders(config).keys()]).toEqual([])
  })
})
