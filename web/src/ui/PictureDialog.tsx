import { Dialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { styled } from 'styled-components'
import { placeholderImage } from '../lib/image-source.ts'
import { color, layer, motion, radius, space } from '../theme/theme.ts'

/** One picture as large as the window. `title` is what it shows. */
export function PictureDialog({
  src,
  title,
  closeLabel,
  onClose,
}: {
  src: string
  title: string
  closeLabel: string
  onClose: () => void
}) {
  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Dialog.Portal>
        <Backdrop />
        <Popup aria-label={title}>
          <Dialog.Close
            render={
              <CloseButton aria-label={closeLabel}>
                <X size={22} strokeWidth={1.5} aria-hidden />
              </CloseButton>
            }
          />
          <Image
            src={src}
            alt={title}
            onError={(event) => {
              const image = event.currentTarget
              if (image.getAttribute('src') !== placeholderImage) image.src = placeholderImage
            }}
          />
        </Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const Backdrop = styled(Dialog.Backdrop)`
  position: fixed;
  z-index: ${layer.popup};
  inset: 0;
  background: rgb(0 0 0 / 72%);
  transition: opacity ${motion.calm};
  &[data-starting-style], &[data-ending-style] { opacity: 0; }
`

const Popup = styled(Dialog.Popup)`
  position: fixed;
  z-index: ${layer.popup};
  inset: 0;
  display: grid;
  place-items: center;
  padding: ${space(4)};
  pointer-events: none;
  outline: none;
  & > * { pointer-events: auto; }
`

const CloseButton = styled.button`
  position: absolute;
  top: ${space(4)};
  right: ${space(4)};
  display: grid;
  place-items: center;
  width: ${space(11)};
  height: ${space(11)};
  padding: 0;
  border: 0;
  border-radius: ${radius.round};
  background: ${color.surface};
  color: ${color.ink};
`

const Image = styled.img`
  max-width: min(100%, 56rem);
  max-height: calc(100dvh - ${space(8)});
  border-radius: ${radius.small};
  object-fit: contain;
`
