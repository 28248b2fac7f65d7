import { expect, type Page } from '@playwright/test'
import { mailTo } from './mails.ts'
import { complaintsOf, siteUrl, test } from './site.ts'

const headline = (page: Page) => page.getByRole('heading', { level: 1 })
const choice = (page: Page, name: string) => page.getByRole('contentinfo').getByRole('radio', { name })

test('a browser that wishes for Malay is served it, and nothing else flashes', async ({ browser }) => {
  const context = await browser.newContext({ baseURL: siteUrl(), locale: 'ms-MY' })
  const page = await context.newPage()
  const complaints = complaintsOf(page)
  const scripts: string[] = []
  page.on('request', (request) => scripts.push(new URL(request.url()).pathname))
  await page.route('**/assets/first-*.js', async (route) => {
    // What was built is there before any script has run.
    await expect(headline(page)).toHaveText('Wangian yang layak bertukar tangan')
    await headline(page).evaluate((element) => element.setAttribute('data-was-there', ''))
    await route.continue()
  })
  await page.goto('/')
  await expect(page.getByRole('region', { name: 'Iklan Terkini' }).getByRole('article')).toHaveCount(6)
  await expect(headline(page)).toHaveAttribute('data-was-there')
  await expect(page.locator('html')).toHaveAttribute('lang', 'ms')
  await expect(page).toHaveTitle('Wangian · Pasaran Minyak Wangi Premium Anda')
  expect(complaints).toEqual([])
  expect(scripts.filter((path) => path.includes('/assets/english'))).toEqual([])
  await context.close()
})

test('the switch changes the words where one is, in all tabs, and for the next visit', async ({ guest }) => {
  const page = await guest()
  const other = await page.context().newPage()
  await other.goto('/buying-guide')
  await page.goto('/register?lang=en')
  await page.getByLabel('Username').fill('nur')
  await choice(page, 'Bahasa Melayu').click()
  await expect(page.getByLabel('Nama Pengguna')).toHaveValue('nur')
  await expect(page).toHaveURL('/register')
  await expect(choice(page, 'Bahasa Melayu')).toBeChecked()
  await expect(headline(other)).toHaveText('Panduan Membeli')
  await other.reload()
  await expect(headline(other)).toHaveText('Panduan Membeli')
  await choice(other, 'English').click()
  await expect(page.getByLabel('Username')).toHaveValue('nur')
  await other.reload()
  await expect(headline(other)).toHaveText('Buying Guide')
})

test('an address chooses for a visit', async ({ guest }) => {
  const page = await guest()
  await page.goto('/products?lang=ms')
  await expect(headline(page)).toHaveText('Terokai Koleksi Kami')
  await page.goto('/about')
  await expect(headline(page)).toHaveText('Tentang Kami')
})

test('whoever registers in Malay is mailed in Malay, until they choose otherwise', async ({ guest }) => {
  const page = await guest()
  const username = `melati${Date.now() % 10_000_000}`
  const email = `${username}@wangian.test`
  const told: unknown[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('/api/user/language')) told.push(response.request().postDataJSON())
  })
  await page.goto('/register?lang=ms')
  await page.getByLabel('E-mel').fill(email)
  await page.getByLabel('Nama Pengguna').fill(username)
  await page.getByLabel('Kata Laluan', { exact: true }).fill('rose-oud-amber')
  await page.getByLabel('Sahkan Kata Laluan').fill('rose-oud-amber')
  await page.getByLabel('Saya bersetuju dengan terma dan syarat').check()
  await page.getByRole('button', { name: 'Cipta Akaun dengan Pengesahan E-mel' }).click()
  const { subject, code } = await mailTo(email)
  expect(subject).toBe('Sahkan alamat e-mel anda')
  await page.getByLabel('Kod 6 angka').fill(code)
  await page.getByRole('button', { name: 'Sahkan' }).click()
  await expect.poll(() => told).toEqual([{ language: 'ms' }])
  await choice(page, 'English').click()
  await expect.poll(() => told).toEqual([{ language: 'ms' }, { language: 'en' }])
})
