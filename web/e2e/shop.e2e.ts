import { fileURLToPath } from 'node:url'
import { expect } from '@playwright/test'
import { firstPassword, newPerson, signInAt } from './newcomers.ts'
import { openAuction, test } from './site.ts'
import { expectToast } from './toasts.ts'

const anyPicture = fileURLToPath(new URL('../public/placeholder.jpg', import.meta.url))

test('an owner edits the shop and changes its pictures, and everybody sees it', async ({ guest }) => {
  const owner = await guest()
  const { username } = await newPerson(owner)
  await signInAt(owner, '/profile', username, firstPassword)
  await expect(owner).toHaveURL(/\/sellers\/\d+$/)
  await expect(owner.getByRole('heading', { level: 1, name: username })).toBeVisible()
  await expect(owner.getByText('No featured products found.')).toBeVisible()
  await owner.getByRole('button', { name: 'Not verified yet' }).click()
  await expect(owner.getByText('At least 5 delivered orders')).toBeVisible()
  await owner.keyboard.press('Escape')

  await owner.getByRole('button', { name: 'Edit Profile' }).click()
  await owner.getByLabel('Shop name').fill('x'.repeat(51))
  await owner.getByRole('button', { name: 'Save Changes' }).click()
  await expect(owner.getByText('Shop name must be 50 characters or less')).toBeVisible()
  await owner.getByLabel('Shop name').fill('The Amber Room')
  await owner.getByLabel('Location').fill('Ipoh')
  await owner.getByLabel('Bio').fill('Dark bottles.\nHonest levels.')
  await owner.getByRole('button', { name: 'Save Changes' }).click()
  await expectToast(owner, 'Profile updated')
  await expect(owner.getByRole('heading', { name: 'The Amber Room' })).toBeVisible()

  await owner.getByRole('button', { name: 'Change picture' }).click()
  const picture = owner.getByRole('dialog', { name: 'Change your picture' })
  await picture.getByRole('button', { name: 'Upload' }).click()
  await expectToast(owner, 'No image selected')
  await picture
    .getByLabel('Image')
    .setInputFiles({ name: 'not.txt', mimeType: 'text/plain', buffer: Buffer.from('no') })
  await expectToast(owner, 'Invalid file type')
  await picture.getByLabel('Image').setInputFiles(anyPicture)
  await picture.getByRole('button', { name: 'Upload' }).click()
  await expectToast(owner, 'Upload successful')
  await expect(owner.getByRole('button', { name: 'My Account', exact: true }).locator('img')).toHaveAttribute(
    'src',
    /^\/api\/profile-images\//,
  )
  await owner.getByRole('button', { name: 'Add Cover Photo' }).click()
  const cover = owner.getByRole('dialog', { name: 'Change your cover photo' })
  await cover.getByLabel('Image').setInputFiles(anyPicture)
  await cover.getByRole('button', { name: 'Upload' }).click()
  await expect(owner.getByRole('button', { name: 'Change Cover' })).toBeVisible()

  const visitor = await guest()
  await visitor.goto(owner.url())
  await expect(visitor.getByRole('heading', { name: 'The Amber Room' })).toBeVisible()
  await expect(visitor.getByText('Honest levels.')).toBeVisible()
  const pictures = visitor.getByRole('main').locator('img[src^="/api/profile-images/"]')
  await expect(pictures).toHaveCount(2)
  await expect(pictures.first()).toHaveJSProperty('complete', true)
  await expect(visitor.getByRole('button', { name: 'Edit Profile' })).toBeHidden()
  await visitor.getByRole('button', { name: 'Contact Seller', exact: true }).click()
  await expectToast(visitor, 'You need to log in to contact sellers.')
  await visitor.goto('/sellers/999999')
  await expect(visitor.getByRole('heading', { name: 'Seller Not Found' })).toBeVisible()
})

test('a shop is looked through by tab, sort and page, and Back goes the same way', async ({ guest }) => {
  const page = await guest()
  const { sellerId } = await openAuction({ name: 'On the shelf', startingPrice: 10, bidIncrement: 1 })
  await page.goto(`/sellers/${sellerId}`)
  const shop = page.url()
  await page.getByRole('tab', { name: 'Active' }).click()
  await expect(page).toHaveURL(`${shop}?tab=active`)
  await expect(page.getByRole('tabpanel').getByRole('article').first()).toBeVisible()
  await page.getByRole('combobox', { name: 'Sort by' }).click()
  await page.getByRole('option', { name: 'Price: Low to High' }).click()
  await expect(page).toHaveURL(`${shop}?tab=active&sort=price-asc`)
  await page.getByRole('tab', { name: 'Reviews' }).click()
  await expect(page).toHaveURL(`${shop}?tab=reviews&sort=price-asc`)
  await page.goBack()
  await page.goBack()
  await expect(page).toHaveURL(`${shop}?tab=active`)
  await expect(page.getByRole('combobox', { name: 'Sort by' })).toContainText('Most Popular')
})
