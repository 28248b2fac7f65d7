import { IMAGE_BYTES_MAX, imageMessages } from '@wangian/contracts/pictures.ts'
import { ImagePlus } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { styled } from 'styled-components'
import { sentenceInPageLanguage } from '../i18n/in-page-language.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { color, motion, radius, space } from '../theme/theme.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog, DialogActions } from '../ui/Dialog.tsx'
import { Field } from '../ui/Field.tsx'
import { showToast } from '../ui/toast-store.ts'
import { type PictureKind, useUploadPicture } from './api.ts'
import { reasonOr } from './reasons.ts'

const acceptedTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/** Chooses a new picture or cover for the signed-in person. */
export function PictureUpload({
  kind,
  personId,
  onClose,
}: {
  kind: PictureKind
  personId: number
  onClose: () => void
}) {
  const { t } = useTranslation()
  const uploadPicture = useUploadPicture(personId)
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File | null>(null)
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  const refuse = (title: string, description: string, shown: string) => {
    setError(shown)
    showToast({ title, description, tone: 'destructive' })
  }
  const choose = (chosen: File | undefined) => {
    if (!chosen) return
    const problem = problemOf(chosen)
    setFile(problem ? null : chosen)
    if (problem) refuse(...splitMessage(problem), problem)
    else setError(undefined)
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!file) {
      refuse(t('account.noImage'), t('account.noImageText'), t('account.noImageText'))
      input.current?.focus()
      return
    }
    setBusy(true)
    try {
      await uploadPicture(kind, file)
      showToast({ title: t('account.uploaded') })
      onClose()
    } catch (failure) {
      setBusy(false)
      const reason = reasonOr(failure, t('account.uploadFailedText'))
      refuse(t('account.uploadFailed'), reason, reason)
    }
  }

  return (
    <Dialog title={t(`account.pictures.${kind}`)} closeLabel={t('account.close')} isBusy={isBusy} onClose={onClose}>
      <Form onSubmit={(event) => void submit(event)}>
        <Field label={t('account.image')} help={t('account.imageHelp')} error={error}>
          {(control) => (
            <Drop $kind={kind}>
              {file ? <Preview file={file} /> : <ImagePlus size={28} strokeWidth={1.5} aria-hidden />}
              <input
                {...control}
                ref={input}
                type="file"
                accept={acceptedTypes.join(',')}
                onChange={(event) => choose(event.target.files?.[0])}
              />
            </Drop>
          )}
        </Field>
        <DialogActions>
          <Button tone="plain" disabled={isBusy} onClick={onClose}>
            {t('account.cancel')}
          </Button>
          <Button type="submit" busy={isBusy} busyLabel={t('account.uploading')}>
            {t('account.upload')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}

function problemOf(file: File): string | undefined {
  if (!acceptedTypes.includes(file.type)) return sentenceInPageLanguage(imageMessages.wrongType)
  return file.size > IMAGE_BYTES_MAX ? sentenceInPageLanguage(imageMessages.tooLarge) : undefined
}

/** `Title: the rest` as the two lines of a toast. */
function splitMessage(message: string): [title: string, description: string] {
  const [title = '', ...rest] = message.split(': ')
  return [title, rest.join(': ')]
}

function Preview({ file }: { file: File }) {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(file)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return <Image src={address} alt={file.name} />
}

const Form = styled.form`
  margin-top: ${space(6)};
`

/** In the shape that the picture will have. The whole of it opens the file chooser. */
const Drop = styled.span<{ $kind: PictureKind }>`
  position: relative;
  display: grid;
  place-items: center;
  width: ${({ $kind }) => ($kind === 'avatar' ? space(40) : '100%')};
  aspect-ratio: ${({ $kind }) => ($kind === 'avatar' ? '1' : '3')};
  margin: ${space(2)} auto;
  overflow: hidden;
  border: 1px dashed ${color.edge};
  border-radius: ${({ $kind }) => ($kind === 'avatar' ? radius.round : radius.large)};
  color: ${color.muted};
  transition: border-color ${motion.quick}, color ${motion.quick};
  &:hover { border-color: ${color.ink}; color: ${color.ink}; }
  &:has(:focus-visible) { outline: 2px solid ${color.accent}; outline-offset: 2px; }
  input { position: absolute; inset: 0; width: 100%; opacity: 0; cursor: pointer; font-size: 0; }
`

const Image = styled.img`
  width: 100%;
  height: 100%;
  object-fit: cover;
`
