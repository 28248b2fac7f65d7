import { systemCancelReasons } from '@wangian/contracts/auction.ts'
import { paymentOutcomes } from '@wangian/contracts/boost.ts'
import { errorCodes } from '@wangian/contracts/errors.ts'
import { describe, expect, it } from 'vitest'
import { en } from './en.ts'
import { adminWords } from './en-admin.ts'
import { firstWords } from './en-first.ts'
import { guides } from './en-guides.ts'
import { ms } from './ms.ts'
import { adminWordsMs } from './ms-admin.ts'
import { firstWordsMs } from './ms-first.ts'
import { guidesMs } from './ms-guides.ts'
import { saidMs, translator } from './ms-said.ts'

type Words = { readonly [key: string]: string | Words }

function flat(words: Words, path = ''): Map<string, string> {
  return new Map(
    Object.entries(words).flatMap(([key, value]) =>
      typeof value === 'string' ? [[path + key, value] as const] : [...flat(value, `${path}${key}.`)],
    ),
  )
}

/** What is put into a sentence, and the tags in it. */
function partsOf(sentence: string): string[] {
  return (sentence.match(/\{\{[^}]*\}\}|<[^>]*>/g) ?? []).toSorted()
}

describe.each([
  ['of the first page', firstWords, firstWordsMs],
  ['of all other pages', en, ms],
  ['of the pages for administrators', adminWords, adminWordsMs],
])('the Malay words %s', (_where, english, malay) => {
  const ours = flat(english)
  const theirs = flat(malay)

  it('are for the same keys, but those of a single thing', () => {
    const keys = [...ours.keys()].filter((key) => !key.endsWith('_one'))
    expect([...theirs.keys()]).toEqual(keys)
  })

  it('have the same parts put into them', () => {
    const differences = [...theirs]
      .map(([key, sentence]) => ({ key, has: partsOf(sentence), needs: partsOf(ours.get(key) ?? '') }))
      .filter(({ has, needs }) => has.join() !== needs.join())
    expect(differences).toEqual([])
  })

  it('say something wherever the English ones do', () => {
    expect([...theirs].filter(([key, sentence]) => (sentence.trim() === '') !== (ours.get(key) === ''))).toEqual([])
  })
})

/** A page without its words. */
function outlineOf(each: (typeof guidesMs)[keyof typeof guidesMs]) {
  return {
    updated: each.updated,
    sections: each.sections.map(({ id, paragraphs, points = [], links = [] }) => ({
      id,
      paragraphs: paragraphs.length,
      points: points.length,
      links: links.map(({ to }) => to),
    })),
  }
}

it.each(Object.keys(guides) as (keyof typeof guides)[])(
  'the Malay page %s has all that the English one has',
  (name) => {
    expect(outlineOf(guidesMs[name])).toEqual(outlineOf(guides[name]))
  },
)

it.each(systemCancelReasons)('knows why we cancel an auction: %s', (reason) => {
  expect(saidMs.bySentence).toHaveProperty([reason])
})

it.each(Object.values(paymentOutcomes))('knows how a payment went: %s', (sentence) => {
  expect(saidMs.bySentence).toHaveProperty([sentence])
})

it('knows what every code of an error says', () => {
  expect(Object.keys(saidMs.byCode).toSorted()).toEqual([...errorCodes].toSorted())
})

it.each([
  ['Please confirm your purchase of Oud Wood.', 'Sila sahkan pembelian anda: Oud Wood.'],
  [
    'The purchase of Oud Wood is confirmed. Please confirm when you have received the payment.',
    'Pembelian Oud Wood disahkan. Sila sahkan setelah anda menerima bayaran.',
  ],
  [
    'The payment for Oud Wood is confirmed. Please confirm when it has arrived.',
    'Bayaran untuk Oud Wood disahkan. Sila sahkan setelah ia sampai.',
  ],
  ['Oud Wood has arrived. How was it?', 'Oud Wood telah sampai. Bagaimanakah ia?'],
])('knows what the cards of a deal say: %s', (words, malay) => {
  expect(translator(words, undefined)).toBe(malay)
})

it.each([
  ['Standard Boost', 'Promosi Standard'],
  ['Premium Boost for 10', 'Promosi Premium untuk 10'],
  ['7 days', '7 hari'],
  ['1 hour', '1 jam'],
])('knows what is sold to sellers: %s', (name, malay) => {
  expect(translator(name, undefined)).toBe(malay)
})
