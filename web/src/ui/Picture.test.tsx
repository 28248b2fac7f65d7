import { render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { Picture } from './Picture.tsx'

afterEach(() => {
  vi.restoreAllMocks()
})

/** What a browser says of a picture that was asked for before anybody listened. */
function cameBefore(widthPx: number): void {
  vi.spyOn(HTMLImageElement.prototype, 'complete', 'get').mockReturnValue(true)
  vi.spyOn(HTMLImageElement.prototype, 'naturalWidth', 'get').mockReturnValue(widthPx)
}

it('is there when it came before anybody listened', () => {
  cameBefore(800)
  render(<Picture src="/api/images/amber" alt="Amber" sizes="100vw" />)
  expect(screen.getByRole('img', { name: 'Amber' })).toHaveAttribute('src', '/api/images/amber')
})

it('gives way to the drawn bottle when it had failed before', () => {
  cameBefore(0)
  const onBroken = vi.fn()
  render(<Picture src="/api/images/gone" alt="Amber" sizes="100vw" onBroken={onBroken} />)
  expect(screen.getByRole('img', { name: 'Amber' })).not.toHaveAttribute('src')
  expect(onBroken).toHaveBeenCalledOnce()
})
