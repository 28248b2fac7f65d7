import { Drawer as Base } from '@base-ui/react/drawer'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { css, styled } from 'styled-components'
import { color, layer, motion, radius, space, text } from '../theme/theme.ts'

type Side = 'left' | 'right' | 'bottom'

const directions = { left: 'left', right: 'right', bottom: 'down' } as const

/**
 * A panel that slides in from an edge and holds what has no room beside the page on a phone: filters, a list of conversations. Escape,
 * a swipe, a touch beside it and the cross close it. `footer` stays in sight while the rest scrolls.
 */
export function Drawer({
  isOpen,
  onClose,
  title,
  closeLabel,
  side = 'right',
  footer,
  children,
}: {
  isOpen: boolean
  onClose: () => void
  title: string
  closeLabel: string
  side?: Side
  footer?: ReactNode
  children: ReactNode
}) {
  return (
    <Base.Root open={isOpen} onOpenChange={(stays) => stays || onClose()} swipeDirection={directions[side]}>
      <Base.Portal>
        <Backdrop />
        <Viewport>
          <Popup $side={side}>
            <Head>
              <Title>{title}</Title>
              <Close aria-label={closeLabel}>
                <X size={20} strokeWidth={1.5} aria-hidden />
              </Close>
            </Head>
            <Content>{children}</Content>
            {footer && <Foot>{footer}</Foot>}
          </Popup>
        </Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

const Backdrop = styled(Base.Backdrop)`
  position: fixed;
  z-index: ${layer.popup};
  inset: 0;
  background: rgb(0 0 0 / 48%);
  opacity: calc(1 - var(--drawer-swipe-progress, 0));
  transition: opacity ${motion.calm};
  &[data-starting-style], &[data-ending-style] { opacity: 0; }
  &[data-swiping] { transition: none; }
`

const Viewport = styled(Base.Viewport)`
  position: fixed;
  z-index: ${layer.popup};
  inset: 0;
  overflow: hidden;
`

const places = {
  left: css`
    top: 0;
    bottom: 0;
    left: 0;
    width: min(${space(96)}, calc(100vw - ${space(10)}));
    border-radius: 0 ${radius.large} ${radius.large} 0;
    transform: translateX(var(--drawer-swipe-movement-x, 0));
    &[data-starting-style], &[data-ending-style] { transform: translateX(-100%); }
  `,
  right: css`
    top: 0;
    right: 0;
    bottom: 0;
    width: min(${space(96)}, calc(100vw - ${space(10)}));
    border-radius: ${radius.large} 0 0 ${radius.large};
    transform: translateX(var(--drawer-swipe-movement-x, 0));
    &[data-starting-style], &[data-ending-style] { transform: translateX(100%); }
  `,
  bottom: css`
    right: 0;
    bottom: 0;
    left: 0;
    max-height: calc(100dvh - ${space(10)});
    border-radius: ${radius.large} ${radius.large} 0 0;
    transform: translateY(var(--drawer-swipe-movement-y, 0));
    &[data-starting-style], &[data-ending-style] { transform: translateY(100%); }
  `,
}

const Popup = styled(Base.Popup)<{ $side: Side }>`
  position: absolute;
  display: flex;
  flex-direction: column;
  background: ${color.surface};
  box-shadow: ${color.shadow};
  transition: transform 220ms ease-out;
  &:focus-visible { outline: none; }
  &[data-swiping] { transition: none; user-select: none; }
  ${({ $side }) => places[$side]}
`

const Head = styled.div`
  display: flex;
  flex: none;
  gap: ${space(4)};
  align-items: center;
  justify-content: space-between;
  padding: ${space(4)} ${space(3)} ${space(4)} ${space(5)};
  border-bottom: 1px solid ${color.line};
`

const Title = styled(Base.Title)`
  font-size: ${text.title};
`

const Close = styled(Base.Close)`
  display: grid;
  flex: none;
  place-items: center;
  width: ${space(11)};
  height: ${space(11)};
  padding: 0;
  border: 0;
  border-radius: ${radius.small};
  background: none;
  color: ${color.muted};
  &:hover { color: ${color.ink}; }
`

const Content = styled(Base.Content)`
  flex: 1;
  min-height: 0;
  padding: ${space(5)};
  overflow-y: auto;
  overscroll-behavior: contain;
`

const Foot = styled.div`
  display: flex;
  flex: none;
  gap: ${space(3)};
  padding: ${space(4)} ${space(5)} calc(${space(4)} + env(safe-area-inset-bottom));
  border-top: 1px solid ${color.line};
  & > * { flex: 1; }
`
