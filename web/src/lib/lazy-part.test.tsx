import { act, render, screen } from '@testing-library/react'
import { type ComponentType, Suspense } from 'react'
import { ErrorBoundary } from 'react-error-boundary'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { lazyPage, lazyPart } from './lazy-part.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const Part = () => <p>here</p>
const failing = (failures: number) => {
  let left = failures
  return async () => {
    left -= 1
    if (left >= 0) throw new TypeError('Failed to fetch dynamically imported module')
    return Part
  }
}
async function show(Lazy: ComponentType, waitMs: number): Promise<string | null> {
  const { container } = render(
    <ErrorBoundary fallback={<p>broken</p>}>
      <Suspense fallback={<p>coming</p>}>
        <Lazy />
      </Suspense>
    </ErrorBoundary>,
  )
  await act(() => vi.advanceTimersByTimeAsync(waitMs))
  return container.textContent
}

it('gets a part when the network is back, however long that takes', async () => {
  const part = lazyPart(failing(20))
  expect(await show(part, 60_000)).toBe('coming')
  await act(() => vi.advanceTimersByTimeAsync(120_000))
  expect(screen.getByText('here')).toBeVisible()
})

it('gives a page a few tries', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  const pageOf = (load: () => Promise<ComponentType>) => lazyPage(async () => ({ default: await load() }))
  expect(await show(pageOf(failing(2)), 2_000)).toBe('here')
  expect(await show(pageOf(failing(3)), 2_000)).toBe('broken')
})

it('loads the page anew once for a file that is gone, and not without a network', async () => {
  const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => {})
  const pageOf = () => lazyPage(async () => ({ default: await failing(9)() }))
  sessionStorage.clear()
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  expect(await show(pageOf(), 2_000)).toBe('broken')
  expect(reload).not.toHaveBeenCalled()
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true)
  expect(await show(pageOf(), 2_000)).toBe('coming')
  expect(reload).toHaveBeenCalledOnce()
  // It has been loaded anew, and the file is still gone.
  expect(await show(pageOf(), 2_000)).toBe('broken')
  vi.setSystemTime(Date.now() + 61_000)
  expect(await show(pageOf(), 2_000)).toBe('coming')
  expect(reload).toHaveBeenCalledTimes(2)
})
