import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { loadWords } from '../../i18n/i18n.ts'
import { Story } from './Story.tsx'

afterEach(cleanup)

it('tells what comes next, what people say, and where they meet', async () => {
  await loadWords()
  render(<Story />)
  for (const name of ['Swap Market', 'Secure Escrow Payments', 'Authentication Guide']) {
    expect(screen.getByRole('heading', { name })).toBeInTheDocument()
  }
  expect(screen.getByRole('region', { name: 'Heard in our community' })).toBeInTheDocument()
  expect(screen.getByRole('link', { name: 'Join Our Community' })).toHaveAttribute('target', '_blank')
})
