import { IMAGES_PER_PRODUCT_MAX } from '@wangian/contracts/catalogue.ts'
import { IMAGE_BYTES_MAX, imageMessages } from '@wangian/contracts/pictures.ts'
import { ImagePlus, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { styled } from 'styled-components'
import { color, motion, radius, space, text, weight } from '../../theme/theme.ts'
import { Field } from '../../ui/Field.tsx'

const acceptedTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/** The pictures of a listing, the first one being the main one. They are uploaded with the form. */
export function PicturesField({
  files,
  onChange,
}: {
  files: readonly File[]
  onChange: (files: readonly File[]) => void
}) {
  const { t } = useTranslation()
  const [error, setError] = useState<string>()
  const isFull = files.length >= IMAGES_PER_PRODUCT_MAX

  const add = (chosen: readonly File[]) => {
    const problem = problemOf(chosen)
    const tooMany = files.length + chosen.length > IMAGES_PER_PRODUCT_MAX
    setError(problem ?? (tooMany ? t('sell.rules.pictures') : undefined))
    if (!problem) onChange([...files, ...chosen].slice(0, IMAGES_PER_PRODUCT_MAX))
  }

  return (
    <Field label={t('sell.pictures')} help={t('sell.picturesHelp')} error={error}>
      {(control) => (
        <Row>
          {files.map((file, place) => (
            <Chosen key={`${file.name} ${file.lastModified} ${file.size}`}>
              <Preview file={file} />
              <Remove
                type="button"
                aria-label={t('sell.removePicture', { number: place + 1 })}
                onClick={() => onChange(files.filter((each) => each !== file))}
              >
                <X size={16} strokeWidth={1.5} aria-hidden />
              </Remove>
            </Chosen>
          ))}
          {!isFull && (
            <Add>
              <ImagePlus size={22} strokeWidth={1.5} aria-hidden />
              <span>{t('sell.addPictures')}</span>
              <input
                {...control}
                type="file"
                multiple
                accept={acceptedTypes.join(',')}
                onChange={(event) => {
                  add([...(event.target.files ?? [])])
                  // So that the same file can be chosen again.
                  event.target.value = ''
                }}
              />
            </Add>
          )}
        </Row>
      )}
    </Field>
  )
}

function problemOf(files: readonly File[]): string | undefined {
  if (files.some((file) => !acceptedTypes.includes(file.type))) return imageMessages.wrongType
  return files.some((file) => file.size > IMAGE_BYTES_MAX) ? imageMessages.tooLarge : undefined
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

const Row = styled.div`
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(${space(24)}, 1fr));
  gap: ${space(3)};
`

const Chosen = styled.div`
  position: relative;
`

const Image = styled.img`
  width: 100%;
  aspect-ratio: 4 / 5;
  border-radius: ${radius.small};
  background: ${color.ground};
  object-fit: cover;
`

const Remove = styled.button`
  position: absolute;
  top: ${space(1)};
  right: ${space(1)};
  display: grid;
  place-items: center;
  width: ${space(8)};
  height: ${space(8)};
  padding: 0;
  border: 0;
  border-radius: ${radius.round};
  background: ${color.surface};
  color: ${color.ink};
`

const Add = styled.span`
  position: relative;
  display: grid;
  gap: ${space(2)};
  place-content: center;
  justify-items: center;
  aspect-ratio: 4 / 5;
  border: 1px dashed ${color.edge};
  border-radius: ${radius.small};
  color: ${color.muted};
  font-size: ${text.small};
  font-weight: ${weight.strong};
  text-align: center;
  transition: border-color ${motion.quick}, color ${motion.quick};
  &:hover { border-color: ${color.ink}; color: ${color.ink}; }
  &:has(:focus-visible) { outline: 2px solid ${color.accent}; outline-offset: 2px; }
  input { position: absolute; inset: 0; width: 100%; opacity: 0; cursor: pointer; font-size: 0; }
`
