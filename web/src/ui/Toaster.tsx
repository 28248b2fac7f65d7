import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { keyframes, styled } from 'styled-components'
import { color, from, layer, motion, phone, radius, reach, space, text, weight, width } from '../theme/theme.ts'
import { listenToToasts, type ToastMessage } from './toast-store.ts'

/**
 * Where toasts appear, one at most; beside the page and not in it, so that a dialog neither covers one nor takes a click on it for one beside the
 * dialog. `closeLabel` and `regionLabel` are for screen readers. It is written out because every visit loads
 * it: a library's queue, swipes and stacks are for more than one, and weigh as much as all our pages together.
 */
export function Toaster({ closeLabel, regionLabel }: { closeLabel: string; regionLabel: string }) {
  const [toast, setToast] = useState<{ message: ToastMessage; number: number } | null>(null)
  useEffect(
    () => listenToToasts((message) => setToast((before) => ({ message, number: (before?.number ?? 0) + 1 }))),
    [],
  )
  const close = () => setToast((before) => before && { ...before, message: nothing })
  const { message = nothing, number = 0 } = toast ?? {}
  const isError = message.tone === 'destructive'
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
          <Frame key={number} $isError={isError}>
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
              <X size={18} strokeWidth={1.5} aria-hidden />
            </Close>
          </Frame>
        )}
      </div>
    </Viewport>,
    document.body,
  )
}

const nothing: ToastMessage = { title: '' }

/** On a phone the bid bar has the bottom. */
const Viewport = styled.section`
  position: fixed;
  z-index: ${layer.toast};
  top: calc(${space(3)} + env(safe-area-inset-top));
  right: ${space(3)};
  left: ${space(3)};
  pointer-events: none;
  & > * > * { pointer-events: auto; }
  ${from.tablet} {
    top: auto;
    right: ${space(6)};
    bottom: ${space(6)};
    left: auto;
    width: ${width.toast};
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
`
