import { REPORT_TEXT_LENGTH_MAX, type ReportKind, ReportReason, reportRoutes } from '@wangian/contracts/reports.ts'
import { type FormEvent, useState } from 'react'
import { styled } from 'styled-components'
import { shownMessage } from '../api/api-error.ts'
import { call } from '../api/client.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { useUnsentWords } from '../lib/use-unsent-words.ts'
import { color, text as size, space } from '../theme/theme.ts'
import { Button } from '../ui/Button.tsx'
import { Radio, RadioGroup } from '../ui/Choices.tsx'
import { Dialog, DialogActions } from '../ui/Dialog.tsx'
import { Field, Select, TextArea } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { showToast } from '../ui/toast-store.ts'
import { UnsavedChanges } from '../ui/UnsavedChanges.tsx'

export interface ReportTarget {
  readonly kind: ReportKind
  readonly targetId: number
  /** What tells it from the others. */
  readonly label: string
}

/** Tells administrators what is wrong with something: with one thing, or with one of several. */
export function ReportDialog({
  targets: offered,
  name,
  onClose,
}: {
  targets: readonly ReportTarget[]
  /** Whose it is. */
  name: string
  onClose: () => void
}) {
  const { t } = useTranslation()
  // As they were when it was opened: what comes meanwhile must not take the place of what was chosen.
  const [targets] = useState(offered)
  const [place, setPlace] = useState(0)
  const [reason, setReason] = useState<ReportReason | null>(null)
  const [text, setText] = useState('')
  const [isChecked, setChecked] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const unsent = useUnsentWords()
  const isTextNeeded = reason === 'other'
  const isTextMissing = isTextNeeded && text.trim() === ''

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    const target = targets[place]
    if (isBusy || target === undefined || reason === null || isTextMissing) return
    setFailure(undefined)
    setBusy(true)
    try {
      const { kind, targetId } = target
      await call(reportRoutes.fileReport, { body: { kind, targetId, reason, text: text.trim() || null } })
      showToast({ title: t('report.done'), description: t('report.doneText') })
      onClose()
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }

  return (
    <Dialog
      title={t('report.title')}
      intro={t('report.intro', { name })}
      closeLabel={t('report.close')}
      isBusy={isBusy}
      onClose={onClose}
    >
      <Form noValidate onSubmit={(event) => void submit(event)}>
        {targets.length > 1 && (
          <Field label={t('report.what')}>
            {(control) => (
              <Select {...control} value={place} onChange={(event) => setPlace(Number(event.target.value))}>
                {targets.map(({ kind, targetId, label }, index) => (
                  <option key={`${kind} ${targetId}`} value={index}>
                    {label}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
        <RadioGroup legend={t('report.reason')}>
          {ReportReason.options.map((each) => (
            <Radio
              key={each}
              name="reason"
              label={t(`report.reasons.${each}`)}
              checked={reason === each}
              onChange={() => setReason(each)}
            />
          ))}
          {isChecked && reason === null && <Missing role="alert">{t('report.reasonMissing')}</Missing>}
        </RadioGroup>
        <Field
          label={t('report.text')}
          help={t(isTextNeeded ? 'report.textNeeded' : 'report.textHelp')}
          error={isChecked && isTextMissing ? t('report.textMissing') : undefined}
        >
          {(control) => (
            <TextArea
              {...control}
              rows={3}
              maxLength={REPORT_TEXT_LENGTH_MAX}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        {failure !== undefined && <Notice tone="live">{shownMessage(failure)}</Notice>}
        <DialogActions>
          <Button tone="plain" disabled={isBusy} onClick={onClose}>
            {t('report.cancel')}
          </Button>
          <Button type="submit" busy={isBusy} busyLabel={t('report.sending')}>
            {t('report.send')}
          </Button>
        </DialogActions>
      </Form>
      {(reason !== null || text !== '') && <UnsavedChanges words={unsent} />}
    </Dialog>
  )
}

const Form = styled.form`
  display: grid;
  gap: ${space(4)};
  margin-top: ${space(5)};
`

const Missing = styled.p`
  color: ${color.live};
  font-size: ${size.small};
`
