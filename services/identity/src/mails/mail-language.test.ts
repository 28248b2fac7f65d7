import { sql } from '@wangian/kit/database/postgres.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findAccountByEmail } from '../store.ts'
import { providerCalls } from '../testing/provider-calls.ts'
import { createMailedIdentity, type MailedIdentity } from '../testing/test-mails.ts'

let mailed: MailedIdentity
const { post } = providerCalls(() => mailed.identity)

beforeAll(async () => {
  mailed = await createMailedIdentity()
})
afterAll(() => mailed.stop())

const inMalay = { cookie: 'a=b; wangian-language=ms' }
const wishesForMalay = { 'accept-language': 'ms-MY,ms;q=0.9' }
const password = 'correct horse'
const forgetLanguages = sql.unsafe`update people set language = null`
const languageOf = async (email: string) => (await findAccountByEmail(mailed.identity.database.pool, email))?.language

describe('whoever registers on a page in Malay', () => {
  it.each([
    ['chose it', inMalay],
    ['has a browser that wishes for it', wishesForMalay],
  ])('and %s is mailed in Malay, then and later', async (why, headers) => {
    const email = `${why.replaceAll(' ', '-')}@example.com`
    expect((await post('/signup', { email, password }, headers)).statusCode).toBe(200)
    const welcome = await mailed.mailTo(email)
    expect(welcome.subject).toBe('Sahkan alamat e-mel anda')
    expect(welcome.text).toContain('Atau masukkan kod ini:')
    expect(welcome.token).not.toBe('')
    expect(await languageOf(email)).toBe('ms')
    // Asked for from a page that is not in Malay.
    await post('/recover', { email })
    expect((await mailed.mailTo(email, 2)).subject).toBe('Set semula kata laluan anda')
  })

  it('and again on one in English is mailed in English', async () => {
    const email = 'twice@example.com'
    await post('/signup', { email, password }, inMalay)
    await mailed.mailTo(email)
    await post('/signup', { email, password })
    expect((await mailed.mailTo(email, 2)).subject).toBe('Confirm your email address')
    expect(await languageOf(email)).toBe('en')
  })
})

it('mails in the language of the page that asks where nobody knows what the person reads', async () => {
  const email = 'unknown@example.com'
  await post('/signup', { email, password })
  await mailed.identity.database.pool.query(forgetLanguages)
  await post('/resend', { email, type: 'signup' }, inMalay)
  expect((await mailed.mailTo(email, 2)).subject).toBe('Sahkan alamat e-mel anda')
  await post('/recover', { email }, inMalay)
  expect((await mailed.mailTo(email, 3)).subject).toBe('Set semula kata laluan anda')
})
