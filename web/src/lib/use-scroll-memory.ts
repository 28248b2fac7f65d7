import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router-dom'
import { recallPlace, rememberPlace, storePlaces } from './place-memory.ts'

/** A page that comes back may need this long to be as tall as it was, on a slow phone. Whoever moves meanwhile is let go. */
const patienceMs = 15_000
const ownMoves = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * Going back, and reloading, leads to where one was: the same height of the page, and the focus on the link that was followed. The
 * browser's own way does not wait for what a page reads from the server.
 */
export function useScrollMemory(main: RefObject<HTMLElement | null>): void {
  const { key } = useLocation()
  const isReturn = useNavigationType() === 'POP'
  const place = useRef<string | null>(null)
  const isReturning = useRef(false)

  useEffect(() => {
    const { scrollRestoration } = history
    history.scrollRestoration = 'manual'
    const onScroll = () => {
      if (place.current !== null && !isReturning.current) rememberPlace(place.current, { scrollY: window.scrollY })
    }
    // Before the router goes anywhere.
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      const focusedHref = link?.getAttribute('href')
      if (place.current !== null && focusedHref) rememberPlace(place.current, { focusedHref })
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    window.addEventListener('click', onClick, { capture: true })
    // Also when the page is left. A phone closes what is out of sight without another word, and loads it anew.
    document.addEventListener('visibilitychange', storePlaces)
    return () => {
      history.scrollRestoration = scrollRestoration
      window.removeEventListener('scroll', onScroll)
      window.removeEventListener('click', onClick, { capture: true })
      document.removeEventListener('visibilitychange', storePlaces)
    }
  }, [])

  useLayoutEffect(() => {
    const isFirst = place.current === null
    if (place.current === key) return
    place.current = key
    if (!isReturn) return
    const { scrollY = 0, focusedHref } = recallPlace(key)
    isReturning.current = true
    const stop = scrollBack(scrollY, () => {
      isReturning.current = false
      if (!focusedHref || isFirst) return
      const link = main.current?.querySelector<HTMLElement>(`a[href="${CSS.escape(focusedHref)}"]`)
      link?.focus({ preventScroll: true })
    })
    return () => {
      isReturning.current = false
      stop()
    }
  }, [key, isReturn, main])
}

/** Goes as far down as the page reaches, and further while it grows, until it is there or the reader moves. */
function scrollBack(scrollY: number, onEnd: () => void): () => void {
  const stop = () => {
    observer.disconnect()
    clearTimeout(timer)
    for (const move of ownMoves) window.removeEventListener(move, end)
  }
  const end = () => {
    stop()
    onEnd()
  }
  const follow = () => {
    window.scrollTo(0, scrollY)
    if (Math.abs(window.scrollY - scrollY) <= 1) end()
  }
  const observer = new ResizeObserver(follow)
  const timer = setTimeout(end, patienceMs)
  for (const move of ownMoves) window.addEventListener(move, end)
  observer.observe(document.body)
  follow()
  return stop
}
