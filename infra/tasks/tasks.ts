import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import type { DemoPerson } from '../rig/demo-browser.ts'
import type { DemoCalls } from './demo-calls.ts'
import type { Hand } from './hand.ts'

/** Something that a person comes to the site for. It begins on the home page, and ends when the site says that it is done. */
export interface Task {
  readonly name: string
  readonly who: DemoPerson
  readonly on: 'phone' | 'desk'
  /** What others did before, which nobody counts. @returns what the task is about */
  readonly before?: (calls: DemoCalls) => Promise<About>
  readonly does: (hand: Hand, about: About, others: Others) => Promise<void>
}

export interface About {
  /** Of the listing; empty where the task is about none of its own. */
  readonly name: string
}

/** Somebody else, in a browser of their own. */
export type Others = (who: DemoPerson) => Promise<Page>

const PRICE_MAX = 200
/** What the end of the slider stands for. */
const SLIDER_MAX = 500
const FILL_MIN = 80
const picture = fileURLToPath(new URL('../../web/public/placeholder.jpg', import.meta.url))
const uniqueName = (name: string) => `${name} ${Date.now() % 10_000_000}`

export const tasks: readonly Task[] = [
  {
    name: 'Find and buy a bottle under RM 200 that is over 80 % full',
    who: 'mei',
    on: 'desk',
    async does(hand) {
      const { page } = hand
      await hand.pressOneOf(
        page.getByRole('banner').getByRole('link', { name: 'Shop', exact: true }),
        page.getByRole('button', { name: 'Start Shopping' }),
      )
      const filters = page.getByRole('complementary', { name: 'Filters' })
      const highest = filters.getByRole('slider', { name: 'Highest price' })
      const fullest = filters.getByRole('radio', { name: new RegExp(`${FILL_MIN}\\s?%`) })
      await highest.waitFor()
      await pull(hand, highest, filters.getByRole('slider', { name: 'Lowest price' }))
      if (await fullest.isVisible()) await hand.press(fullest)
      await hand.press(filters.getByRole('button', { name: 'Apply Filters' }))
      await page.waitForURL(/maxPrice=/)
      // Bottles that are sold at an auction, and those that are emptier, are passed over by reading.
      const cards = page.getByRole('article').filter({ hasNotText: /Auction|SOLD|Bid/ })
      const full = cards.filter({ has: page.getByText(/^(100|9\d|8[1-9])%/) })
      await full.first().waitFor()
      await hand.press(full.getByRole('link'))
      await hand.press(page.getByRole('button', { name: /^Buy Now for/ }))
      await sendMessage(hand)
    },
  },
  {
    name: 'Bid from a phone',
    who: 'mei',
    on: 'phone',
    before: async (calls) => {
      const name = uniqueName('Task Lot')
      await calls.openAuction(name)
      return { name }
    },
    async does(hand, { name }) {
      const { page } = hand
      await hand.pressOneOf(
        page.getByRole('banner').getByRole('button', { name: /^Search/ }),
        page.getByRole('searchbox'),
      )
      const search = page.getByRole('searchbox').locator('visible=true').first()
      await hand.fill(search, name)
      await hand.key(search, 'Enter')
      await hand.press(page.getByRole('article').getByRole('link', { name }))
      await page.getByText('Connected', { exact: true }).waitFor()
      await hand.press(page.getByRole('button', { name: 'Place Bid' }))
      await page.getByText('Bid Placed!').first().waitFor()
    },
  },
  {
    name: 'List a bottle with three photos',
    who: 'sarah',
    on: 'desk',
    async does(hand) {
      const { page } = hand
      const field = (label: string) => page.getByLabel(label, { exact: true })
      await hand.press(page.getByRole('link', { name: 'Sell', exact: true }))
      await hand.press(page.getByRole('button', { name: 'Add New Product' }))
      await hand.press(
        page.getByRole('dialog', { name: 'Select Listing Type' }).getByRole('link', { name: /Fixed Price/ }),
      )
      await hand.attach(field('Add pictures'), [picture, picture, picture])
      await hand.fill(field('Name'), uniqueName('Task Bottle'))
      await hand.fill(field('Brand'), 'Maison Tasks')
      await hand.choose(field('Category'), 'Niche')
      await hand.fill(field('Description'), 'Sandalwood and iris, kept in its box in the dark.')
      await hand.fill(field('Remaining (%)'), '85')
      await hand.fill(field('Price (RM)'), '180')
      await hand.press(page.getByRole('button', { name: 'Create Listing' }))
      await page.waitForURL(/\/products\/\d+$/)
    },
  },
  {
    name: 'Answer a buyer and close the deal',
    who: 'sarah',
    on: 'desk',
    before: async (calls) => {
      const name = uniqueName('Task Deal')
      await calls.listBottle(name, 150)
      return { name }
    },
    async does(hand, { name }, others) {
      const { page } = hand
      const buyer = await others('bala')
      await buyer.goto(`/products?search=${encodeURIComponent(name)}`)
      await buyer.getByRole('article').getByRole('link', { name }).first().click()
      await buyer.getByRole('button', { name: /^Buy Now for/ }).click()
      await buyer.getByLabel('Message', { exact: true }).press('Enter')
      await buyer.getByRole('log').getByText(name).first().waitFor()

      await hand.press(page.getByRole('banner').getByRole('link', { name: /^Messages/ }))
      await hand.press(page.getByRole('button', { name: /^(. )?bala/i }))
      await hand.fill(page.getByLabel('Message', { exact: true }), 'It is. I have sent you the offer.')
      await hand.key(page.getByLabel('Message', { exact: true }), 'Enter')
      await hand.press(page.getByRole('button', { name: 'Create Transaction' }))
      await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Send to Buyer' }))
      await cardOf(buyer, 'Confirm Purchase').getByRole('button', { name: 'Confirm Purchase' }).click()
      await hand.press(cardOf(page, 'Confirm Payment').getByRole('button', { name: 'Confirm Payment Received' }))
      await cardOf(page, 'Confirm Payment').getByText('Payment received - Transaction complete').waitFor()
    },
  },
  {
    name: 'Find out why a listing vanished',
    who: 'sarah',
    on: 'desk',
    before: async (calls) => {
      const name = uniqueName('Task Fake')
      await calls.removeListing(await calls.listBottle(name, 90), reasonFor(name))
      return { name }
    },
    async does(hand, { name }) {
      const { page } = hand
      const bell = page.getByRole('banner').getByRole('button', { name: /^Notices/ })
      const messages = page.getByRole('banner').getByRole('link', { name: /^Messages/ })
      await bell.or(messages).first().waitFor()
      if (await bell.isVisible()) {
        await hand.press(bell)
        await hand.press(page.getByRole('dialog', { name: 'Notices' }).getByRole('link', { name }))
      } else {
        await hand.press(messages)
        await hand.press(page.getByRole('button', { name: /^(. )?admin/i }))
      }
      await page.getByText(reasonFor(name)).last().waitFor()
    },
  },
]

const reasonFor = (name: string) => `The batch code of ${name} is wrong`

const cardOf = (page: Page, title: string) =>
  page
    .getByRole('article')
    .filter({ has: page.getByRole('heading', { name: title }) })
    .last()

/** What the shop has written for the buyer goes as it is. */
async function sendMessage(hand: Hand): Promise<void> {
  const field = hand.page.getByLabel('Message', { exact: true })
  await field.waitFor()
  const words = await field.inputValue()
  await hand.key(field, 'Enter')
  await hand.page
    .getByRole('log')
    .getByText(words.split('\n')[0]?.slice(0, 40) ?? '')
    .last()
    .waitFor()
}

/** Pulls the highest price from the end of the slider, where it stands at first, to what the buyer has. */
async function pull(hand: Hand, highest: Locator, lowest: Locator): Promise<void> {
  const [from, start] = [await highest.boundingBox(), await lowest.boundingBox()]
  if (from === null || start === null) throw new Error('The slider is not there')
  const middle = { x: from.x + from.width / 2, y: from.y + from.height / 2 }
  const zero = start.x + start.width / 2
  await hand.drag(middle, { x: zero + ((middle.x - zero) * PRICE_MAX) / SLIDER_MAX, y: middle.y })
}
