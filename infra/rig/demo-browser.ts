import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { ensureChromium } from '../test/chromium.ts'
import { readTestConfig } from '../test/config.ts'

/** The people of the demo data, with their passwords. */
export const demoPeople = { sarah: 'demo-seller', bala: 'demo-buyer', mei: 'demo-buyer', admin: 'demo-admin' } as const
export type DemoPerson = keyof typeof demoPeople

export type Session = Awaited<ReturnType<BrowserContext['storageState']>>

/** @throws when there is no browser, with how to get one */
export async function launchBrowser(): Promise<Browser> {
  const found = await ensureChromium(readTestConfig())
  if ('missing' in found) throw new Error(found.missing)
  return chromium.launch({
    executablePath: found.path,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-quic', '--font-render-hinting=none'],
  })
}

/** What a browser has in which somebody is signed in, for others to begin with. */
export async function signInAs(browser: Browser, url: string, who: DemoPerson): Promise<Session> {
  const context = await browser.newContext({ baseURL: url, locale: 'en-MY' })
  const page = await context.newPage()
  await page.goto('/login')
  await page.getByLabel('Username').fill(who)
  await page.getByLabel('Password').fill(demoPeople[who])
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await page.getByRole('button', { name: 'My Account' }).waitFor()
  const session = await context.storageState()
  await context.close()
  return session
}
