import { AlertDialog } from '@base-ui/react/alert-dialog'
import { type ReactNode, useRef } from 'react'
import { styled } from 'styled-components'
import { color, space, text } from '../theme/theme.ts'
import { Button } from './Button.tsx'
import { DialogActions } from './Dialog.tsx'
import { dialogBackdrop, dialogPlace, dialogPopup } from './dialog-frame.ts'

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
  ${dialogBackdrop}
`

const Place = styled.div`
  ${dialogPlace}
`

const Popup = styled(AlertDialog.Popup)`
  ${dialogPopup}
`

const Title = styled(AlertDialog.Title)`
  font-size: ${text.title};
`

const Words = styled(AlertDialog.Description)`
  margin: ${space(2)} 0 0;
  color: ${color.muted};
`
