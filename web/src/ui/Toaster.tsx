import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { styled } from 'styled-components'
import { color, from, layer, motion, radius, space, text, weight, width } from '../theme/theme.ts'
import { listenToToasts } from './toast-store.ts'

/** One id for all, so that a new toast takes the place of the old instead of piling up behind it. */
const onlyToast = 'toast'

/** Where toasts appear. `closeLabel` and `regionLabel` are for screen readers. */
export function Toaster({ closeLabel, regionLabel }: { closeLabel: string; regionLabel: string }) {
  return (
    <Toast.Provider limit={1} timeout={0}>
      <Toast.Portal>
        <Viewport aria-label={regionLabel}>
          <CurrentToast closeLabel={closeLabel} />
        </Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function CurrentToast({ closeLabel }: { closeLabel: string }) {
  const { toasts, add, close } = Toast.useToastManager()
  useEffect(
    () =>
      listenToToasts(({ title, description, tone = 'default', action }) => {
        add({
          id: onlyToast,
          title,
          description,
          type: tone,
          actionProps: action && {
            children: action.label,
            onClick: () => {
              close(onlyToast)
              action.onAct()
            },
          },
        })
      }),
    [add, close],
  )
  return toasts.map((toast) => (
    <Frame key={toast.id} toast={toast} swipeDirection={['right', 'up']}>
      <Words>
        <Title />
        <Description />
        {toast.actionProps && <Action />}
      </Words>
      <Close aria-label={closeLabel}>
        <X size={18} strokeWidth={1.5} aria-hidden />
      </Close>
    </Frame>
  ))
}

const Viewport = styled(Toast.Viewport)`
  position: fixed;
  z-index: ${layer.toast};
  top: calc(${space(3)} + env(safe-area-inset-top));
  right: ${space(3)};
  left: ${space(3)};
  /* On a phone the bid bar has the bottom. */
  ${from.tablet} {
    top: auto;
    right: ${space(6)};
    bottom: ${space(6)};
    left: auto;
    width: ${width.toast};
  }
`

const Frame = styled(Toast.Root)`
  display: flex;
  gap: ${space(3)};
  align-items: flex-start;
  padding: ${space(4)};
  border: 1px solid ${color.line};
  border-left: 3px solid ${color.accent};
  border-radius: ${radius.small};
  background: ${color.surface};
  box-shadow: ${color.shadow};
  transform: translateX(var(--toast-swipe-movement-x)) translateY(var(--toast-swipe-movement-y));
  transition: opacity ${motion.calm}, transform ${motion.calm};
  &[data-type='destructive'] { border-left-color: ${color.live}; }
  &[data-starting-style], &[data-ending-style] { opacity: 0; transform: translateY(${space(2)}); }
  &[data-limited] { display: none; }
`

const Words = styled.div`
  display: grid;
  flex: 1;
  gap: ${space(1)};
  justify-items: start;
  min-width: 0;
  overflow-wrap: anywhere;
`

const Title = styled(Toast.Title)`
  font-family: inherit;
  font-size: ${text.body};
  font-weight: ${weight.strong};
  letter-spacing: 0;
  line-height: 1.4;
  [data-type='destructive'] & { color: ${color.live}; }
`

const Description = styled(Toast.Description)`
  color: ${color.muted};
  font-size: ${text.body};
`

const Action = styled(Toast.Action)`
  min-height: ${space(9)};
  margin-top: ${space(1)};
  padding: 0 ${space(3)};
  border: 1px solid ${color.edge};
  border-radius: ${radius.small};
  background: none;
  font-size: ${text.small};
  font-weight: ${weight.strong};
`

const Close = styled(Toast.Close)`
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
  &:hover { color: ${color.ink}; }
`
