import { useCallback, useEffect, useRef, useState } from 'react'

/** How long a slide stays. */
const stayMs = 10_000
/** How long it takes to fade out before the next one is there… */
export const fadeOutMs = 350
/** …and how long that one waits before it fades in. */
const fadeInAfterMs = 50

interface Carousel {
  /** The slide that is there, from 0. */
  readonly index: number
  /** It is on its way out, or in: nothing can be chosen until that is over. */
  readonly isFading: boolean
  readonly previous: () => void
  readonly next: () => void
  readonly show: (index: number) => void
}

/**
 * One of several slides, going on by itself unless it `rests`. What is asked for while one fades is ignored. `isStill`
 * leaves the fading out, for those who want no motion.
 */
export function useCarousel(count: number, { rests, isStill }: { rests: boolean; isStill: boolean }): Carousel {
  const [index, setIndex] = useState(0)
  const [isFading, setFading] = useState(false)
  const isBusy = useRef(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // What there is may get less, such as when a boost ends.
  const current = count > 0 ? index % count : 0

  const show = useCallback(
    (next: number) => {
      if (isBusy.current || count < 2) return
      const wrapped = (next + count) % count
      if (isStill) {
        setIndex(wrapped)
        return
      }
      isBusy.current = true
      setFading(true)
      timer.current = setTimeout(() => {
        setIndex(wrapped)
        timer.current = setTimeout(() => {
          isBusy.current = false
          setFading(false)
        }, fadeInAfterMs)
      }, fadeOutMs)
    },
    [count, isStill],
  )

  useEffect(() => () => clearTimeout(timer.current), [])

  // The time of a slide begins when it is there, and again after a rest.
  useEffect(() => {
    if (rests || isStill || isFading || count < 2) return
    const goesOn = setTimeout(() => show(current + 1), stayMs)
    return () => clearTimeout(goesOn)
  }, [rests, isStill, isFading, count, current, show])

  return { index: current, isFading, previous: () => show(current - 1), next: () => show(current + 1), show }
}
