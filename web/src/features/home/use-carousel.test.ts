import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useCarousel } from './use-carousel.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function start(count: number, initial: Partial<Parameters<typeof useCarousel>[1]> = {}) {
  const { result, rerender, unmount } = renderHook(
    ({ slides, ...options }: { slides: number; rests: boolean; isStill: boolean }) => useCarousel(slides, options),
    { initialProps: { slides: count, rests: false, isStill: false, ...initial } },
  )
  return {
    seen: () => [result.current.index, result.current.isFading],
    press: (button: 'next' | 'previous') => act(() => result.current[button]()),
    show: (index: number) => act(() => result.current.show(index)),
    wait: (ms: number) => act(() => vi.advanceTimersByTime(ms)),
    change: (options: Partial<Parameters<typeof useCarousel>[1] & { slides: number }>) =>
      rerender({ slides: count, rests: false, isStill: false, ...options }),
    unmount,
  }
}

describe('a carousel', () => {
  it('goes on after ten seconds: 350 ms out, the next slide, and 50 ms later in again', () => {
    const carousel = start(3)
    carousel.wait(9_999)
    expect(carousel.seen()).toEqual([0, false])
    carousel.wait(1)
    expect(carousel.seen()).toEqual([0, true])
    carousel.wait(349)
    expect(carousel.seen()).toEqual([0, true])
    carousel.wait(1)
    expect(carousel.seen()).toEqual([1, true])
    carousel.wait(49)
    expect(carousel.seen()).toEqual([1, true])
    carousel.wait(1)
    expect(carousel.seen()).toEqual([1, false])
  })

  it('starts again behind the last slide, and before the first', () => {
    const carousel = start(2)
    carousel.wait(10_400)
    carousel.wait(10_400)
    expect(carousel.seen()).toEqual([0, false])
    carousel.press('previous')
    carousel.wait(400)
    expect(carousel.seen()).toEqual([1, false])
  })

  it('ignores what is pressed while a slide fades', () => {
    const carousel = start(4)
    carousel.press('next')
    carousel.press('next')
    carousel.show(3)
    carousel.wait(350)
    carousel.press('next')
    carousel.wait(50)
    expect(carousel.seen()).toEqual([1, false])
    carousel.show(3)
    carousel.wait(400)
    expect(carousel.seen()).toEqual([3, false])
  })

  it('gives a slide that was chosen its ten seconds', () => {
    const carousel = start(3)
    carousel.wait(9_000)
    carousel.press('next')
    carousel.wait(400)
    carousel.wait(9_999)
    expect(carousel.seen()).toEqual([1, false])
    carousel.wait(1)
    expect(carousel.seen()).toEqual([1, true])
  })

  it('waits while it rests, and still obeys', () => {
    const carousel = start(3)
    carousel.wait(9_000)
    carousel.change({ rests: true })
    carousel.wait(60_000)
    expect(carousel.seen()).toEqual([0, false])
    carousel.press('next')
    carousel.wait(400)
    expect(carousel.seen()).toEqual([1, false])
    carousel.change({ rests: false })
    carousel.wait(10_400)
    expect(carousel.seen()).toEqual([2, false])
  })

  it('neither moves nor fades for those who want no motion', () => {
    const carousel = start(3, { isStill: true })
    carousel.wait(60_000)
    expect(carousel.seen()).toEqual([0, false])
    carousel.press('next')
    expect(carousel.seen()).toEqual([1, false])
  })

  it('with one slide stays there, and shows one that is there when some go', () => {
    const single = start(1)
    single.press('next')
    single.wait(60_000)
    expect(single.seen()).toEqual([0, false])
    const fewer = start(3, { rests: true })
    fewer.show(2)
    fewer.wait(400)
    fewer.change({ slides: 2, rests: true })
    expect(fewer.seen()).toEqual([0, false])
    fewer.change({ slides: 0, rests: true })
    expect(fewer.seen()).toEqual([0, false])
  })

  it('leaves no timer behind', () => {
    const carousel = start(3)
    carousel.press('next')
    carousel.unmount()
    expect(vi.getTimerCount()).toBe(0)
  })
})
