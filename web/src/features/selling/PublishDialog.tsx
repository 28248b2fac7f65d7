import { Check, Circle, LoaderCircle, TriangleAlert } from 'lucide-react'
import { keyframes, styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, space, text, weight } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { ProgressBar } from '../../ui/ProgressBar.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'
import type { Step } from './publish.ts'
import type { StepView } from './use-publication.ts'

export type Doing = 'fixed' | 'auction' | 'edit' | 'relist'

/** How far a listing is, and at its end what is missing: a picture that failed is tried again alone, or with the others. */
export function PublishDialog({
  doing,
  isRunning,
  steps,
  onRetry,
  onFinish,
  onClose,
}: {
  doing: Doing
  isRunning: boolean
  steps: readonly StepView[]
  /** One picture, or everything that failed. */
  onRetry: (pictureKey?: string) => void
  onFinish: () => void
  /** Back to the form, which keeps what is missing: nobody gives pictures up by Escape or a click beside. */
  onClose: () => void
}) {
  const { t } = useTranslation()
  const wordsOf = useStepWords(doing)
  const failed = steps.filter(({ state }) => state.status === 'failed')
  const current = steps.find(({ state }) => state.status === 'running' || state.status === 'retrying')
  const missing = failed.filter(({ step }) => step.kind === 'picture').length
  return (
    <Dialog
      title={isRunning ? t(`sell.progress.working.${doing}`) : t(`sell.progress.missingTitle.${doing}`)}
      intro={isRunning ? t('sell.progress.keepOpen') : t('sell.progress.missing', { count: missing })}
      closeLabel={t('sell.progress.close')}
      isBusy={isRunning}
      onClose={onClose}
    >
      <Steps>
        {steps.map((view) => (
          <StepLine
            key={view.step.key}
            view={view}
            words={wordsOf(view.step)}
            canRetry={!isRunning}
            onRetry={onRetry}
          />
        ))}
      </Steps>
      <VisuallyHidden role="status">{current ? wordsOf(current.step) : ''}</VisuallyHidden>
      {!isRunning && (
        <DialogActions>
          <Button tone="plain" onClick={onFinish}>
            {t('sell.progress.finish')}
          </Button>
          <Button onClick={() => onRetry()}>{t('sell.progress.retryAll')}</Button>
        </DialogActions>
      )}
    </Dialog>
  )
}

function StepLine({
  view: { step, state },
  words,
  canRetry,
  onRetry,
}: {
  view: StepView
  words: string
  canRetry: boolean
  onRetry: (pictureKey: string) => void
}) {
  const { t } = useTranslation()
  const part = state.status === 'running' ? state.part : null
  const Icon = icons[state.status]
  return (
    <Line $status={state.status}>
      <Icon size={18} strokeWidth={1.5} aria-hidden />
      {step.kind === 'picture' && state.status === 'running' ? (
        <ProgressBar
          label={words}
          value={part === null ? null : Math.round(part * 100)}
          words={part === null ? '' : t('sell.progress.percent', { percent: Math.round(part * 100) })}
        />
      ) : (
        <span>
          {words}
          {state.status === 'failed' && <Reason>{shownMessage(state.error)}</Reason>}
        </span>
      )}
      {state.status === 'failed' && step.kind === 'picture' && canRetry ? (
        <Button
          size="small"
          tone="secondary"
          aria-label={t('sell.progress.retryPicture', { number: step.number })}
          onClick={() => onRetry(step.key)}
        >
          {t('sell.progress.retry')}
        </Button>
      ) : (
        part === null && <State>{t(`sell.progress.states.${state.status}`)}</State>
      )}
    </Line>
  )
}

function useStepWords(doing: Doing): (step: Step) => string {
  const { t } = useTranslation()
  return ({ kind, number }) => {
    if (kind === 'product')
      return t(doing === 'fixed' || doing === 'auction' ? 'sell.progress.steps.create' : 'sell.progress.steps.update')
    if (kind === 'auction') return t(doing === 'edit' ? 'sell.progress.steps.revise' : 'sell.progress.steps.open')
    return t(`sell.progress.steps.${kind}`, { number })
  }
}

const icons = {
  waiting: Circle,
  running: LoaderCircle,
  retrying: LoaderCircle,
  done: Check,
  failed: TriangleAlert,
} as const

const turn = keyframes`
  to { transform: rotate(1turn); }
`

const Steps = styled.ol`
  margin-top: ${space(5)};
`

const Line = styled.li<{ $status: keyof typeof icons }>`
  display: grid;
  grid-template-columns: auto minmax(0, 1fr) auto;
  gap: ${space(3)};
  align-items: center;
  min-height: ${space(13)};
  padding: ${space(2)} 0;
  border-top: 1px solid ${color.line};
  color: ${({ $status }) => ($status === 'waiting' ? color.muted : color.ink)};
  font-weight: ${({ $status }) => ($status === 'running' ? weight.strong : weight.regular)};
  & > svg {
    color: ${({ $status }) => ($status === 'failed' ? color.live : $status === 'done' ? color.ok : color.muted)};
    animation: ${({ $status }) => ($status === 'running' || $status === 'retrying' ? turn : 'none')} 1.2s linear infinite;
  }
  & > :nth-child(2) { grid-column: ${({ $status }) => ($status === 'running' ? '2 / span 1' : 'auto')}; }
`

const State = styled.span`
  color: ${color.muted};
  font-size: ${text.small};
  font-weight: ${weight.regular};
`

const Reason = styled.span`
  display: block;
  color: ${color.live};
  font-size: ${text.small};
`
