import { MESSAGE_LENGTH_MAX } from '@wangian/contracts/messaging.ts'
import { isAnythingSeen } from '@wangian/contracts/text.ts'
import { Paperclip, Plus, SendHorizontal } from 'lucide-react'
import { type KeyboardEvent, useId, useRef } from 'react'
import { styled } from 'styled-components'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, motion, radius, space } from '../../theme/theme.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'
import { fileTypesOffered } from './file-picker.ts'

/** What a key has for its code that an input method takes. */
const composingKeyCode = 229

/** Where somebody writes: Enter sends, Shift and Enter begin a new line. */
export function Composer({
  draft,
  onDraft,
  onSend,
  onFile,
  onOffer,
}: {
  draft: string
  onDraft: (draft: string) => void
  onSend: () => void
  onFile: (file: File) => void
  /** `null` for who does not sell. */
  onOffer: (() => void) | null
}) {
  const { t } = useTranslation()
  const id = useId()
  const picker = useRef<HTMLInputElement>(null)
  const words = useRef<HTMLTextAreaElement>(null)
  const isBlank = !isAnythingSeen(draft)
  const onKeyDown = (event: KeyboardEvent) => {
    // While a word is being composed, Enter chooses it. Safari ends the composing before that Enter, and tells it by its code alone.
    const isComposing = event.nativeEvent.isComposing || event.keyCode === composingKeyCode
    if (event.key !== 'Enter' || event.shiftKey || isComposing) return
    event.preventDefault()
    if (!isBlank) onSend()
  }
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault()
        if (isBlank) return
        onSend()
        // The button cannot be pressed again until something is written.
        words.current?.focus()
      }}
    >
      {onOffer && (
        <IconButton aria-label={t('deal.create')} title={t('deal.create')} onClick={onOffer}>
          <Plus size={22} strokeWidth={1.5} aria-hidden />
        </IconButton>
      )}
      <IconButton
        aria-label={t('messages.attach')}
        title={t('messages.attach')}
        onClick={() => picker.current?.click()}
      >
        <Paperclip size={20} strokeWidth={1.5} aria-hidden />
      </IconButton>
      <input
        ref={picker}
        type="file"
        hidden
        accept={fileTypesOffered}
        data-testid="file-picker"
        onChange={({ target }) => {
          const [file] = target.files ?? []
          // The same file may be chosen again.
          target.value = ''
          if (file) onFile(file)
        }}
      />
      <VisuallyHidden as="label" htmlFor={id}>
        {t('messages.message')}
      </VisuallyHidden>
      <Words
        ref={words}
        id={id}
        rows={1}
        value={draft}
        maxLength={MESSAGE_LENGTH_MAX}
        placeholder={t('messages.placeholder')}
        onChange={(event) => onDraft(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Send type="submit" disabled={isBlank} aria-label={t('messages.send')}>
        <SendHorizontal size={20} strokeWidth={1.75} aria-hidden />
      </Send>
    </Form>
  )
}

const Form = styled.form`
  display: flex;
  gap: ${space(2)};
  align-items: flex-end;
  padding: ${space(3)} ${space(4)};
  border-top: 1px solid ${color.line};
`

const Words = styled.textarea`
  flex: 1;
  min-width: 0;
  min-height: ${space(11)};
  max-height: ${space(36)};
  padding: ${space(2)} ${space(4)};
  border: 1px solid ${color.edge};
  border-radius: ${space(5.5)};
  background: ${color.surface};
  /* A phone zooms in on a smaller one. */
  font-size: 1rem;
  line-height: ${space(6)};
  resize: none;
  field-sizing: content;
  transition: border-color ${motion.quick};
  &:hover { border-color: ${color.ink}; }
  &::placeholder { color: ${color.muted}; opacity: 1; }
`

const Send = styled(IconButton).attrs({ type: 'submit' })`
  border-radius: ${radius.round};
  background: ${color.accent};
  color: ${color.onAccent};
  &:hover:enabled { background: color-mix(in srgb, ${color.accent} 88%, ${color.ink}); }
  &:disabled { background: ${color.line}; color: ${color.muted}; }
`
