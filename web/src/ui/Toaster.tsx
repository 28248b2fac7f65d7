import { useCallback, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { keyframes, styled } from 'styled-components'
import { color, from, layer, motion, phone, radius, reach, space, text, weight, width } from '../theme/theme.ts'
import { listenToToasts, type ToastMessage } from './toast-store.ts'

/** Time to read what is no error, in milliseconds. */
const readMs = 6000
/** What is said so shortly before somebody is led to another page is said about that page. */
const togetherMs = 500

/**
 * Where toasts appear, one at most. Errors stay until they are closed; all else goes by itself after a while, unless the pointer or the focus
 * is on it, and when the person goes on to another `page`, which is its path. They are beside the page and not in it, so that a dialog
 * neither covers one nor takes a click on it for one beside the dialog. `closeLabel` and `regionLabel` are for screen readers. All of it is
 * written out because every visit loads it: a library's queue, swipes and stacks are for more than one, and weigh as much as all our pages
 * together.
 */
export function Toaster({ closeLabel, regionLabel, page }: { closeLabel: string; regionLabel: string; page: string }) {
  const [toast, setToast] = useState<{ message: ToastMessage; number: number } | null>(null)
  const [isHeld, setHeld] = useState(false)
  useEffect(
    () =>
      listenToToasts((message) => {
        setToast((before) => ({ message, number: (before?.number ?? 0) + 1 }))
        // What is taken away under the pointer does not say that it is left.
        setHeld(false)
      }),
    [],
  )
  const close = useCallback(() => setToast((before) => before && { ...before, message: nothing }), [])
  const { message = nothing, number = 0 } = toast ?? {}
  const isError = message.tone === 'destructive'
  const goesByItself = message !== nothing && !isError
  // biome-ignore lint/correctness/useExhaustiveDependencies: each toast has its own time
  useEffect(() => {
    if (!goesByItself || isHeld) return
    const timer = setTimeout(close, readMs)
    return () => clearTimeout(timer)
  }, [goesByItself, isHeld, number, close])
  useGoingOn(page, goesByItself ? number : null, close)
  return createPortal(
    <Viewport
      role="region"
      aria-label={regionLabel}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close()
      }}
    >
      {/* There before anything is said, as a live region must be. */}
      <div aria-live={isError ? 'assertive' : 'polite'} aria-atomic>
        {message !== nothing && (
          <Frame
            key={number}
            $isError={isError}
            onMouseEnter={() => setHeld(true)}
            onMouseLeave={() => setHeld(false)}
            onFocus={() => setHeld(true)}
            onBlur={() => setHeld(false)}
          >
            <Words>
              <Title $isError={isError}>{message.title}</Title>
              {message.description && <Description>{message.description}</Description>}
              {message.action && (
                <Action
                  type="button"
                  onClick={() => {
                    close()
                    message.action?.onAct()
                  }}
                >
                  {message.action.label}
                </Action>
              )}
            </Words>
            <Close type="button" aria-label={closeLabel} onClick={close}>
              <svg viewBox="0 0 24 24" aria-hidden>
                <path d="M18 6 6 18M6 6l12 12" />
              </svg>
            </Close>
          </Frame>
        )}
      </div>
    </Viewport>,
    document.body,
  )
}

/** Tells once the page is another one than that on which a toast, known by its number, was raised or to which it led. */
function useGoingOn(page: string, toast: number | null, onGone: () => void): void {
  const home = useRef<unknown>(null)
  useEffect(() => {
    home.current = null
    if (toast === null) return
    const timer = setTimeout(() => {
      home.current = historyEntry()
    }, togetherMs)
    return () => clearTimeout(timer)
  }, [toast])
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked when the page changes
  useEffect(() => {
    if (home.current !== null && home.current !== historyEntry()) onGone()
  }, [page, onGone])
}

/** Which entry of the history is open. The router counts them, and does so before the page is there; a redirect goes on in the same one. */
function historyEntry(): unknown {
  return (window.history.state as { idx?: number } | null)?.idx ?? 0
}

const nothing: ToastMessage = { title: '' }

/** On a phone below the header, since bars have the bottom; else on the left, since the price and what to do about it are on the right. */
const Viewport = styled.section`
  position: fixed;
  z-index: ${layer.toast};
  top: calc(${space(18)} + env(safe-area-inset-top));
  right: ${space(3)};
  left: ${space(3)};
  pointer-events: none;
  & > * > * { pointer-events: auto; }
  ${from.tablet} {
    top: auto;
    right: auto;
    bottom: ${space(6)};
    left: ${space(6)};
    width: min(${width.toast}, 50vw - ${space(11)});
  }
`

const arrive = keyframes`
  from { opacity: 0; transform: translateY(8px); }
`

const Frame = styled.div<{ $isError: boolean }>`
  display: flex;
  gap: ${space(3)};
  align-items: flex-start;
  padding: ${space(4)};
  border: 1px solid ${color.line};
  border-left: 3px solid ${({ $isError }) => ($isError ? color.live : color.accent)};
  border-radius: ${radius.small};
  background: ${color.surface};
  box-shadow: ${color.shadow};
  animation: ${arrive} ${motion.calm};
`

const Words = styled.div`
  display: grid;
  flex: 1;
  gap: ${space(1)};
  justify-items: start;
  min-width: 0;
  overflow-wrap: anywhere;
`

const Title = styled.p<{ $isError: boolean }>`
  color: ${({ $isError }) => ($isError ? color.live : 'inherit')};
  font-weight: ${weight.strong};
  line-height: 1.4;
`

const Description = styled.p`
  color: ${color.muted};
`

const Action = styled.button`
  min-height: ${space(9)};
  ${phone} { min-height: ${space(11)}; }
  margin-top: ${space(1)};
  padding: 0 ${space(3)};
  border: 1px solid ${color.edge};
  border-radius: ${radius.small};
  background: none;
  font-size: ${text.small};
  font-weight: ${weight.strong};
`

const Close = styled.button`
  position: relative;
  display: grid;
  flex: none;
  place-items: center;
  width: ${space(8)};
  height: ${space(8)};
  margin: -${space(1)} -${space(1)} 0 0;
  border: 0;
  border-radius: ${radius.small};
  background: none;
  color: ${color.muted};
  ${reach(6)}
  &:hover { color: ${color.ink}; }
  /* The icon of our other buttons, which would come as a file of its own. */
  svg { width: 18px; stroke: currentcolor; stroke-width: 1.5; stroke-linecap: round; }
`
