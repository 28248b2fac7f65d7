import { afterEach, expect, it, vi } from 'vitest'
import { keepPaying, trackPaid } from './paid-boost.ts'

afterEach(() => {
  Reflect.deleteProperty(window, 'gtag')
  sessionStorage.clear()
})

it('tells analytics once what was paid', () => {
  const gtag = vi.fn()
  window.gtag = gtag
  keepPaying({ orderId: 'order-1', packageType: 'premium', durationHours: 336, amountSen: 2050 })
  trackPaid()
  trackPaid()
  expect(gtag.mock.calls).toEqual([
    ['event', 'purchase', { transaction_id: 'order-1', currency: 'MYR', value: 20.5 }],
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
