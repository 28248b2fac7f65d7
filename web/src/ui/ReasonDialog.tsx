import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { styled } from 'styled-components'
import { space } from '../theme/theme.ts'
import { Button } from './Button.tsx'
import { Dialog, DialogActions } from './Dialog.tsx'
import { Field, TextArea } from './Field.tsx'
import { Input } from './Input.tsx'
import { Notice } from './Notice.tsx'
import { UnsavedChanges, type UnsavedWords } from './UnsavedChanges.tsx'

const reasonLengthMax = 500

export interface ReasonWords {
  readonly title: string
  readonly label: string
  readonly help?: string | undefined
  readonly close: string
  readonly keep: string
  readonly confirm: string
  readonly busy: string
  /** Before a reason that was written is left behind. */
  readonly unsent: UnsavedWords
}

/** Asks before something that cannot be taken back, and for its reason. */
export function ReasonDialog({
  words,
  intro,
  missing,
  suggestion = '',
  tone = 'danger',
  isShort = false,
  onConfirm,
  onClose,
}: {
  words: ReasonWords
  intro?: ReactNode
  /** What is said where no reason is given; without it, a reason may be left out. */
  missing?: string | undefined
  /** What the field begins with. */
  suggestion?: string
  tone?: 'danger' | 'primary'
  /** One line, which Enter sends. */
  isShort?: boolean
  /** Does it and closes the dialog; `reason` is empty where none is given. What it gives back went wrong, and it can be tried again. */
  onConfirm: (reason: string) => Promise<string | null>
  onClose: () => void
}) {
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const [reason, setReason] = useState(suggestion)
  const [isMissing, setMissing] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    const given = reason.trim()
    const isWanting = missing !== undefined && given === ''
    setMissing(isWanting)
    if (isWanting) return
    setFailure(null)
    setBusy(true)
    const problem = await onConfirm(given)
    if (problem === null) return
    setFailure(problem)
    setBusy(false)
  }

  return (
    <Dialog
      title={words.title}
      intro={intro}
      closeLabel={words.close}
      isBusy={isBusy}
      initialFocus={field}
      onClose={onClose}
    >
      <Form noValidate onSubmit={(event) => void submit(event)}>
        <Field label={words.label} help={words.help} error={isMissing ? missing : undefined}>
          {(control) => {
            const shared = { ...control, ref: field, maxLength: reasonLengthMax, value: reason }
            return isShort ? (
              <Input
                {...shared}
                onFocus={(event) => event.target.select()}
                onChange={(event) => setReason(event.target.value)}
              />
            ) : (
              <TextArea {...shared} rows={3} onChange={(event) => setReason(event.target.value)} />
            )
          }}
        </Field>
        {failure !== null && <Notice tone="live">{failure}</Notice>}
        <DialogActions>
          <Button tone="plain" disabled={isBusy} onClick={onClose}>
            {words.keep}
          </Button>
          <Button type="submit" tone={tone} busy={isBusy} busyLabel={words.busy}>
            {words.confirm}
          </Button>
        </DialogActions>
      </Form>
      {reason !== suggestion && <UnsavedChanges words={words.unsent} />}
    </Dialog>
  )
}

const Form = styled.form`
  display: grid;
  gap: ${space(4)};
  margin-top: ${space(5)};
`
