import { AlertDialog } from '@base-ui/react/alert-dialog'
import { type ReactNode, useRef } from 'react'
import { styled } from 'styled-components'
import { color, layer, motion, radius, space, text, width } from '../theme/theme.ts'
import { Button } from './Button.tsx'
import { DialogActions } from './Dialog.tsx'

/**
 * Asks before something that cannot be taken back. It opens with the focus on the way out, and a click beside it does nothing.
 * `children` is what else is needed, such as a reason.
 */
export function Confirm({
  title,
  words,
  confirmLabel,
  cancelLabel,
  tone = 'danger',
  possible = 'yes',
  busy = false,
  busyLabel,
  onConfirm,
  onCancel,
  children,
}: {
  title: string
  words: ReactNode
  confirmLabel: string
  cancelLabel: string
  tone?: 'danger' | 'primary'
  /** `later`, while it is being found out whether it can be done; with `no` there is only the way out. */
  possible?: 'yes' | 'later' | 'no'
  busy?: boolean
  busyLabel?: string
  onConfirm: () => void
  onCancel: () => void
  children?: ReactNode
}) {
  const wayOut = useRef<HTMLButtonElement>(null)
  return (
    <AlertDialog.Root open onOpenChange={(isOpen) => isOpen || busy || onCancel()}>
      <AlertDialog.Portal>
        <Backdrop />
        <Place>
          <Popup initialFocus={wayOut}>
            <Title>{title}</Title>
            <Words render={<div />}>{words}</Words>
            {children}
            <DialogActions>
              <Button ref={wayOut} tone="plain" disabled={busy} onClick={onCancel}>
                {cancelLabel}
              </Button>
              {possible !== 'no' && (
                <Button
                  tone={tone}
                  disabled={possible === 'later'}
                  busy={busy}
                  {...(busyLabel && { busyLabel })}
                  onClick={onConfirm}
                >
                  {confirmLabel}
                </Button>
              )}
            </DialogActions>
          </Popup>
        </Place>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

const Backdrop = styled(AlertDialog.Backdrop)`
  position: fixed;
  z-index: ${layer.popup};
  inset: 0;
  background: rgb(0 0 0 / 48%);
  transition: opacity ${motion.calm};
  &[data-starting-style], &[data-ending-style] { opacity: 0; }
`

const Place = styled.div`
  position: fixed;
  z-index: ${layer.popup};
  inset: 0;
  display: grid;
  padding: ${space(4)};
  overflow-y: auto;
  pointer-events: none;
`

const Popup = styled(AlertDialog.Popup)`
  width: 100%;
  max-width: ${width.form};
  margin: auto;
  padding: ${space(6)};
  border: 1px solid ${color.line};
  border-radius: ${radius.large};
  background: ${color.surface};
  box-shadow: ${color.shadow};
  pointer-events: auto;
  transition: opacity ${motion.calm}, transform ${motion.calm};
  &:focus-visible { outline: none; }
  &[data-starting-style], &[data-ending-style] { opacity: 0; transform: translateY(${space(2)}); }
`

const Title = styled(AlertDialog.Title)`
  font-size: ${text.title};
`

const Words = styled(AlertDialog.Description)`
  margin: ${space(2)} 0 0;
  color: ${color.muted};
`
