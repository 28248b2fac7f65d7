import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { product } from '../testing/fixtures.ts'
import { setHead } from '../testing/set-head.ts'
import { track, trackSelection } from './analytics.ts'
import { type AnalyticsEventName, analyticsEvents } from './analytics-events.ts'
import { addTag, withdraw } from './analytics-tag.ts'
import { tellOfPage, tellOfView } from './analytics-telling.ts'
import { anonymousParameters } from './anonymous.ts'
import { beginAnalytics } from './begin-analytics.ts'

const told: unknown[][] = []
const eventsTold = () => told.filter(([command]) => command === 'event').map(([, ...event]) => event)
const id = 'G-AB12CD34EF'

beforeEach(() => {
  told.length = 0
  localStorage.clear()
  window.gtag = (...command) => void told.push(command)
})
afterEach(() => {
  window.gtag = undefined
  window.dataLayer = undefined
  setHead('')
  window.history.replaceState(null, '', '/')
})
// What was begun would go on listening to the window, which other files have after this one.
afterAll(async () => {
  const { reportPage } = await import('./page-reports.ts')
  reportPage()()
})

it('says of a product what the table of events allows, and nothing else', async () => {
  tellOfView(product)
  trackSelection({ ...product, brand: '' }, { list: 'Product list', index: 3 })
  trackSelection(product, undefined)
  await vi.waitFor(() =>
    expect(eventsTold().map(([name]) => name)).toEqual(['view_item', 'select_item', 'select_item']),
  )
  for (const [name, parameters] of eventsTold()) analyticsEvents[name as AnalyticsEventName].parse(parameters)
  const [, selected] = eventsTold()
  expect(selected?.[1]).toMatchObject({
    items: [{ item_brand: 'Unknown', quantity: 1, item_list_name: 'Product list', index: 3 }],
  })
})

it('tells nobody who somebody is', () => {
  expect(anonymousParameters({ search_term: 'call mei@example.com or +60 12-345 6789, or 012 345 6789' })).toEqual({
    search_term: 'call […] or […], or […]',
  })
  const described = { description: 'no session for eyJhbGciOi.eyJzdWIi.c2ln', fatal: false, page: '/messages' }
  expect(anonymousParameters(described)).toEqual({ ...described, description: 'no session for […]' })
  // A number of an order is nobody's, and so is the price of a bottle.
  const bought = { transaction_id: '0193f5a2-6010-4ab1-8a01-0123456789ab', value: 20.5, items: [{ item_id: 6 }] }
  expect(anonymousParameters(bought)).toEqual(bought)
})

it.each([
  ['/products?search=oud&brand=Tom+Ford&page=2', '/products?search=oud&brand=Tom+Ford&page=2'],
  ['/products?search=mei%40example.com', '/products?search=%5B%E2%80%A6%5D'],
  ['/login?redirect=%2Fmessages&email=mei%40example.com', '/login'],
  ['/admin/dashboard?tab=users&search=mei', '/admin/dashboard'],
  ['/verify-email?code=123456#access_token=secret', '/verify-email'],
])('says that %s is %s', (address, counted) => {
  expect(anonymousParameters({ page_location: `https://wangian.test${address}` })).toEqual({
    page_location: `https://wangian.test${counted}`,
  })
})

it('tells of a page once the page says what it is about', async () => {
  setHead('')
  tellOfPage(window.location.href)
  expect(eventsTold()).toEqual([])
  document.title = 'Oud Wood · Tom Ford · Wangian'
  await Promise.resolve()
  expect(eventsTold()).toEqual([
    ['page_view', expect.objectContaining({ page_title: 'Oud Wood · Tom Ford · Wangian' })],
  ])
})

it('tells of a page without a title when the next one is there', () => {
  setHead('')
  tellOfPage(window.location.href)
  window.history.replaceState(null, '', '/about')
  document.title = 'About Us'
  tellOfPage(window.location.href)
  expect(eventsTold().map(([, page]) => (page as { page_path: string }).page_path)).toEqual(['/', '/about'])
})

it('tells nothing before somebody has agreed, nor where there is nobody to tell', () => {
  window.gtag = undefined
  localStorage.setItem('wangian-analytics', 'yes')
  beginAnalytics()
  expect(window.gtag).toBeUndefined()
  setHead(`<meta name="analytics-id" content="${id}">`)
  for (const answer of [null, 'no', 'perhaps']) {
    if (answer === null) localStorage.clear()
    else localStorage.setItem('wangian-analytics', answer)
    beginAnalytics()
    expect([answer, window.gtag, window.dataLayer]).toEqual([answer, undefined, undefined])
  }
})

it('keeps what happens before the tag is there, and tells it and all else without what is about a person', () => {
  window.gtag = undefined
  window.history.replaceState(null, '', '/products?search=mei%40example.com')
  setHead(`<meta name="analytics-id" content="${id}">`)
  localStorage.setItem('wangian-analytics', 'yes')
  beginAnalytics()
  track('search', { search_term: 'mei@example.com' })
  addTag(id)
  track('view_boost_packages', {})
  const commands = window.dataLayer?.map((each) => [...(each as IArguments)]) ?? []
  expect(commands.map(([command]) => command)).toEqual(['js', 'consent', 'config', 'set', 'event', 'set', 'event'])
  expect(commands.slice(3)).toEqual([
    ['set', { page_location: `${window.location.origin}/products?search=%5B%E2%80%A6%5D` }],
    ['event', 'search', { search_term: '[…]' }],
    ['set', { page_location: `${window.location.origin}/products?search=%5B%E2%80%A6%5D` }],
    ['event', 'view_boost_packages', {}],
  ])
  expect(JSON.stringify(commands)).not.toContain('mei')
  expect(document.querySelectorAll('script')).toHaveLength(1)
})

it('tells nothing any more when the answer is taken back', () => {
  setHead(`<meta name="analytics-id" content="${id}">`)
  withdraw(id)
  track('view_boost_packages', {})
  expect(told).toEqual([])
  expect(localStorage.getItem('wangian-analytics')).toBe('no')
})
