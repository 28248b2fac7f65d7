import { expect, type Page } from '@playwright/test'
import { expectNoViolations } from './axe.ts'
import { field, send } from './chat-steps.ts'
import { openAuction, openLive, test } from './site.ts'
import { expectToast } from './toasts.ts'

const thread = (page: Page, name: string) => page.getByRole('log', { name: `Messages with ${name}` })
/** One message of the conversation that is open. */
const line = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text })
const conversations = (page: Page) => page.getByRole('region', { name: 'Conversations' })

/** Comes to the conversation with sarah by a listing of hers. */
async function askAbout(page: Page, productId: number): Promise<void> {
  await page.goto(`/products/${productId}`)
  await page.getByRole('button', { name: 'Contact Seller', exact: true }).first().click()
  await expect(page).toHaveURL(/\/messages$/)
}

test('a guest is sent to sign in, and told why', async ({ guest }) => {
  const page = await guest()
  await page.goto('/messages')
  await expect(page).toHaveURL(/\/auth\?redirect=%2Fmessages$/)
  await expectToast(page, 'Authentication Required')
})

test('a buyer writes to a seller about a perfume, and both see what happens as it happens', async ({ as }) => {
  const name = `Asked About ${Date.now()}`
  const { productId } = await openAuction({ name, startingPrice: 50, bidIncrement: 5 })
  const [bala, sarah] = [await as('bala'), await as('sarah')]
  await openLive(sarah, '/products')
  await expect(sarah.getByRole('link', { name: /^Messages/ })).toBeVisible()

  await askAbout(bala, productId)
  await expect(bala.getByRole('link', { name })).toHaveAttribute('href', `/products/${productId}`)
  const hello = `Hi, I am interested in ${name}.`
  await expect(field(bala)).toHaveValue(hello)
  await send(bala)
  await expect(line(bala, hello)).toContainText('Sent')
  await expect(field(bala)).toHaveValue('')
  const question = `Is the box of ${name} still there? I would love to see a picture of it before I decide.`
  await field(bala).fill(question)
  await send(bala)
  await expect(line(bala, question)).toContainText('Sent')

  // Wherever she is, she hears of it.
  await expectToast(sarah, ['New message from bala', `${question.slice(0, 50)}...`])
  const badge = sarah.getByRole('link', { name: /^Messages, \d+ unread$/ })
  await expect(badge).toBeVisible()

  await badge.click()
  const entry = conversations(sarah).getByRole('button', { name: /bala/ })
  await expect(entry).toContainText(`Regarding: ${name}`)
  await expect(entry).toContainText(`${question.slice(0, 60)}...`)
  await expect(entry).toContainText(/\d+ unread messages/)
  await entry.click()
  await expect(line(sarah, question)).toBeVisible()
  await expect(entry).not.toContainText('unread')
  for (const text of [hello, question]) await expect(line(bala, text)).toContainText('Read')

  const answer = `Yes, here: https://example.com/${Date.now()}`
  await field(sarah).fill(answer)
  await sarah.getByRole('button', { name: 'Send message' }).click()
  await expect(line(bala, answer)).toBeVisible()
  // The demo's accounts are of today.
  await expect(line(bala, answer).getByRole('note')).toContainText('younger than 7 days')
  await expect(line(bala, answer).getByRole('link')).toHaveCount(0)
  await expect(line(sarah, answer)).toContainText('Read')

  // What is half written is kept, too.
  await field(bala).fill('Then I')
  await bala.reload()
  await expect(line(bala, answer)).toBeVisible()
  await expect(line(bala, question)).toContainText('Read')
  await expect(field(bala)).toHaveValue('Then I')
})

test('the page is in order in both schemes, and on a phone the list is in a drawer', async ({ as }) => {
  const { productId } = await openAuction({ name: 'In Order', startingPrice: 50, bidIncrement: 5 })
  const bala = await as('bala')
  await askAbout(bala, productId)
  await send(bala)
  await expect(line(bala, 'Hi, I am interested in In Order.').last()).toContainText('Sent')
  await expectNoViolations(bala, 'a conversation')
  await bala.setViewportSize({ width: 390, height: 844 })
  await expect(conversations(bala)).toBeHidden()
  await bala.getByRole('button', { name: 'Show conversations' }).click()
  const drawer = bala.getByRole('dialog', { name: 'Conversations' })
  await drawer.getByRole('button', { name: /sarah/ }).click()
  await expect(drawer).toBeHidden()
  await expect(thread(bala, 'sarah')).toBeVisible()
  expect(await bala.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
})

test('two people send each other a picture and a document, which nobody else gets', async ({ as }) => {
  const name = `With Papers ${Date.now()}`
  const { productId } = await openAuction({ name, startingPrice: 50, bidIncrement: 5 })
  const [bala, sarah, mei] = [await as('bala'), await as('sarah'), await as('mei')]
  // Her browser has her token where a page of ours is open.
  await mei.goto('/products')
  await askAbout(bala, productId)
  const picker = bala.getByTestId('file-picker')
  const picture = await bala.screenshot({ clip: { x: 0, y: 0, width: 400, height: 300 } })
  await picker.setInputFiles({ name: `${name}.png`, mimeType: 'image/png', buffer: picture })
  await expectToast(bala, 'File Uploaded')
  const shown = bala.getByRole('img', { name: `${name}.png` })
  await expect(shown).toBeVisible()

  await sarah.goto('/messages')
  await conversations(sarah).getByRole('button', { name: /bala/ }).click()
  await sarah.getByRole('button', { name: `Show ${name}.png large` }).click()
  await expect(sarah.getByRole('dialog', { name: `${name}.png` }).getByRole('img')).toBeVisible()
  await sarah.keyboard.press('Escape')

  const bytes = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF')
  const answered = bala.waitForResponse((response) => response.url().endsWith('/upload-file'))
  await picker.setInputFiles({ name: 'receipt.pdf', mimeType: 'application/pdf', buffer: bytes })
  const { message } = await (await answered).json()
  const saved = sarah.waitForEvent('download')
  await sarah.getByRole('button', { name: 'receipt.pdf' }).last().click()
  expect((await saved).suggestedFilename()).toBe('receipt.pdf')
  const status = (page: Page) =>
    page.evaluate(async (url: string) => {
      const authorization = `Bearer ${localStorage.getItem('app_token')}`
      return (await fetch(url, { headers: { authorization } })).status
    }, message.fileUrl)
  expect([await status(bala), await status(sarah), await status(mei)]).toEqual([200, 200, 404])

  await picker.setInputFiles({ name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<script>') })
  await expectToast(bala, 'Upload Failed')
  await picker.setInputFiles({ name: 'page.pdf', mimeType: 'application/pdf', buffer: Buffer.from('<script>') })
  await expectToast(bala, 'Invalid file type')
  await bala.getByRole('button', { name: 'Discard', exact: true }).click()
  await expect(bala.getByText('page.pdf')).toHaveCount(0)
  await expectNoViolations(bala, 'a conversation with files')
})
