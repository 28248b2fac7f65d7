import { type RefCallback, useCallback, useState } from 'react'

/** So far below the window somebody is near. */
const margin = '600px'

/** Whether a place on the page has come near the window, once and for all. */
export function useIsNear(): readonly [RefCallback<HTMLElement>, boolean] {
  const [isNear, setNear] = useState(false)
  const place = useCallback((element: HTMLElement | null) => {
    if (!element) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setNear(true)
      },
      { rootMargin: margin },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [place, isNear]
}
