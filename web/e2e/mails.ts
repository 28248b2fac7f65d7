import { expect, type Page } from '@playwright/test'
import { z } from 'zod'
import { siteUrl } from './site.ts'

const Mails = z.array(z.object({ subject: z.string(), text: z.string() }))

/** A mail as its reader uses it: with the link of its button and the code that can be typed instead. */
export interface ReadMail {
  readonly subject: string
  readonly link: string
  readonly code: string
}

/** The newest mail to an address, as soon as there are `count`. */
export async function mailTo(address: string, count = 1): Promise<ReadMail> {
  const read = async () => {
    const response = await fetch(new URL(`/dev/inbox/messages?to=${encodeURIComponent(address)}`, siteUrl()))
    return Mails.parse(await response.json())
  }
  await expect.poll(async () => (await read()).length, { message: `mails to ${address}` }).toBeGreaterThanOrEqual(count)
  const [mail = { subject: '', text: '' }] = await read()
  return {
    subject: mail.subject,
    link: /https?:\/\/\S+/.exec(mail.text)?.[0] ?? '',
    code: /: (\d{6})$/m.exec(mail.text)?.[1] ?? '',
  }
}

/**
 * Opens the link of a mail that confirms an address, and waits until it has. The page says so for two seconds before it leads on, which may be over before
 * a busy machine looks: it is heard as it is said.
 */
export async function openConfirmation(page: Page, link: string): Promise<void> {
  const said: string[] = []
  await page.exposeFunction('tellConfirmed', (words: string) => said.push(words))
  await page.addInitScript(() => {
    const { tellConfirmed } = window as unknown as { tellConfirmed: (words: string) => Promise<void> }
    new MutationObserver(() => {
      const outcome = document.querySelector('h1')?.closest('[role=status]')
      if (outcome) void tellConfirmed(Array.from(outcome.children, ({ textContent }) => textContent).join('\n'))
    }).observe(document, { childList: true, subtree: true, characterData: true })
  })
  await page.goto(link)
  await expect.poll(() => said.join('\n')).toContain('Email verified successfully!\nRedirecting you to the homepage...')
}
