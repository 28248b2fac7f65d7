import { expect } from '@playwright/test'
import { test } from './site.ts'
import { expectToast } from './toasts.ts'

test('a seller opens an auction by the form and everybody finds it', async ({ as, guest }) => {
  const sarah = await as('sarah')
  await sarah.goto('/')
  await sarah.getByRole('link', { name: 'Sell', exact: true }).click()
  await sarah.getByRole('button', { name: 'Add New Product' }).click()
  await sarah.getByRole('dialog', { name: 'Select Listing Type' }).getByRole('link', { name: 'Auction' }).click()
  await expect(sarah.getByRole('heading', { name: 'Create an auction', level: 1 })).toBeVisible()
  await sarah.getByRole('button', { name: 'Create Auction' }).click()
  for (const error of [
    'Name must be at least 3 characters',
    'Brand must be at least 2 characters',
    'Description must be at least 10 characters',
    'Please select a category',
    'Starting price must be greater than 0',
  ]) {
    await expect(sarah.getByText(error)).toBeVisible()
  }

  const name = `Kenanga ${Date.now() % 1_000_000}`
  await sarah.getByLabel('Name', { exact: true }).fill(name)
  await sarah.getByLabel('Brand').fill('Wangian Atelier')
  await sarah.getByLabel('Category').selectOption('Local')
  await sarah.getByLabel('Description').fill('Ylang-ylang from Kedah, green and creamy, kept in the dark.')
  await sarah
    .getByLabel('Add pictures')
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no') })
  await expect(
    sarah.getByRole('alert').getByText('Invalid file type: Please select an image file (JPEG, PNG, etc.)'),
  ).toBeVisible()
  await sarah.getByLabel('Add pictures').setInputFiles('public/placeholder.jpg')
  await expect(sarah.getByRole('img', { name: 'Picture 1: placeholder.jpg' })).toBeVisible()
  await sarah.getByLabel('Remaining (%)').fill('88')
  await sarah.getByLabel('Starting price (RM)').fill('120')
  await sarah.getByLabel('Bid increment (RM)').fill('0.05')
  await sarah.getByRole('button', { name: 'Create Auction' }).click()
  await expect(sarah.getByText('Bid increment must be at least RM0.10')).toBeVisible()
  await sarah.getByLabel('Bid increment (RM)').fill('2.50')
  await sarah.getByRole('button', { name: 'Create Auction' }).click()
  await expect(sarah).toHaveURL(/\/auctions\/\d+$/)
  await expectToast(sarah, 'Auction created')
  await expect(sarah.getByRole('heading', { name })).toBeVisible()

  const page = await guest()
  await page.goto('/products?type=auction')
  await page.getByRole('link', { name }).click()
  await expect(page).toHaveURL(/\/auctions\/\d+$/)
  const facts = page.getByRole('main')
  for (const fact of ['Starting Price', 'Current Bid', 'Bid Increment', 'Total Bids']) {
    await expect(facts.getByText(fact, { exact: true })).toBeVisible()
  }
  const picture = page.getByRole('img', { name: `${name}, picture 1 of 1` })
  await expect(picture).toHaveAttribute('src', /^\/api\/images\//)
  expect(
    await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
  ).toBeGreaterThan(0)
  await page.getByRole('tab', { name: 'Product Details' }).click()
  await expect(page.getByText('88%', { exact: true })).toBeVisible()
  await expect(page.getByText('No batch code provided')).toBeVisible()
})

test('people search, look at a listing and come back', async ({ guest }) => {
  const page = await guest()
  await page.goto('/')
  await page.getByRole('main').getByRole('searchbox').fill('rouge')
  await page.getByRole('button', { name: 'Start Shopping' }).click()
  await expect(page).toHaveURL('/products?search=rouge')
  await expect(page.getByRole('heading', { name: 'Search Results for “rouge”' })).toBeVisible()
  await page.goto('/products?search=nothing-smells-like-this')
  await expect(page.getByText('No products found')).toBeVisible()
  await expect(page.getByText('Try adjusting your filters or search criteria')).toBeVisible()
  await page.getByRole('region', { name: 'Search Results' }).getByRole('button', { name: 'Reset' }).click()
  await expect(page).toHaveURL('/products')

  const cards = page.getByRole('article')
  await expect(cards).toHaveCount(24)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(cards).toHaveCount(48)
  await page.goto('/products?category=2')
  await expect(page.getByRole('heading', { name: 'Local' })).toBeVisible()

  await page.goto('/products/999999')
  await expect(page.getByRole('heading', { name: 'Product Not Found' })).toBeVisible()
})
