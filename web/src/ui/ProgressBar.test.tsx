import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { ProgressBar } from './ProgressBar.tsx'

it('says how far something is, and nothing in English where nobody knows', () => {
  const { rerender } = render(<ProgressBar label="Muat naik" value={60} />)
  const bar = screen.getByRole('progressbar', { name: 'Muat naik' })
  expect(bar).toHaveAttribute('aria-valuetext', '60%')
  rerender(<ProgressBar label="Muat naik" value={null} />)
  expect(bar).toHaveAttribute('aria-valuetext', '')
})
