import type { TimelineEntry } from '@wangian/contracts/admin.ts'
import { afterEach, expect, it } from 'vitest'
import { i18n, loadAdminWords, showLanguage } from '../../i18n/i18n.ts'
import { now } from '../../testing/fixtures.ts'
import { reasonIn, sentenceOf } from './timeline-words.ts'

await loadAdminWords()
const { t } = i18n
afterEach(() => showLanguage('en'))
const samples = import.meta.glob<TimelineEntry['data']>(
  '../../../../packages/contracts/src/events/samples/{identity,catalogue,auction,messaging}/*.json',
  { eager: true, import: 'default' },
)
const entry = (type: string, data: TimelineEntry['data']): TimelineEntry => ({
  id: '0b6ed3a8-6b3e-4a7c-9f57-6a3e3c7a9d10',
  at: now,
  service: 'messaging',
  type,
  actor: null,
  data,
})
const say = (type: string, data: TimelineEntry['data']) =>
  sentenceOf(entry(type, data), (id) => ({ 3: 'sarah', 10: 'bala' })[id] ?? null, t)

it('says every event of people, listings and orders in a sentence without gaps', () => {
  const sentences = Object.entries(samples).map(([path, data]) => {
    const [, type = '', version = ''] = /(\w+)\.v(\d+)\.json$/.exec(path) ?? []
    return { type, version, sentence: say(type, data) }
  })
  expect(sentences.length).toBeGreaterThan(30)
  const first = sentences.filter(({ version }) => version === '1')
  expect(first.filter(({ sentence }) => /\{\{|undefined|null/.test(sentence))).toEqual([])
  const said = first.filter(({ sentence }) => sentence.endsWith('.')).map(({ type }) => type)
  expect(said).toEqual(expect.arrayContaining(['UserBanned', 'ListingRemoved', 'AuctionEnded', 'OrderStatusChanged']))
  expect(said.length).toBeGreaterThan(25)
})

it('names people, amounts and moments', () => {
  expect(say('ListingReserved', { buyerId: 10, amountSen: 125_000 })).toBe('Reserved for bala at RM\u00a01,250.00.')
  expect(say('BidPlaced', { bidderId: 11, amountSen: 500 })).toBe('user 11 bid RM\u00a05.00.')
  expect(say('ListingFeatured', { featuredUntil: now })).toBe('Featured until 21 Nov 2026, 4:00 pm.')
  expect(say('TransactionCancelled', { by: 'removal' })).toBe(
    'The transaction was cancelled because the listing was removed.',
  )
  expect(say('AdminActionTaken', { action: 'ban-user' })).toBe('Put on the record: banned a user.')
  expect(say('SomethingNew', {})).toBe('Something new')
})

it('says how an order stands in the language of the page', async () => {
  expect(say('OrderStatusChanged', { status: 'delivered' })).toBe('The order is now delivered.')
  await showLanguage('ms')
  expect(say('OrderStatusChanged', { status: 'delivered' })).toBe('Pesanan kini diterima.')
})

it('says how many in words that fit one, too', () => {
  expect(say('AuctionEnded', { bidCount: 1 })).toBe('The auction ended. Bids: 1.')
  expect(say('ReviewSubmitted', { buyerId: 10, rating: 1 })).toBe('bala gave 1 of 5 stars.')
})

it('takes no name for a moment', () => {
  const changed = (name: string) => say('ListingUpdated', { name, priceSen: 500 })
  expect(changed('2026-01-01Tonic')).toBe('The listing was changed: 2026-01-01Tonic for RM\u00a05.00.')
  expect(changed(now)).toBe(`The listing was changed: ${now} for RM\u00a05.00.`)
})

it('gives reasons in the words of people, and no codes', () => {
  expect(reasonIn(entry('ListingRemoved', { reason: 'A fake' }))).toBe('A fake')
  expect(reasonIn(entry('OrderStatusChanged', { admin: { id: 1, reason: 'Paid in cash' } }))).toBe('Paid in cash')
  // A single word is in the words of people, too.
  expect(reasonIn(entry('UserBanned', { reason: 'spam' }))).toBe('spam')
  expect(reasonIn(entry('OrderStatusChanged', { admin: { id: 1, reason: 'paid' } }))).toBe('paid')
  for (const data of [{}, { reason: null }, { reason: 'not-confirmed' }, { admin: { reason: null } }]) {
    expect(reasonIn(entry('ListingReleased', data))).toBeNull()
  }
  expect(reasonIn(entry('ListingReturned', { reason: 'no-bids' }))).toBeNull()
})
