import { type ReactNode, useEffect, useRef } from 'react'
import { styled } from 'styled-components'
import { color, layer, space, uprightPhone } from '../theme/theme.ts'

/**
 * Stands in the page where there is room, and sticks to the bottom of a phone. The page ends above it, and what gets the focus too.
 * `sticks` is for a bar that has nothing to press for now.
 */
export function BottomBar({ children, sticks = true }: { children: ReactNode; sticks?: boolean }) {
  const bar = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = bar.current
    if (!element) return
    const root = document.documentElement
    const observer = new ResizeObserver(() => {
      const isFixed = getComputedStyle(element).position === 'fixed'
      root.style.setProperty('--bottom-bar', isFixed ? `${element.offsetHeight}px` : '0px')
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      root.style.removeProperty('--bottom-bar')
    }
  }, [])
  return (
    <Bar ref={bar} data-bar={sticks || undefined}>
      {children}
    </Bar>
  )
}

const Bar = styled.div`
  ${uprightPhone} {
    &[data-bar] {
      position: fixed;
      z-index: ${layer.bar};
      right: 0;
      bottom: 0;
      left: 0;
      padding: ${space(3)} ${space(5)} calc(${space(3)} + env(safe-area-inset-bottom));
      border-top: 1px solid ${color.line};
      background: ${color.surface};
      box-shadow: ${color.shadow};
    }
  }
`
