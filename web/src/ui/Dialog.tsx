import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, type RefObject, useState } from 'react'
import { styled } from 'styled-components'
import { color, from, radius, reach, space, text } from '../theme/theme.ts'
import { dialogBackdrop, dialogPlace, dialogPopup } from './dialog-frame.ts'

/**
 * Something to decide or fill in before going on. Escape, a click beside it and the cross close it, unless `isBusy`. A click beside it closes none in
 * which something was filled in: it is easily made by mistake, and what was filled in is gone.
 */
export function Dialog({
  title,
  intro,
  closeLabel,
  isBusy = false,
  isShownOnce = false,
  initialFocus,
  onClose,
  children,
}: {
  title: string
  intro?: ReactNode
  closeLabel: string
  isBusy?: boolean
  /** What it shows cannot be shown again: a click beside it closes it as little. */
  isShownOnce?: boolean
  /** What has the focus first; otherwise that is the cross. */
  initialFocus?: RefObject<HTMLElement | null>
  onClose: () => void
  children: ReactNode
}) {
  const [isFilledIn, setFilledIn] = useState(false)
  return (
    <Base.Root
      open
      disablePointerDismissal={isFilledIn || isShownOnce}
      onOpenChange={(isOpen) => isOpen || isBusy || onClose()}
    >
      <Base.Portal>
        <Backdrop />
        <Place>
          <Popup {...(initialFocus && { initialFocus })} onInput={() => setFilledIn(true)}>
            <Head>
              <Title>{title}</Title>
              <Close aria-label={closeLabel}>
                <X size={20} strokeWidth={1.5} aria-hidden />
              </Close>
            </Head>
            {intro && <Intro render={<div />}>{intro}</Intro>}
            {children}
          </Popup>
        </Place>
      </Base.Portal>
    </Base.Root>
  )
}

/** The buttons at the end of a dialog, the one that goes on last; on a phone one below the other, that one first. */
export const DialogActions = styled.div`
  display: flex;
  flex-direction: column-reverse;
  gap: ${space(3)};
  margin-top: ${space(6)};
  ${from.tablet} { flex-direction: row; justify-content: flex-end; }
`

const Backdrop = styled(Base.Backdrop)`
  ${dialogBackdrop}
`

const Place = styled.div`
  ${dialogPlace}
`

const Popup = styled(Base.Popup)`
  ${dialogPopup}
  ${from.tablet} { padding: ${space(8)}; }
`

const Head = styled.div`
  display: flex;
  gap: ${space(4)};
  align-items: flex-start;
  justify-content: space-between;
`

const Title = styled(Base.Title)`
  font-size: ${text.heading};
`

const Intro = styled(Base.Description)`
  display: grid;
  gap: ${space(3)};
  margin-top: ${space(3)};
  color: ${color.muted};
  ul { display: grid; gap: ${space(2)}; padding-left: ${space(5)}; list-style: disc; }
`

const Close = styled(Base.Close)`
  position: relative;
  display: grid;
  flex: none;
  place-items: center;
  width: ${space(9)};
  height: ${space(9)};
  margin: -${space(1)} -${space(2)} 0 0;
  padding: 0;
  border: 0;
  border-radius: ${radius.small};
  background: none;
  color: ${color.muted};
  ${reach(4)}
  &:hover { color: ${color.ink}; }
`
