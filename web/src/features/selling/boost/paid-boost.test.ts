import { afterEach, expect, it, vi } from 'vitest'
import { keepPaying, trackCheckout, trackPaid } from './paid-boost.ts'

afterEach(() => {
  Reflect.deleteProperty(window, 'gtag')
  sessionStorage.clear()
})

it('tells analytics what is going to be paid, and once what was', () => {
  const gtag = vi.fn()
  window.gtag = gtag
  const bought = { packageId: 6, packageName: 'Premium 3', amountSen: 2050 }
  const item = {
    item_id: 6,
    item_name: 'Premium 3',
    item_category: 'Boost',
    price: 20.5,
    item_brand: 'Wangian',
    quantity: 1,
  }
  trackCheckout(bought)
  keepPaying({ ...bought, orderId: 'order-1', packageType: 'premium', durationHours: 336 })
  trackPaid()
  trackPaid()
  expect(gtag.mock.calls).toEqual([
    ['event', 'begin_checkout', { currency: 'MYR', value: 20.5, items: [item] }],
    ['event', 'purchase', { transaction_id: 'order-1', currency: 'MYR', value: 20.5, items: [item] }],
    ['event', 'purchase_boost', { package_type: 'premium', duration_hours: 336, value: 20.5 }],
  ])
})

it('tells nothing of what cannot be read', () => {
  const gtag = vi.fn()
  window.gtag = gtag
  sessionStorage.setItem('wangian-boost-paying', '{broken')
  trackPaid()
  expect(gtag).not.toHaveBeenCalled()
})
