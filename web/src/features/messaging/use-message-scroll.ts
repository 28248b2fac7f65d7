import type { Message } from '@wangian/contracts/messaging.ts'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Whoever is not further up than this follows what comes. */
const nearBottomPx = 80

/** Keeps the bottom in sight for those who are there, and the place for those who look back. `ownCount` is of what is on its way. */
export function useMessageScroll(messages: readonly Message[], ownCount: number) {
  const frame = useRef<HTMLDivElement>(null)
  const isAtBottom = useRef(true)
  const before = useRef<{ firstId?: number | undefined; lastId?: number | undefined; height: number }>({ height: 0 })
  const [hasNewBelow, setNewBelow] = useState(false)

  useLayoutEffect(() => {
    const element = frame.current
    if (element === null) return
    const firstId = messages[0]?.id
    const lastId = messages.at(-1)?.id
    const { firstId: firstBefore, lastId: lastBefore, height } = before.current
    const isOlderOnTop = firstBefore !== undefined && firstId !== undefined && firstId < firstBefore
    if (isOlderOnTop) element.scrollTop += element.scrollHeight - height
    else if (isAtBottom.current) scrollDown(element)
    else if (lastId !== lastBefore) setNewBelow(true)
    before.current = { firstId, lastId, height: element.scrollHeight }
  }, [messages])

  useEffect(() => {
    const element = frame.current
    if (element === null) return
    // Another width breaks the lines elsewhere.
    const observer = new ResizeObserver(() => {
      if (isAtBottom.current) scrollDown(element)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    // Who writes wants to see it.
    if (ownCount > 0) scrollDown(frame.current)
  }, [ownCount])

  const toBottom = () => {
    scrollDown(frame.current)
    isAtBottom.current = true
    setNewBelow(false)
  }
  const onScroll = () => {
    const element = frame.current
    if (element === null) return
    isAtBottom.current = element.scrollHeight - element.scrollTop - element.clientHeight <= nearBottomPx
    if (isAtBottom.current) setNewBelow(false)
  }
  return { frame, onScroll, hasNewBelow, toBottom }
}

function scrollDown(element: HTMLElement | null): void {
  if (element !== null) element.scrollTop = element.scrollHeight
}
