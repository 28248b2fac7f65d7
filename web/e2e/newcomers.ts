import { expect, type Page } from '@playwright/test'
import { mailTo } from './mails.ts'

export const firstPassword = 'rose-oud-amber'
let made = 0

/** Somebody whom only this test knows, with a verified address. */
export async function newPerson(page: Page) {
  made += 1
  const username = `rani${Date.now() % 10_000_000}${made}`
  const email = `${username}@wangian.test`
  const post = async (path: string, data: object) => {
    const response = await page.request.post(`/auth/v1/${path}`, { data, headers: { apikey: 'journeys' } })
    expect(response.ok(), await response.text()).toBe(true)
  }
  await post('signup', { email, password: firstPassword, data: { username } })
  await post('verify', { type: 'signup', email, token: (await mailTo(email)).code })
  return { username, email }
}

export async function signInAt(page: Page, address: string, username: string, password: string): Promise<void> {
  await page.goto(`/login?redirect=${encodeURIComponent(address)}`)
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
}
