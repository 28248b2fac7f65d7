import { expect, type Locator, type Page, type Route } from '@playwright/test'
import { Product } from '@wangian/contracts/catalogue.ts'
import { z } from 'zod'
import { expectNoViolations } from './axe.ts'
import { openAuction, placeBid, siteUrl, test } from './site.ts'
import { expectToast } from './toasts.ts'

const picture = 'public/placeholder.jpg'
/** A listing is made by a dozen requests, one after the other. */
const listed = { timeout: 30_000 } as const
const uniqueName = (name: string) => `${name} ${Date.now() % 10_000_000}`
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })
const tiles = (page: Page) => page.getByRole('region', { name: 'Pictures' }).getByRole('img')

async function fillPerfume(page: Page, name: string): Promise<void> {
  await field(page, 'Name').fill(name)
  await field(page, 'Brand').fill('Wangian Atelier')
  await field(page, 'Category').selectOption('Local')
  await field(page, 'Description').fill('Ylang-ylang from Kedah, green and creamy, kept in the dark.')
}

async function productsNamed(name: string): Promise<Product[]> {
  const response = await fetch(new URL(`/api/products?search=${encodeURIComponent(name)}&limit=50`, siteUrl()))
  return z
    .array(Product)
    .parse(await response.json())
    .filter((product) => product.name === name)
}

/** Chooses a moment in Malaysian time by its six fields. */
async function chooseMoment(group: Locator, instantMs: number): Promise<void> {
  const [date = '', time = ''] = new Date(instantMs + 8 * 3_600_000).toISOString().slice(0, 19).split('T')
  const [year, month, day] = date.split('-').map(Number)
  const [hour, minute, second] = time.split(':').map(Number)
  for (const [part, value] of Object.entries({
    Day: day,
    Month: month,
    Year: year,
    Hour: hour,
    Minute: minute,
    Second: second,
  })) {
    await group.getByLabel(part).selectOption(String(value))
  }
}

test('a bottle with five pictures is listed once over a slow network that fails', async ({ as }) => {
  test.setTimeout(180_000)
  const sarah = await as('sarah')
  sarah.on('dialog', (dialog) => void dialog.accept())
  const name = uniqueName('Storm')
  await sarah.goto('/seller/products/new?type=fixed')
  await fillPerfume(sarah, name)
  await field(sarah, 'Price (RM)').fill('245.50')
  await field(sarah, 'Add pictures').setInputFiles(Array.from({ length: 5 }, () => picture))
  await expect(tiles(sarah)).toHaveCount(5)
  await expect(field(sarah, 'Add pictures')).toHaveCount(0)

  const seen = { products: 0, announced: 0, uploads: 0 }
  let isStuck = true
  let isDown = true
  const slowly = async (route: Route) => {
    await new Promise((done) => setTimeout(done, 150))
    await route.continue()
  }
  const loseAnswer = async (route: Route) => {
    await route.fetch()
    await route.abort('connectionreset')
  }
  await sarah.route('**/api/products', async (route) => {
    if (route.request().method() !== 'POST') return await route.continue()
    seen.products += 1
    // The first request never arrives, and of the second nobody hears that it did.
    if (seen.products === 1) return await route.abort('connectionrefused')
    return seen.products === 2 ? await loseAnswer(route) : await slowly(route)
  })
  await sarah.route('**/api/product-images', async (route) => {
    seen.announced += 1
    return seen.announced === 2 ? await loseAnswer(route) : await slowly(route)
  })
  await sarah.route('**/api/product-images/*/upload', async (route) => {
    seen.uploads += 1
    if (seen.uploads === 2) return await loseAnswer(route)
    // The third picture hangs until the page is closed.
    if (seen.uploads >= 4 && isStuck) return
    if (seen.uploads >= 6 && isDown) return await route.fulfill({ status: 503, body: '' })
    await slowly(route)
  })

  await sarah.getByRole('button', { name: 'Create Listing' }).click()
  const dialog = sarah.getByRole('dialog', { name: 'Listing your perfume' })
  await expect(dialog.getByRole('listitem').first()).toContainText('List the perfume')
  await expect.poll(() => seen.uploads, { timeout: 40_000 }).toBe(4)
  await sarah.reload()
  await expect(sarah.getByText('You were listing this when the page was closed.')).toBeVisible()
  await expect(field(sarah, 'Name')).toHaveValue(name)
  await expect(tiles(sarah)).toHaveCount(5)

  isStuck = false
  await sarah.getByRole('button', { name: 'Continue' }).click()
  const end = sarah.getByRole('dialog', { name: 'Your perfume is listed' })
  await expect(end.getByText('2 pictures are still missing.')).toBeVisible({ timeout: 60_000 })
  await expectToast(sarah, ['Error with images', 'Failed to upload image 4'])
  isDown = false
  await end.getByRole('button', { name: 'Try picture 4 again' }).click()
  await expect(end.getByText('1 picture is still missing.')).toBeVisible({ timeout: 30_000 })
  await end.getByRole('button', { name: 'Try All Again' }).click()
  await expect(sarah).toHaveURL(/\/products\/\d+$/, listed)
  await expectToast(sarah, 'Product created')
  await expect(sarah.getByRole('heading', { name })).toBeVisible()

  await expect.poll(async () => (await productsNamed(name)).length).toBe(1)
  const [product] = await productsNamed(name)
  expect(product).toMatchObject({ price: 245.5, listingType: 'fixed', status: 'active' })
  expect(new Set(product?.images.map(({ imageUrl }) => imageUrl)).size).toBe(5)
  expect(product?.images.map(({ imageOrder }) => imageOrder)).toEqual([0, 1, 2, 3, 4])

  await sarah.goto('/seller/products/new?type=fixed')
  await expect(field(sarah, 'Name')).toHaveValue('')
  await expect(sarah.getByText('Draft restored')).toHaveCount(0)
})

test('an auction is listed on a phone, with the keyboard where it helps, and is on the home page', async ({
  as,
  guest,
}) => {
  const sarah = await as('sarah')
  sarah.on('dialog', (dialog) => void dialog.accept())
  await sarah.setViewportSize({ width: 390, height: 780 })
  const name = uniqueName('Pocket')
  await sarah.goto('/seller/auctions/new')
  await expect(sarah).toHaveURL('/seller/products/new?type=auction')
  const submit = sarah.getByRole('button', { name: 'Create Auction' })
  await expect(submit).toBeInViewport()

  await submit.click()
  await expect(field(sarah, 'Name')).toBeFocused()
  for (const error of [
    'Name must be at least 3 characters',
    'Brand must be at least 2 characters',
    'Description must be at least 10 characters',
    'Please select a category',
    'Starting price must be greater than 0',
  ]) {
    await expect(sarah.getByText(error)).toBeVisible()
  }
  await fillPerfume(sarah, name)
  await field(sarah, 'Remaining (%)').fill('60')
  await expect(sarah.getByText('60% full')).toBeVisible()
  await field(sarah, 'Starting price (RM)').fill('120')
  await field(sarah, 'Bid increment (RM)').fill('0.05')
  await field(sarah, 'Reserve price (RM)').fill('90')
  const end = sarah.getByRole('group', { name: 'Ends at' })
  await end.getByLabel('Month').selectOption('February')
  await end.getByLabel('Day').selectOption('31')
  await submit.click()
  await expect(sarah.getByText('Bid increment must be at least RM0.10')).toBeVisible()
  await expect(sarah.getByText('Reserve price must be at least the starting price of RM\u00A0120.00')).toBeVisible()
  await expect(sarah.getByText(/^February \d+ has only 2[89] days$/)).toBeVisible()
  await field(sarah, 'Bid increment (RM)').fill('2.50')
  await field(sarah, 'Reserve price (RM)').fill('')
  await chooseMoment(end, Date.now() - 60_000)
  await expect(sarah.getByText('End date must be in the future')).toBeVisible()
  await chooseMoment(end, Date.now() + 240_000)
  await expect(sarah.getByText('End date must be in the future')).toHaveCount(0)

  const add = field(sarah, 'Add pictures')
  await add.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no') })
  await expect(
    sarah.getByRole('alert').getByText('Invalid file type: Please select an image file (JPEG, PNG, etc.)'),
  ).toBeVisible()
  await add.setInputFiles({ name: 'huge.jpg', mimeType: 'image/jpeg', buffer: Buffer.alloc(5 * 1024 * 1024 + 1) })
  await expect(
    sarah.getByRole('alert').getByText('File too large: Please select an image smaller than 5MB'),
  ).toBeVisible()
  await add.setInputFiles(picture)
  await add.setInputFiles({ name: 'front.jpg', mimeType: 'image/jpeg', buffer: await jpeg(sarah) })
  await expect(tiles(sarah).nth(1)).toHaveAccessibleName('Picture 2: front.jpg')
  await sarah.getByRole('button', { name: 'Move picture 2 earlier' }).focus()
  await sarah.keyboard.press('ArrowLeft')
  await expect(tiles(sarah).first()).toHaveAccessibleName('Picture 1: front.jpg')
  await expect(sarah.getByText('Picture 2 is now the main picture.')).toBeAttached()
  await expect(sarah.getByRole('button', { name: 'Move picture 1 earlier' })).toBeFocused()
  await expectNoViolations(sarah, 'a filled auction form on a phone')

  await submit.click()
  await expect(sarah).toHaveURL(/\/auctions\/\d+$/, listed)
  await expectToast(sarah, ['Auction created', `${name} is open for bids.`], listed)
  const visitor = await guest()
  await visitor.goto('/')
  await expect(visitor.getByRole('region', { name: 'Live Auctions' }).getByRole('link', { name })).toBeVisible(listed)
})

test('a draft survives a reload, is its owner’s alone, and can be discarded', async ({ as }) => {
  const sarah = await as('sarah')
  sarah.on('dialog', (dialog) => void dialog.accept())
  await sarah.goto('/seller/products/new?type=fixed')
  await field(sarah, 'Name').fill('Half a thought')
  await field(sarah, 'Add pictures').setInputFiles(picture)
  await expect(tiles(sarah)).toHaveCount(1)
  await sarah.getByRole('link', { name: 'Sell by auction instead' }).click()
  const question = sarah.getByRole('dialog', { name: 'Leave this page?' })
  await question.getByRole('button', { name: 'Stay' }).click()
  await sarah.reload()
  await expect(sarah.getByText('Draft restored')).toBeVisible()
  await expect(field(sarah, 'Name')).toHaveValue('Half a thought')
  await expect(tiles(sarah)).toHaveCount(1)
  await expectNoViolations(sarah, 'a restored draft')
  await sarah.getByRole('button', { name: 'Discard' }).click()
  await expect(field(sarah, 'Name')).toHaveValue('')
  await expect(tiles(sarah)).toHaveCount(0)
  await sarah.reload()
  await expect(field(sarah, 'Name')).toHaveValue('')
})

test('a listing is changed: its words, its price and its pictures', async ({ as }) => {
  const sarah = await as('sarah')
  sarah.on('dialog', (dialog) => void dialog.accept())
  const name = uniqueName('Changing')
  await sarah.goto('/seller/products/new?type=fixed')
  await fillPerfume(sarah, name)
  await field(sarah, 'Price (RM)').fill('80')
  await field(sarah, 'Add pictures').setInputFiles([picture, picture, picture])
  await sarah.getByRole('button', { name: 'Create Listing' }).click()
  await expect(sarah).toHaveURL(/\/products\/\d+$/, listed)
  const [, productId = ''] = /products\/(\d+)/.exec(sarah.url()) ?? []
  const before = await productsNamed(name)

  await sarah.goto(`/seller/products/${productId}/edit`)
  await expect(sarah.getByRole('button', { name: 'Save Changes' })).toBeDisabled()
  await expect(field(sarah, 'Name')).toHaveValue(name)
  await field(sarah, 'Price (RM)').fill('95.90')
  await sarah.getByLabel('Negotiable').check()
  await sarah.evaluate(() => window.scrollTo(0, 0))
  // The last one is dragged to the front, and the one that was first is taken off.
  const [from, to] = [await tiles(sarah).nth(2).boundingBox(), await tiles(sarah).nth(0).boundingBox()]
  if (!from || !to) throw new Error('the pictures are shown')
  await sarah.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await sarah.mouse.down()
  await sarah.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 8 })
  await sarah.mouse.up()
  await expect(sarah.getByText('is now the main picture.')).toBeAttached()
  await sarah.getByRole('button', { name: 'Remove picture 2' }).click()
  await sarah.getByRole('button', { name: 'Save Changes' }).click()
  await expectToast(sarah, 'Product updated', listed)
  await expect(sarah).toHaveURL(`/products/${productId}`)

  const [changed] = await productsNamed(name)
  expect(changed).toMatchObject({ price: 95.9, listingType: 'negotiable' })
  const [first, second, third] = before[0]?.images.map(({ id }) => id) ?? []
  expect(changed?.images).toHaveLength(2)
  expect(changed?.images[0]?.id).toBe(third)
  expect([first, second]).toContain(changed?.images[1]?.id)
})

test('with a bid on it a listing is only added to', async ({ as }) => {
  const auction = await openAuction({ name: uniqueName('Frozen'), startingPrice: 50, bidIncrement: 5 })
  const sarah = await as('sarah')
  sarah.on('dialog', (dialog) => void dialog.accept())
  await sarah.goto(`/seller/products/${auction.productId}/edit`)
  await field(sarah, 'Bid increment (RM)').fill('10')
  await sarah.getByRole('button', { name: 'Save Changes' }).click()
  await expectToast(sarah, 'Auction updated', listed)
  await expect(sarah).toHaveURL(`/auctions/${auction.id}`)

  const bala = await as('bala')
  await bala.goto(`/auctions/${auction.id}`)
  await expect(bala.getByRole('spinbutton')).toHaveValue('60.00')
  await placeBid(bala)

  await sarah.goto(`/seller/products/${auction.productId}/edit`)
  await expect(sarah.getByText('People have bid on it')).toBeVisible()
  await expect(sarah.getByRole('main').getByRole('textbox')).toHaveCount(1)
  await expectNoViolations(sarah, 'a listing with bids')
  await field(sarah, 'Add to the description').fill('The cap has a scratch.')
  await sarah.getByRole('button', { name: 'Save Changes' }).click()
  await expectToast(sarah, 'Auction updated', listed)
  await expect(sarah.getByText('The cap has a scratch.')).toBeVisible()
})

test('what was not sold is auctioned again', async ({ as }) => {
  const name = uniqueName('Again')
  const auction = await openAuction({ name, endsInS: 4, startingPrice: 50, bidIncrement: 5 })
  const sarah = await as('sarah')
  sarah.on('dialog', (dialog) => void dialog.accept())
  await sarah.goto(`/auctions/${auction.id}`)
  await expect(sarah.getByText('This auction has ended')).toBeVisible({ timeout: 30_000 })
  await sarah.goto(`/seller/products/${auction.productId}/edit`)
  await expect(sarah.getByText('Its auction is over without a winner')).toBeVisible()
  await sarah.getByRole('link', { name: 'Auction it again' }).click()
  await expect(sarah.getByText('Its end was over: it is now one day ahead.')).toBeVisible()
  await expect(field(sarah, 'Starting price (RM)')).toHaveValue('50.00')
  await field(sarah, 'Starting price (RM)').fill('40')
  await sarah.getByRole('button', { name: 'Open Auction' }).click()
  await expectToast(sarah, 'Auction created', listed)
  await expect(sarah).toHaveURL(/\/auctions\/\d+$/, listed)
  expect(sarah.url()).not.toContain(`/auctions/${auction.id}`)
  await expect(sarah.getByText('RM\u00A040.00').first()).toBeVisible()
  await sarah.goto(`/seller/products/${auction.productId}/relist`)
  await expect(sarah.getByRole('heading', { name: 'Its auction is still running' })).toBeVisible()
})

/** A picture of its own, as small as one can be. */
async function jpeg(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    canvas.width = 80
    canvas.height = 100
    canvas.getContext('2d')?.fillRect(0, 0, 80, 50)
    return canvas.toDataURL('image/jpeg').split(',')[1] ?? ''
  })
  return Buffer.from(base64, 'base64')
}
