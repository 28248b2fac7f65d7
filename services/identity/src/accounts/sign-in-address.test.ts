import { afterAll, beforeAll, expect, it } from 'vitest'
import { findAccountByEmail } from '../store.ts'
import { createTestBrowser } from '../testing/test-browser.ts'
import { createMailedIdentity, type MailedIdentity } from '../testing/test-mails.ts'
import { addressBehind } from './sign-in-address.ts'
import { signInAlias } from './sign-in-alias.ts'

const email = 'aliased@example.com'
let mailed: MailedIdentity
let alias: string

beforeAll(async () => {
  mailed = await createMailedIdentity()
  const { error } = await createTestBrowser(mailed.serviceUrl).client.signUp({
    email,
    password: 'correct horse',
    options: { data: { username: 'aliased' } },
  })
  expect(error).toBeNull()
  const account = await findAccountByEmail(mailed.identity.database.pool, email)
  alias = signInAlias(account?.userId ?? 0)
})
afterAll(() => mailed.stop())

it('is the address of whoever the alias stands for, and any other login itself', async () => {
  const { pool } = mailed.identity.database
  expect(await addressBehind(pool, alias)).toBe(email)
  expect(await addressBehind(pool, email)).toBe(email)
  expect(await addressBehind(pool, signInAlias(999_999))).toBe(signInAlias(999_999))
})

it('gets the mail again, and signs in by its code, for whoever knows the alias only', async () => {
  const { client } = createTestBrowser(mailed.serviceUrl)
  const { error } = await client.resend({ type: 'signup', email: alias })
  expect(error).toBeNull()
  const { text } = await mailed.mailTo(email, 2)
  const code = /: (\d{6})$/m.exec(text)?.[1] ?? ''
  const verified = await client.verifyOtp({ type: 'signup', email: alias, token: code })
  expect(verified.error).toBeNull()
  expect(verified.data.user?.email).toBe(email)
})

it('refuses to mail to an alias of nobody', async () => {
  const { client } = createTestBrowser(mailed.serviceUrl)
  const { error } = await client.resend({ type: 'signup', email: signInAlias(999_999) })
  expect(error?.message).toBe('Unable to validate email address: invalid format')
})
