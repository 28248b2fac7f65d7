import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isSigned, signFields } from './x-signature.ts'

const KEY = 'S-s7b4yWpp9h7rrkNM1i3Z_g'

/** As the provider has published them. */
const callback = {
  id: 'zq0tm2wc',
  collection_id: 'yhx5t1pp',
  paid: 'true',
  state: 'paid',
  amount: '100',
  paid_amount: '100',
  due_at: '2018-9-27',
  email: 'tester@test.com',
  mobile: '',
  name: 'TESTER',
  url: 'http://www.billplz-sandbox.com/bills/zq0tm2wc',
  paid_at: '2018-09-27 15:15:09 +0800',
}
const redirect = {
  'billplz[id]': 'zq0tm2wc',
  'billplz[paid]': 'true',
  'billplz[paid_at]': '2018-09-27 15:15:09 +0800',
}
const request = {
  amount: '200',
  callback_url: 'https://example.com/webhook',
  collection_id: 'inbmmepb',
  description: 'testing',
  email: 'api@billplz.com',
  name: 'Michael',
}

describe('the signature', () => {
  it.each([
    ['a callback', callback, KEY, '0fe0a20b8d557eeae570377783d062a3816a9ea80f368860bacfa7ec3ca4d00e'],
    ['a redirect', redirect, KEY, '4aab095fe5a39b1d534500988f9a0cb085cd1b6d5bbb55dd4e02ea6fa102b47b'],
    ['a request', request, 'abc123cde456', 'ef5e54a22af0925cba88fab467119742e90262e3646eea1dee3949938daf3a38'],
  ])('of %s is the published one', (_, fields, key, signature) => {
    expect(signFields(fields, key)).toBe(signature)
    const reordered = Object.fromEntries(Object.entries(fields).toReversed())
    expect(isSigned(reordered, signature, key)).toBe(true)
  })

  it('has its pairs in an order that knows no capitals', () => {
    const signed = createHmac('sha256', KEY).update('idzq0tm2wc|namea|nameAB|nameZed').digest('hex')
    expect(signFields({ name: ['Zed', 'AB', 'a'], id: 'zq0tm2wc' }, KEY)).toBe(signed)
  })

  it('covers every field, also one that nobody knows', () => {
    const signature = signFields(callback, KEY)
    for (const name of Object.keys(callback))
      expect(isSigned({ ...callback, [name]: `${callback[name as keyof typeof callback]}0` }, signature, KEY)).toBe(
        false,
      )
    expect(isSigned({ ...callback, more: '' }, signature, KEY)).toBe(false)
    expect(isSigned(callback, signFields(callback, 'another key'), KEY)).toBe(false)
    for (const wrong of ['', signature.slice(1), `${signature}0`, signature.toUpperCase()])
      expect(isSigned(callback, wrong, KEY)).toBe(false)
  })
})
