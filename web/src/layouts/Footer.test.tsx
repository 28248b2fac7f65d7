import { screen, within } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { renderAt } from '../testing/render.tsx'
import { Footer } from './Footer.tsx'

let view: ReturnType<typeof renderAt>
afterEach(() => view.end())

const linksIn = (place: HTMLElement) =>
  within(place)
    .getAllByRole('link')
    .map((link) => [link.getAttribute('aria-label') ?? link.textContent, link.getAttribute('href')])

it('leads to the guides, to people and to where they meet', () => {
  view = renderAt('/', <Footer />)
  expect(linksIn(screen.getByRole('navigation', { name: 'Quick Links' }))).toEqual([
    ['Shop', '/products'],
    ['Auctions', '/products?type=auction'],
    ['About Us', '/about'],
  ])
  expect(linksIn(screen.getByRole('navigation', { name: 'Buyers & Sellers' }))).toEqual([
    ['Buying Guide', '/buying-guide'],
    ['Seller Guide', '/seller/dashboard'],
    ['Authentication Guide', '/authentication-guide'],
    ['Shipping Guidelines', '/shipping-guidelines'],
    ['Return Policy', '/return-policy'],
  ])
  expect(screen.getByText('help@wangian.test')).toHaveAttribute('href', 'mailto:help@wangian.test')
  expect(screen.getByText('Kuala Lumpur, Malaysia')).toBeInTheDocument()
  expect(screen.getByText('Terms of Service')).toHaveAttribute('href', '/terms-of-service')
  expect(screen.getByText('Privacy Policy')).toHaveAttribute('href', '/privacy-policy')
  const social = screen.getByRole('list', { name: 'Wangian elsewhere' })
  expect(linksIn(social)).toEqual([
    ['Facebook', 'https://www.facebook.com/wangian'],
    ['Instagram', 'https://www.instagram.com/wangian'],
    ['TikTok', 'https://www.tiktok.com/@wangian'],
  ])
  for (const link of within(social).getAllByRole('link')) {
    expect(link).toHaveAttribute('target', '_blank')
    expect(link).toHaveAttribute('rel', 'noreferrer')
  }
})
