import { describe, expect, it } from 'vitest'
import { type ContactDetail, contactDetailsIn } from './contact-details.ts'

const contains = (text: string) => contactDetailsIn(text, 'wangian.test')

describe('what leads around Wangian', () => {
  it.each<[string, readonly ContactDetail[]]>([
    ['Call me: 012-345 6789', ['phone']],
    ['0123456789', ['phone']],
    ['WhatsApp +60 12 345 6789 please', ['phone']],
    ['60123456789', ['phone']],
    ['03-7956 1234', ['phone']],
    ['+44 20 7946 0958', ['phone']],
    ['My number is ０１２３４５６７８９', ['phone']],
    ['sarah.lim@gmail.com', ['email']],
    ['sarah (at) gmail.com', ['email']],
    ['Maybank 1140 1234 5678, Sarah', ['account']],
    ['Please transfer to 8601234567', ['account']],
    ['CIMB 70-1234567-8', ['account']],
    ['DE89 3704 0044 0532 0130 00', ['account']],
    ['0123456789, Maybank 114012345678', ['phone', 'account']],
    ['See https://example.com/a?b=0123456789.', ['link']],
    ['HTTPS://EXAMPLE.COM', ['link']],
    ['www.example.com', ['link']],
    ['t.me/sarah and shopee.com.my/x', ['link']],
    ['https://wangian.test.example.com', ['link']],
    ['012-345 6789, sarah@gmail.com or https://example.com', ['phone', 'email', 'link']],
  ])('is found in %j', (text, found) => {
    expect(contains(text)).toEqual(found)
  })

  it.each([
    'Is it still there?',
    'RM 1,234.50 for the 100ml, or RM 680.50?',
    'Bought on 22.11.2026 at 10:30, batch LL2301',
    '2026-11-22',
    'Tracking number EN123456789MY',
    'Tracking number 620123456789',
    'Your order No. 10234567',
    'Oud Wood by Tom Ford, 50ml. It is 85% full.Really',
    'https://wangian.test/products/7 is mine',
    'Look at wangian.test... is.it.good',
    'I will transfer RM 250 tomorrow',
    'see you @ 5',
  ])('is not found in %j', (text) => {
    expect(contains(text)).toEqual([])
  })

  it.each(['0', '0-', 'a.', 'a@', '+6 ', 'aa-', 'AB12 ', 'https://a', '(at)', 'www.', 'Ⅷ', '.com', 'a.com_'])(
    'is looked for in a time that grows with the text, of %j too',
    (part) => {
      // A hostile end makes each beginning go all the way. Times as long would be 16, and 256 where each letter looks at all others.
      const [short = 0, long = 0] = [1_000, 16_000].map((letters) =>
        shortestMs(() => contains(`a${part.repeat(letters / part.length)}@`)),
      )
      expect(long / short).toBeLessThan(80)
    },
  )
})

/** Of a few, so that what else the machine does is left out. */
function shortestMs(work: () => void): number {
  const times = Array.from({ length: 5 }, () => {
    const begin = performance.now()
    work()
    return performance.now() - begin
  })
  return Math.min(...times)
}
