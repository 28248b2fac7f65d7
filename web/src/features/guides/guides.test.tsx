import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { guides } from '../../i18n/en-guides.ts'
import type { Guide } from '../../i18n/guides.ts'
import { renderAt } from '../../testing/render.tsx'
import BuyingGuidePage from './BuyingGuidePage.tsx'
import PrivacyPage from './PrivacyPage.tsx'
import TermsPage from './TermsPage.tsx'

const { buying, privacy, terms } = guides

const textOf = (guide: Guide) =>
  guide.sections.flatMap(({ title, paragraphs, points = [] }) => [title, ...paragraphs, ...points]).join('\n')

describe('the terms of service', () => {
  it('have eleven numbered sections and say when they changed', () => {
    renderAt('/terms-of-service', <TermsPage />)
    expect(screen.getByText('Last updated: 14 April 2025')).toBeVisible()
    expect(screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)).toEqual(
      terms.sections.map(({ title }, index) => `${index + 1}. ${title}`),
    )
    expect(terms.sections).toHaveLength(11)
  })

  it.each([
    'at least 16 years old',
    'Bids are final and binding.',
    'Payment is due within the payment window',
    'may be suspended or banned',
    'Escrow (coming soon)',
    'Counterfeit',
    'Hazardous',
    'Spam',
  ])('say: %s', (words) => {
    expect(textOf(terms)).toContain(words)
  })
})

describe('the privacy policy', () => {
  it.each([
    'do not sell',
    'within 14 days',
    'Delete My Account',
    'payment providers',
    'authentication',
    'analytics',
    'Facebook',
  ])('says: %s', (words) => {
    expect(textOf(privacy)).toContain(words)
  })

  it('says when it changed, and leads to the settings', () => {
    renderAt('/privacy-policy', <PrivacyPage />)
    expect(screen.getByText('Last updated: 26 April 2025')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Go to your account settings' })).toHaveAttribute(
      'href',
      '/account/settings',
    )
  })
})

describe('the buying guide', () => {
  it('has five steps and the dashboard', () => {
    renderAt('/buying-guide', <BuyingGuidePage />)
    expect(buying.sections.map(({ title }) => title)).toEqual([
      'Step 1: Browse',
      'Step 2: Check authenticity',
      'Step 3: Contact the seller in chat',
      'Step 4: Complete the transaction',
      'Step 5: Confirm and rate',
      'For sellers: the dashboard',
    ])
    const contents = within(screen.getByRole('navigation', { name: 'On this page' }))
    expect(contents.getByRole('link', { name: 'Step 1: Browse' })).toHaveAttribute('href', '#browse')
  })
})
