import { type Message, type MessageFile, messagingRoutes } from '@wangian/contracts/messaging.ts'
import { Download, FileText } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { styled } from 'styled-components'
import { callFile } from '../../api/client.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { saveFile } from '../../lib/save-file.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, radius, space, text, tint, weight } from '../../theme/theme.ts'
import { ProgressBar } from '../../ui/ProgressBar.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { formatBytes } from './file-picker.ts'
import type { SendingFile } from './use-file-sending.ts'

const Lightbox = lazyPart(async () => (await import('../../ui/Lightbox.tsx')).Lightbox)

/** A preview is at most so wide and high. */
const previewPx = { width: 280, height: 320 }
const previewWidth = 480

/** A file that was sent: a picture is shown, a document is there to be saved. */
export function FileMessage({ message, file }: { message: Message; file: MessageFile }) {
  const name = nameOf(message)
  if (file.type === 'image/webp') return <PicturePreview file={file} name={name} />
  return <DocumentLine file={file} name={name} />
}

/** The last part of the address is what the server knows a file by. */
function nameOf({ fileUrl }: Message): string {
  return fileUrl?.split('/').at(-1) ?? ''
}

function PicturePreview({ file, name }: { file: MessageFile; name: string }) {
  const { t } = useTranslation()
  const [isLarge, setLarge] = useState(false)
  const preview = useFileUrl(name, previewWidth)
  const size = sizeOf(file)
  if (preview === 'failed') {
    return (
      <Missing style={size} role="img" aria-label={file.name}>
        {t('messages.imageFailed')}
      </Missing>
    )
  }
  return (
    <>
      <Preview
        type="button"
        style={size}
        aria-label={t('messages.showPicture', { name: file.name })}
        onClick={() => setLarge(true)}
      >
        {preview && <img src={preview} alt={file.name} {...size} />}
      </Preview>
      {isLarge && <LargePicture name={name} shownName={file.name} onClose={() => setLarge(false)} />}
    </>
  )
}

function LargePicture({ name, shownName, onClose }: { name: string; shownName: string; onClose: () => void }) {
  const { t } = useTranslation()
  const url = useFileUrl(name)
  useEffect(() => {
    if (url !== 'failed') return
    showToast({ title: t('messages.previewFailed'), tone: 'destructive' })
    onClose()
  }, [url, onClose, t])
  if (url === null || url === 'failed') return null
  const labels = {
    name: shownName,
    picture: () => shownName,
    close: t('messages.close'),
    previous: '',
    next: '',
    zoomIn: t('messages.zoomIn'),
    zoomOut: t('messages.zoomOut'),
    carousel: t('home.carousel'),
    slide: t('home.slide'),
    slideOf: t('home.slideOf', { number: '{index}', count: '{total}' }),
  }
  return (
    <Suspense fallback={null}>
      <Lightbox pictures={[url]} index={0} labels={labels} onTurn={() => {}} onClose={onClose} />
    </Suspense>
  )
}

function DocumentLine({ file, name }: { file: MessageFile; name: string }) {
  const { t } = useTranslation()
  const [isSaving, setSaving] = useState(false)
  const save = async () => {
    setSaving(true)
    try {
      saveFile(await callFile(messagingRoutes.getMessageFile, { params: { name } }), file.name)
    } catch {
      showToast({ title: t('messages.previewFailed'), tone: 'destructive' })
    } finally {
      setSaving(false)
    }
  }
  return (
    // Not disabled, which would take the focus away from who has pressed it.
    <Document
      type="button"
      aria-disabled={isSaving || undefined}
      onClick={() => {
        if (!isSaving) void save()
      }}
    >
      <FileText size={28} strokeWidth={1.25} aria-hidden />
      <span>
        <Name>{file.name}</Name>
        <Size>{formatBytes(file.bytes)}</Size>
      </span>
      <Download size={18} strokeWidth={1.75} aria-label={t('messages.save')} />
    </Document>
  )
}

/** A file that is on its way, or was not sent. */
export function SendingFileLine({
  sending,
  onRetry,
  onCancel,
}: {
  sending: SendingFile
  onRetry: () => void
  onCancel: () => void
}) {
  const { t } = useTranslation()
  const { name, file, progress, problem } = sending
  return (
    <Sending>
      {problem === null && file !== null ? (
        <ProgressBar label={name} value={Math.round(progress * 100)} words={formatBytes(file.size)} />
      ) : (
        <>
          <Name>{name}</Name>
          <Problem role="alert">{problem}</Problem>
        </>
      )}
      <Actions>
        {problem !== null && file !== null && (
          <LineAction type="button" onClick={onRetry}>
            {t('messages.tryAgain')}
          </LineAction>
        )}
        <LineAction type="button" onClick={onCancel}>
          {t(problem === null ? 'messages.cancel' : 'messages.discard')}
        </LineAction>
      </Actions>
    </Sending>
  )
}

/** The address under which this page holds a file, once it is here. Only who is signed in gets one, so that no `src` can name it. */
function useFileUrl(name: string, width?: 160 | 480 | 960 | 1600): string | 'failed' | null {
  const [url, setUrl] = useState<string | 'failed' | null>(null)
  useEffect(() => {
    let made: string | undefined
    let isGone = false
    callFile(messagingRoutes.getMessageFile, { params: { name }, query: { w: width } })
      .then((blob) => {
        if (isGone) return
        made = URL.createObjectURL(blob)
        setUrl(made)
      })
      .catch(() => !isGone && setUrl('failed'))
    return () => {
      isGone = true
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [name, width])
  return url
}

function sizeOf({ width, height }: MessageFile): { width: number; height: number } {
  const [natural, tall] = [width ?? previewPx.width, height ?? previewPx.height]
  const scale = Math.min(1, previewPx.width / natural, previewPx.height / tall)
  return { width: Math.round(natural * scale), height: Math.round(tall * scale) }
}

const Preview = styled.button`
  display: block;
  max-width: 100%;
  padding: 0;
  overflow: hidden;
  border: 0;
  border-radius: ${radius.small};
  background: ${tint('ink', 6)};
  cursor: zoom-in;
  img { display: block; width: 100%; height: 100%; object-fit: cover; }
`

const Missing = styled.div`
  display: grid;
  place-items: center;
  max-width: 100%;
  padding: ${space(3)};
  border-radius: ${radius.small};
  background: ${tint('ink', 6)};
  color: ${color.muted};
  font-size: ${text.small};
  text-align: center;
`

const Document = styled.button`
  display: flex;
  gap: ${space(3)};
  align-items: center;
  width: 100%;
  min-height: ${space(11)};
  padding: 0;
  border: 0;
  background: none;
  color: ${color.ink};
  text-align: left;
  & > span { flex: 1; min-width: 0; }
  &[aria-disabled] { color: ${color.muted}; }
`

const Name = styled.span`
  display: block;
  overflow-wrap: anywhere;
  font-weight: ${weight.strong};
`

const Size = styled.span`
  color: ${color.muted};
  font-size: ${text.small};
`

const Sending = styled.div`
  display: grid;
  gap: ${space(2)};
  min-width: ${space(50)};
`

const Problem = styled.span`
  color: ${color.live};
  font-size: ${text.small};
`

const Actions = styled.div`
  display: flex;
  gap: ${space(4)};
  justify-content: flex-end;
  font-size: ${text.small};
`

/** What can be done about something that is on its way. */
export const LineAction = styled.button`
  min-height: ${space(6)};
  padding: 0;
  border: 0;
  background: none;
  color: ${color.ink};
  font-weight: ${weight.strong};
  text-decoration: underline;
`
