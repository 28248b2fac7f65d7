import { fireEvent, render } from '@testing-library/react'
import { useRef } from 'react'
import { MemoryRouter, useLocation } from 'react-router-dom'
import { afterEach, expect, it, vi } from 'vitest'
import { useScrollMemory } from './use-scroll-memory.ts'

afterEach(() => {
  sessionStorage.clear()
  vi.restoreAllMocks()
})

function Page() {
  useScrollMemory(useRef(null))
  return <p>{useLocation().key}</p>
}

it('keeps the place of a page that is out of sight, which a phone may close without a word', () => {
  vi.spyOn(window, 'scrollTo').mockImplementation(() => {})
  const { container, unmount } = render(
    <MemoryRouter>
      <Page />
    </MemoryRouter>,
  )
  const key = container.textContent
  vi.spyOn(window, 'scrollY', 'get').mockReturnValue(1_200)
  fireEvent(window, new Event('scroll'))
  fireEvent(document, new Event('visibilitychange'))
  expect(JSON.parse(sessionStorage.getItem('wangian-places') ?? '[]')).toContainEqual([
    key,
    expect.objectContaining({ scrollY: 1_200 }),
  ])
  unmount()
})
