import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router-dom'
import { expect, it } from 'vitest'
import { Button, ButtonLink } from './Button.tsx'
import { EmptyState } from './EmptyState.tsx'

it('breaks the words of what to do next, which may be wider than a phone in large letters', () => {
  render(
    <MemoryRouter>
      <EmptyState title="No products yet" action={<Button>Tambah Produk Baharu</Button>} />
      <EmptyState title="No messages yet" action={<ButtonLink to="/">Lihat Semua Produk</ButtonLink>} />
    </MemoryRouter>,
  )
  for (const role of ['button', 'link']) {
    expect(getComputedStyle(screen.getByRole(role)).whiteSpace).toBe('normal')
  }
})
